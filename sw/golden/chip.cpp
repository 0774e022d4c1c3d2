// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/chip.h"

#include <algorithm>
#include <string>

#include "sw/golden/fabric.h"

namespace tepin::golden {
namespace {

void check_fits(const std::string& memory, std::uint64_t at, std::uint64_t size, std::uint64_t capacity) {
  if (at <= capacity && size <= capacity - at) return;
  throw isa::InputError(memory + ": " + std::to_string(size) + " at " + std::to_string(at) +
                        " do not fit; allowed: up to " + std::to_string(capacity));
}

std::string mesh_text(std::uint32_t x, std::uint32_t y) { return std::to_string(x) + "x" + std::to_string(y); }

std::unique_ptr<Fabric> make_fabric(const isa::Config& cfg, std::uint32_t x, std::uint32_t y, const Options& options) {
  if (x < 1 || x > isa::kMaxMesh || y < 1 || y > isa::kMaxMesh)
    throw isa::InputError("mesh " + mesh_text(x, y) + "; allowed: 1x1 to " + mesh_text(isa::kMaxMesh, isa::kMaxMesh));
  return std::make_unique<Fabric>(cfg, x, y, options);
}

}  // namespace

Chip::Chip(const isa::Config& cfg, std::uint32_t mesh_x, std::uint32_t mesh_y, const Options& options)
    : fabric_(make_fabric(cfg, mesh_x, mesh_y, options)) {}
Chip::~Chip() = default;
Chip::Chip(Chip&&) noexcept = default;
Chip& Chip::operator=(Chip&&) noexcept = default;

Tile& Chip::tile_of(std::uint32_t number) const {
  if (Tile* t = fabric_->find(number)) return *t;
  throw isa::InputError("tile number " + std::to_string(number) + "; allowed: those of tiles " +
                        fabric_->allowed_tiles());
}

void Chip::load_spad(std::uint32_t tile, std::uint64_t address, std::span<const std::uint8_t> data) {
  Tile& t = tile_of(tile);
  check_fits("spad, bytes", address, data.size(), t.cfg.spad_bytes);
  t.spad.store(address, data);
}

void Chip::load_hbm(std::uint32_t tile, std::uint32_t channel, std::uint64_t address,
                    std::span<const std::uint8_t> data) {
  Tile& t = tile_of(tile);
  if (channel >= t.cfg.pcs) {
    throw isa::InputError("hbm" + std::to_string(channel) + ": no such pseudo-channel; allowed: 0.." +
                          std::to_string(t.cfg.pcs - 1));
  }
  check_fits("hbm" + std::to_string(channel) + ", bytes", address, data.size(), std::uint64_t{t.cfg.hbm_beats} * kBeat);
  t.hbm[channel].store(address, data);
}

void Chip::load_acc(std::uint32_t tile, std::uint32_t column, std::span<const std::uint32_t> fp32) {
  Accumulators& acc = tile_of(tile).acc;
  const std::uint64_t first = std::uint64_t{column} * acc.rows;
  check_fits("acc, values", first, fp32.size(), acc.bits.size());
  std::copy(fp32.begin(), fp32.end(), acc.bits.begin() + static_cast<std::ptrdiff_t>(first));
  std::fill_n(acc.written.begin() + static_cast<std::ptrdiff_t>(first), fp32.size(), std::uint8_t{1});
}

Outcome Chip::run(const isa::Program& program) {
  return fabric_->run(isa::place_sections(program, mesh_x(), mesh_y(), "program"));
}

Outcome Chip::run(const std::vector<const isa::Section*>& sections) {
  if (sections.size() != fabric_->tiles.size()) {
    throw isa::InputError("program: " + std::to_string(sections.size()) + " sections; expected one for each of " +
                          std::to_string(fabric_->tiles.size()) + " tiles");
  }
  return fabric_->run(sections);
}

const Scratchpad& Chip::spad(std::uint32_t tile) const { return tile_of(tile).spad; }
const HbmChannel& Chip::hbm(std::uint32_t tile, std::uint32_t channel) const { return tile_of(tile).hbm.at(channel); }
const Accumulators& Chip::acc(std::uint32_t tile) const { return tile_of(tile).acc; }
std::span<const std::uint32_t> Chip::sems(std::uint32_t tile) const { return tile_of(tile).sems; }
const std::array<std::uint32_t, 32>& Chip::regs(std::uint32_t tile, int thread) const {
  return tile_of(tile).threads.at(static_cast<std::size_t>(thread)).regs;
}
const Log& Chip::log(std::uint32_t tile) const { return tile_of(tile).log; }
const Incoming& Chip::incoming(std::uint32_t tile) const { return tile_of(tile).incoming; }
const std::vector<TraceMark>& Chip::trace(std::uint32_t tile) const { return tile_of(tile).trace; }
const isa::Config& Chip::config() const { return fabric_->cfg; }
std::uint32_t Chip::mesh_x() const { return fabric_->mesh_x; }
std::uint32_t Chip::mesh_y() const { return fabric_->mesh_y; }

}  // namespace tepin::golden
