// SPDX-License-Identifier: Apache-2.0
// What a channel of HBM4 is made of and how far apart its commands must stand: every value a field, with named speeds.
// The values are second-hand (no datasheet is public); docs/hbm.md says where they come from.
#pragma once

#include <cstdint>

namespace tepin::tb::dram {

using Clock = std::int64_t;  // controller clocks (2 CK) since construction

/// A least distance in controller clocks and, where both commands stand on the row bus, also in half-CK. half 0: none.
struct Span {
  int clk = 0;
  int half = 0;
};

/// One pseudo-channel: banks are {SID, BG, BA}, a row is 32 columns of 32 bytes.
struct DramOrganisation {
  static constexpr int kBankGroups = 2, kBanksPerGroup = 8, kColumns = 32, kMaxSids = 4;
  static constexpr int kBanksPerSid = kBankGroups * kBanksPerGroup;
  static constexpr int kMaxBanks = kMaxSids * kBanksPerSid;

  int sids = 2;
  int rows = 16384;

  /// 1..4 SIDs; 3 (a 12-high stack of 24 Gb dies) have 12,288 rows a bank, the others 16,384.
  /// Throws std::invalid_argument beyond.
  [[nodiscard]] static DramOrganisation of(int sids);
  [[nodiscard]] int banks() const { return sids * kBanksPerSid; }
};

/// Distances from the clock of the first command to that of the second. Defaults: 8 Gb/s, not 12-high.
struct DramTiming {
  int trcd_rd = 20, trcd_wr = 10;
  Span trp{17, 66}, tras{29, 114}, trc{45, 180};
  Span trrd_s{3, 10}, trrd_l{4, 14}, tfaw{15, 60};
  int tccd_s = 1, tccd_l = 2, tccd_r = 2;  // r: reads of different SIDs
  int trtp = 6, twr = 21;                 // twr, twtr: from the end of the write burst, WL + 1 clocks after the command
  int twtr_s = 5, twtr_l = 7, trtw = 13;  // trtw: from command to command
  int rl = 10, wl = 5;
  Span trfc_pb{280, 1120}, trfm_pb{280, 1120}, trrefd{8, 32};
  Span trfc_ab{450, 1800}, trfm_ab{450, 1800};
  int txs = 460;            // self refresh exit to any command
  int trefi = 3900;         // each bank once in it, at refresh rate 1
  int tras_max = 9 * 3900;  // longest time a row may be open; does not follow the temperature
  Clock tinit = 200'000;    // first command after construction or reset
  double refresh_rate = 1;  // temperature: 4 (hot) .. 0.25 (cold)
  int max_postponed = 8;    // refreshes of a bank that may be owed
  int max_pulled_in = 8;    // and given ahead
  int raaimt = 64;          // activations an RFM takes off a bank's count
  int raa_refresh = 64;     // activations a refresh takes off it
  int raammt = 256;         // the most it may reach

  /// The values of a named speed: 8000 or 10000 Mb/s a pin; 3 SIDs take the 12-high tRFCab.
  /// Throws std::invalid_argument for another speed.
  [[nodiscard]] static DramTiming of(int mbps, int sids = 2);
  /// Clocks between two refreshes of a bank: floor(trefi / refresh_rate).
  [[nodiscard]] int refresh_interval() const;
};

}  // namespace tepin::tb::dram
