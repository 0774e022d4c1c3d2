// SPDX-License-Identifier: Apache-2.0
// One channel: the verilated controller, its registers, the DRAM device model behind it, and what both counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tb/dram/device.h"
#include "tb/hbm/channel_bench.h"
#include "tb/hbm/hbm_dut.h"

namespace tepin::tb::hbm {

/// A field of a register: byte address, mask, value (not shifted).
struct HbmSetting {
  std::size_t address = 0;
  std::uint32_t mask = 0, value = 0;
};

/// What the controller's registers must hold for this device at this clock, but CTRL; initialisation shortened to
/// config.timing.tinit clocks.
[[nodiscard]] std::vector<HbmSetting> speed_settings(const dram::DramConfig& config, double clock_ghz);

struct HbmSystemOptions {
  int mbps = 8000;  // a pin: 8000 or 10000
  int sids = 2;     // 1..4
  std::uint64_t seed = 1;
  int extra_read_latency = 0;  // clocks that the PHY adds to RL + 1
  bool log_commands = false;
  bool checked = false;              // the model with assertions
  bool throw_at_first = false;       // dram::DramViolation at the first rule broken, in place of counting
  std::string waves;                 // FST file, of the model with assertions; empty: none
  std::vector<HbmSetting> settings;  // written last before the controller is enabled
};

/// Positions in rtl/hbm/hbm_counters.sv.
enum CounterIndex : std::size_t {
  kCountSlots = 10,  // 0..9
  kCountAct = 10,
  kCountPre,
  kCountRead,
  kCountWrite,
  kCountRefPb,
  kCountRefAb,
  kCountRfm,
  kCountRowMiss,
  kCountCorrected,
  kCountUncorrected,
  kCountScrubbed,
  kCountCompleted,
  kCountDrains
};

/// Of one PC since bring_up().
struct HbmCounters {
  std::uint64_t refreshes = 0;                // REFpb and REFab
  std::uint64_t row_hits = 0;                 // column commands other than the first one after an ACT
  std::uint64_t reads = 0, writes = 0;        // bursts of requests
  std::uint64_t scrubs = 0, completions = 0;  // reads of its own: scrubbing, for partial writes
  std::uint64_t corrected = 0, uncorrected = 0;
  std::vector<std::pair<std::string, std::uint64_t>> stalls;  // clocks without a burst by cause

  HbmCounters& operator+=(const HbmCounters& other);
};

class HbmSystem {
 public:
  /// std::invalid_argument for a speed or a number of SIDs that does not exist.
  explicit HbmSystem(const HbmSystemOptions& options);
  ~HbmSystem();
  HbmSystem(const HbmSystem&) = delete;
  HbmSystem& operator=(const HbmSystem&) = delete;

  /// Reset, registers of the speed, initialisation of the device; then it takes requests. Throws HangError.
  void bring_up();
  [[nodiscard]] HbmDut& dut();
  /// The device, with the counts and the log of this class: what run_channel() takes.
  [[nodiscard]] DfiTarget device();
  [[nodiscard]] dram::DramDevice& dram();
  /// One AXI4-Lite access, which steps the channel; the AXI4 ports must stand still. Throws HangError, and
  /// ProtocolError for a response that is not OKAY.
  [[nodiscard]] std::uint32_t read_register(std::size_t address);
  void write_register(std::size_t address, std::uint32_t value);
  /// Whether the controller follows HbmIn::temperature.
  void set_auto_refresh(bool on);
  [[nodiscard]] double clock_ghz() const;
  /// What a PC's memory holds where nothing was written.
  [[nodiscard]] InitialContents initial(int pc) const;
  /// Read through the registers: steps the channel.
  [[nodiscard]] HbmCounters counters(int pc);
  /// Rules of the device that the controller broke, both PCs; the first as a line.
  [[nodiscard]] std::uint64_t violations() const;
  [[nodiscard]] std::string first_violation() const;
  /// The commands of a PC, one a line: "clk CMD sid bg ba row col slot" (log_commands).
  [[nodiscard]] std::string command_log(int pc) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tepin::tb::hbm
