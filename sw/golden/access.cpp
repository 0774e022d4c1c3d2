// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "sw/golden/fabric.h"

namespace tepin::golden {

void Tile::check_count(const Exec& x, const char* name, std::uint64_t value, std::uint64_t max) const {
  if (value >= 1 && value <= max) return;
  fault(x.at, isa::Cause::kBadOperand,
        std::string(name) + " is " + std::to_string(value) +
            (max == 0 ? "; no value is allowed here" : "; allowed: 1.." + std::to_string(max)));
}

void Tile::check_aligned(const Exec& x, const char* name, std::uint64_t value, std::uint64_t unit) const {
  if (value % unit == 0) return;
  fault(x.at, isa::Cause::kMisaligned,
        std::string(name) + " is " + std::to_string(value) + "; allowed: multiples of " + std::to_string(unit));
}

void Tile::check_spad(const Exec& x, const char* name, std::uint64_t address, std::uint64_t length) const {
  if (address + length <= cfg.spad_bytes) return;  // neither reaches 2^63: operands have 32 bits, counts at most 32
  fault(x.at, isa::Cause::kBadSpadAddr,
        std::string(name) + " reaches bytes " + std::to_string(address) + ".." + std::to_string(address + length - 1) +
            "; allowed: 0.." + std::to_string(cfg.spad_bytes - 1));
}

void Tile::check_codes(const Exec& x, const char* name, std::uint64_t block, isa::Format f,
                       std::span<const std::uint8_t> codes) const {
  if (f != isa::Format::kMxfp6E2m3 && f != isa::Format::kMxfp6E3m2) return;
  for (const std::uint8_t code : codes) {
    if (code < 64) continue;
    fault(x.at, isa::Cause::kBadOperand,
          std::string(name) + " block " + std::to_string(block) + " holds code " + std::to_string(code) +
              "; allowed: 0..63");
  }
}

void Tile::uninitialised(const Exec& x, Space space, std::uint32_t channel, std::uint64_t address) const {
  const std::uint8_t name = fabric_.name_of(number);
  stop_with({.kind = FindingKind::kUninitialised,
             .first = x.at,
             .second = {},
             .tile = name,
             .space = space,
             .channel = channel,
             .address = address,
             .text = "uninitialised: " + describe(x.at) + " reads " + tile_prefix(name) +
                     describe(space, channel, address) + ", which nothing wrote"});
}

const std::uint8_t* Tile::read_spad(const Exec& x, std::uint64_t address, std::uint64_t length) {
  if (opt.check_written) {
    if (const auto hole = spad.first_unwritten(address, length)) uninitialised(x, Space::kSpad, 0, *hole);
  }
  if (san_) san_->read_spad(x.agent, place_, address, length);
  return &spad.bytes[address];
}

void Tile::write_spad(const Exec& x, std::uint64_t address, std::span<const std::uint8_t> data, bool alias_ok) {
  if (san_) san_->write_spad(x.agent, place_, address, data.size(), alias_ok);
  spad.store(address, data);
  log_write(x, Space::kSpad, 0, address, data);
}

void Tile::read_hbm(const Exec& x, std::uint32_t channel, std::uint64_t beat, std::span<std::uint8_t> out) {
  const std::uint64_t beats = out.size() / kBeat;
  if (opt.check_written) {
    for (std::uint64_t b = beat; b < beat + beats; ++b) {
      const std::uint32_t mask = hbm[channel].written(b);
      if (mask == ~0U) continue;
      std::uint64_t byte = 0;
      while ((mask >> byte & 1U) != 0) ++byte;
      uninitialised(x, Space::kHbm, channel, b * kBeat + byte);
    }
  }
  if (san_) san_->read_hbm(x.agent, place_, channel, beat, beats);
  hbm[channel].load(beat * kBeat, out);
}

void Tile::write_hbm(const Exec& x, std::uint32_t channel, std::uint64_t beat, std::span<const std::uint8_t> data) {
  if (san_) san_->write_hbm(x.agent, place_, channel, beat, data.size() / kBeat);
  hbm[channel].store(beat * kBeat, data);
  log_write(x, Space::kHbm, channel, beat * kBeat, data);
}

void Tile::log_write(const Exec& x, Space space, std::uint32_t channel, std::uint64_t address,
                     std::span<const std::uint8_t> data) {
  if (x.log != nullptr) x.log->write(space, static_cast<std::uint8_t>(channel), address, data);
}

}  // namespace tepin::golden
