// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/machine.h"

namespace tepin::golden {

void Machine::load_spad(std::uint64_t address, std::span<const std::uint8_t> data) {
  chip_.load_spad(0, address, data);
}
void Machine::load_hbm(std::uint32_t channel, std::uint64_t address, std::span<const std::uint8_t> data) {
  chip_.load_hbm(0, channel, address, data);
}
void Machine::load_acc(std::uint32_t column, std::span<const std::uint32_t> fp32) { chip_.load_acc(0, column, fp32); }

Outcome Machine::run(const isa::Section& section) { return chip_.run({&section}); }

const Scratchpad& Machine::spad() const { return chip_.spad(0); }
const HbmChannel& Machine::hbm(std::uint32_t channel) const { return chip_.hbm(0, channel); }
const Accumulators& Machine::acc() const { return chip_.acc(0); }
std::span<const std::uint32_t> Machine::sems() const { return chip_.sems(0); }
const std::array<std::uint32_t, 32>& Machine::regs(int thread) const { return chip_.regs(0, thread); }
const Log& Machine::log() const { return chip_.log(0); }
const std::vector<TraceMark>& Machine::trace() const { return chip_.trace(0); }
const isa::Config& Machine::config() const { return chip_.config(); }

}  // namespace tepin::golden
