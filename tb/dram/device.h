// SPDX-License-Identifier: Apache-2.0
// One channel of HBM4 behind the controller's command boundary: stores data, checks every rule of the timing on both
// pseudo-channels and the row bus they share, injects bit errors, writes the command log. docs/hbm.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tb/dram/bit_errors.h"
#include "tb/dram/burst_store.h"
#include "tb/dram/command.h"
#include "tb/dram/command_log.h"
#include "tb/dram/config.h"
#include "tb/dram/dfi.h"
#include "tb/dram/pc_checker.h"
#include "tb/dram/row_bus.h"
#include "tb/dram/rules.h"
#include "tb/dram/violation.h"

namespace tepin::tb::dram {

class DramDevice {
 public:
  /// What a read gives from a closed bank, a row that does not exist or within self refresh (each also a violation).
  static constexpr Burst kPoison{
      .data = {0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef},
      .meta = 0xdead};

  /// Clock 0 is the first cycle(). Throws std::invalid_argument for an organisation beyond 4 SIDs or 65,536 rows, a
  /// negative RL, WL or extra read latency, RL and WL 256 or more apart, a refresh rate not above 0.
  explicit DramDevice(const DramConfig& config);
  DramDevice(const DramDevice&) = delete;
  DramDevice& operator=(const DramDevice&) = delete;

  /// One controller clock. out: the controller's output registers. in: what the PHY answers in this clock: a read that
  /// call t sees is answered by call t + RL + 1 + extra_read_latency; rdata keeps what it holds where rdata_valid is
  /// false. wdata must be valid in call t + WL of a write that call t saw, and in no other.
  void cycle(const DfiOut& out, DfiIn& in);
  /// As power-up: banks closed, bursts under way dropped, tINIT and refresh start anew. Contents, clock, violations and
  /// statistics stay.
  void reset();
  /// The end of a run: flushes the log (std::runtime_error if it could not be written). Deadlines (refresh, tRAS max)
  /// are checked clock by clock, so a bank left open too long is among the violations before this.
  void finish();

  /// Temperature: 4 (hot) .. 0.25 (cold) refreshes of a bank a tREFI.
  void set_refresh_rate(double rate);
  void set_fill(BurstStore::Fill fill) { store_.set_fill(std::move(fill)); }
  /// Not owned; nullptr: none.
  void set_log(CommandLog* log) { log_ = log; }

  /// Backdoor; std::out_of_range outside the device. Independent of banks and timing.
  [[nodiscard]] Burst load(const BurstAddress& a) const { return store_.load(a); }
  void store(const BurstAddress& a, const Burst& burst) { store_.store(a, burst); }
  /// Corrupts the stored burst. bit: 0..255 of the data, 256..271 of the metadata.
  void flip(const BurstAddress& a, int bit);
  /// Chance that a burst comes back with one, or with two flipped bits; what is stored stays as it is.
  void set_error_rate(double p, std::uint64_t seed);
  void set_double_error_rate(double p, std::uint64_t seed);

  struct Statistics {
    std::array<std::array<std::uint64_t, kKinds>, kChannelPcs> commands{};  // [pc][kind], illegal ones included
    std::array<std::uint64_t, kChannelPcs> idle_precharges{};               // that found nothing open
    std::uint64_t single_errors = 0, double_errors = 0, flips = 0;          // injected
    [[nodiscard]] std::uint64_t count(int pc, Kind k) const {
      return commands[static_cast<std::size_t>(pc)][static_cast<std::size_t>(k)];
    }
  };
  [[nodiscard]] Statistics statistics() const;
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_.kept(); }
  [[nodiscard]] std::uint64_t violation_count() const { return violations_.total(); }
  [[nodiscard]] Clock now() const { return now_; }  // calls so far
  [[nodiscard]] const DramConfig& config() const { return config_; }
  [[nodiscard]] const PcChecker& checker(int pc) const { return *checkers_[static_cast<std::size_t>(pc)]; }
  [[nodiscard]] std::size_t pages() const { return store_.pages(); }

 private:
  struct Read {
    bool due = false;
    Burst burst;
  };
  struct Write {
    bool due = false;
    Command command;
    int row = PcChecker::kNoRow;
  };
  void row_commands(const DfiOut& out);
  void row_command(const RowCommand& r);
  void column_command(const ColumnCommand& col, int pc);
  void write_data(const DfiOut& out, int pc);
  [[nodiscard]] std::size_t slot_of(Clock clk) const { return static_cast<std::size_t>(clk) & ring_mask_; }

  DramConfig config_;
  RuleBook rules_;
  ViolationLog violations_;
  BurstStore store_;
  BitErrors errors_;
  CommandLog* log_ = nullptr;
  Clock now_ = 0;
  RowBus row_bus_;
  std::array<std::optional<PcChecker>, kChannelPcs> checkers_;
  std::size_t ring_mask_;
  std::array<std::vector<Read>, kChannelPcs> reads_;    // by the clock of their data
  std::array<std::vector<Write>, kChannelPcs> writes_;  // by the clock of their data
  Statistics statistics_;
};

}  // namespace tepin::tb::dram
