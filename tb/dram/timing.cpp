// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tepin::tb::dram {

namespace {
int ceil_div(int a, int b) { return (a + b - 1) / b; }
}  // namespace

DramOrganisation DramOrganisation::of(int sids) {
  if (sids < 1 || sids > kMaxSids) throw std::invalid_argument(fmt::format("{} SIDs; 1 to {} allowed", sids, kMaxSids));
  return {.sids = sids, .rows = sids == 3 ? 12288 : 16384};
}

DramTiming DramTiming::of(int mbps, int sids) {
  if (mbps != 8000 && mbps != 10000) {
    throw std::invalid_argument(fmt::format("speed {} Mb/s; 8000 and 10000 allowed", mbps));
  }
  const int clk_ps = 8'000'000 / mbps, half_ps = clk_ps / 4;
  const auto clocks = [&](int ps) { return ceil_div(ps, clk_ps); };
  const auto span = [&](int ps) { return Span{ceil_div(ps, clk_ps), ceil_div(ps, half_ps)}; };
  const int trfc_ab_ps = sids == 3 ? 530'000 : 450'000;

  DramTiming t;
  t.trcd_rd = clocks(19'500);
  t.trcd_wr = clocks(9'500);
  t.trp = span(16'500);
  t.tras = span(28'500);
  t.trc = span(45'000);
  t.trrd_s = span(2'500);
  t.trrd_l = span(3'500);
  t.tfaw = span(15'000);
  t.trtp = clocks(6'000);
  t.twr = clocks(21'000);
  t.twtr_s = clocks(4'500);
  t.twtr_l = clocks(6'500);
  t.trtw = clocks(12'500);
  t.rl = clocks(10'000);
  t.wl = clocks(5'000);
  t.trfc_pb = t.trfm_pb = span(280'000);
  t.trrefd = span(8'000);
  t.trfc_ab = t.trfm_ab = span(trfc_ab_ps);
  t.txs = clocks(trfc_ab_ps + 10'000);
  t.trefi = clocks(3'900'000);
  t.tras_max = 9 * t.trefi;
  t.tinit = clocks(200'000'000);
  return t;
}

int DramTiming::refresh_interval() const {
  if (!(refresh_rate > 0)) throw std::invalid_argument(fmt::format("refresh rate {}; must be above 0", refresh_rate));
  return std::max(1, static_cast<int>(trefi / refresh_rate));
}

}  // namespace tepin::tb::dram
