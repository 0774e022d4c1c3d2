// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/machine.h"

#include <algorithm>
#include <string>

#include "sw/golden/tile.h"

namespace tepin::golden {
namespace {

void check_fits(const std::string& memory, std::uint64_t at, std::uint64_t size, std::uint64_t capacity) {
  if (at <= capacity && size <= capacity - at) return;
  throw isa::InputError(memory + ": " + std::to_string(size) + " at " + std::to_string(at) +
                        " do not fit; allowed: up to " + std::to_string(capacity));
}

}  // namespace

Machine::Machine(const isa::Config& cfg, const Options& options) : tile_(std::make_unique<Tile>(cfg, options)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

void Machine::load_spad(std::uint64_t address, std::span<const std::uint8_t> data) {
  check_fits("spad, bytes", address, data.size(), tile_->cfg.spad_bytes);
  tile_->spad.store(address, data);
}

void Machine::load_hbm(std::uint32_t channel, std::uint64_t address, std::span<const std::uint8_t> data) {
  if (channel >= tile_->cfg.pcs) {
    throw isa::InputError("hbm" + std::to_string(channel) + ": no such pseudo-channel; allowed: 0.." +
                          std::to_string(tile_->cfg.pcs - 1));
  }
  check_fits("hbm" + std::to_string(channel) + ", bytes", address, data.size(),
             std::uint64_t{tile_->cfg.hbm_beats} * kBeat);
  tile_->hbm[channel].store(address, data);
}

void Machine::load_acc(std::uint32_t column, std::span<const std::uint32_t> fp32) {
  Accumulators& acc = tile_->acc;
  const std::uint64_t first = std::uint64_t{column} * acc.rows;
  check_fits("acc, values", first, fp32.size(), acc.bits.size());
  std::copy(fp32.begin(), fp32.end(), acc.bits.begin() + static_cast<std::ptrdiff_t>(first));
  std::fill_n(acc.written.begin() + static_cast<std::ptrdiff_t>(first), fp32.size(), std::uint8_t{1});
}

Outcome Machine::run(const isa::Section& section) { return tile_->run(section); }

const Scratchpad& Machine::spad() const { return tile_->spad; }
const HbmChannel& Machine::hbm(std::uint32_t channel) const { return tile_->hbm.at(channel); }
const Accumulators& Machine::acc() const { return tile_->acc; }
std::span<const std::uint32_t> Machine::sems() const { return tile_->sems; }
const std::array<std::uint32_t, 32>& Machine::regs(int thread) const {
  return tile_->threads.at(static_cast<std::size_t>(thread)).regs;
}
const Log& Machine::log() const { return tile_->log; }
const std::vector<TraceMark>& Machine::trace() const { return tile_->trace; }
const isa::Config& Machine::config() const { return tile_->cfg; }

}  // namespace tepin::golden
