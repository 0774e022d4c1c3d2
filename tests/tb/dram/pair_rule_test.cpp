// SPDX-License-Identifier: Apache-2.0
// Every distance between two commands: legal at exactly its clocks, caught one clock earlier. The clocks are written
// out here as they stand in the timing table.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "bench.h"

namespace tepin::tb::dram::testing {
namespace {

enum class Op { kAct, kPre, kPreA, kRefPb, kRefAb, kRfmPb, kRfmAb, kEnter, kExit, kRd, kRda, kWr, kWra };
struct Step {
  int at;  // clocks after the first command of the pair
  Op op;
  Bank bank{};
};
struct Case {
  const char* label;
  const char* rule;
  std::vector<Step> around;  // what else is needed
  Step first, next;          // next.at is not used
  int gap8, gap10;           // from first to next, at 8 and 10 Gb/s
  // An auto precharge is the rule's first command, so many clocks after the column command.
  int implied8 = 0, implied10 = 0;
  std::function<void(DramTiming&)> tweak = {};
  int sids = 2;
};
std::ostream& operator<<(std::ostream& os, const Case& c) { return os << c.label; }

constexpr Bank kA{0, 0, 0}, kSameGroup{0, 0, 1}, kOtherGroup{0, 1, 0}, kSameGroup2{0, 0, 2}, kOtherGroup2{0, 1, 1},
    kOtherSid{1, 0, 0}, kOtherSid2{1, 1, 3};

void issue(Bench& b, const Step& s, int pc) {
  switch (s.op) {
    case Op::kRd:
    case Op::kRda:
      return b.read(s.bank, 0, pc, s.op == Op::kRda);
    case Op::kWr:
    case Op::kWra:
      return b.write(s.bank, 0, {}, pc, s.op == Op::kWra);
    default:
      break;
  }
  static constexpr RowOp kOps[] = {RowOp::kAct,   RowOp::kPre,   RowOp::kPreA,      RowOp::kRefPb,   RowOp::kRefAb,
                                   RowOp::kRfmPb, RowOp::kRfmAb, RowOp::kSelfEnter, RowOp::kSelfExit};
  b.row(kOps[static_cast<std::size_t>(s.op)], s.bank, 0, 0, pc);
}

class PairRule : public ::testing::TestWithParam<Case> {
 protected:
  /// The violations of a run in which the pair stands `gap` clocks apart.
  static std::vector<Violation> violations(int mbps, int pc, int gap) {
    const Case& c = GetParam();
    DramConfig config = ready_config(mbps, c.sids);
    if (c.tweak) c.tweak(config.timing);
    Bench b(config);
    constexpr Clock kStart = 1000;
    std::vector<Step> steps = c.around;
    steps.push_back(c.first);
    steps.push_back(c.next);
    steps.back().at = gap;
    std::stable_sort(steps.begin(), steps.end(), [](const Step& x, const Step& y) { return x.at < y.at; });
    for (const Step& s : steps) {
      b.to(kStart + s.at);
      issue(b, s, pc);
    }
    b.after(60);
    return b.device.violations();
  }
};

TEST_P(PairRule, HoldsAtItsDistanceAndIsBrokenOneClockEarlier) {
  const Case& c = GetParam();
  for (const int mbps : {8000, 10000}) {
    for (const int pc : {0, 1}) {
      const int gap = mbps == 8000 ? c.gap8 : c.gap10, implied = mbps == 8000 ? c.implied8 : c.implied10;
      for (const Violation& v : violations(mbps, pc, gap)) ADD_FAILURE() << mbps << ": " << to_string(v);
      const auto broken = violations(mbps, pc, gap - 1);
      ASSERT_EQ(broken.size(), 1U) << mbps << " " << (broken.empty() ? "" : to_string(broken[1]));
      EXPECT_EQ(broken[0].rule, c.rule) << to_string(broken[0]);
      EXPECT_EQ(broken[0].clk, 1000 + gap - 1);
      EXPECT_EQ(broken[0].pc, pc);
      EXPECT_EQ(broken[0].expected, gap - implied) << to_string(broken[0]);
      EXPECT_EQ(broken[0].actual, gap - implied - 1);
      EXPECT_EQ(broken[0].unit, Unit::kClocks);
    }
  }
}

const auto kLongTrc = [](DramTiming& t) { t.trc = {90, 360}; };
const Step kOpenA{-100, Op::kAct, kA};
const Step kOpenB{-90, Op::kAct, kOtherGroup};
const Step kOpenS{-80, Op::kAct, kOtherSid};
const Step kOpenS2{-70, Op::kAct, kOtherSid2};
const Step kOpenA2{-60, Op::kAct, kSameGroup};

INSTANTIATE_TEST_SUITE_P(
    Bank, PairRule,
    ::testing::Values(
        Case{"tRCDRD", "tRCDRD", {}, {0, Op::kAct, kA}, {0, Op::kRd, kA}, 20, 25},
        Case{"tRCDRDA", "tRCDRD", {}, {0, Op::kAct, kA}, {0, Op::kRda, kA}, 20, 25},
        Case{"tRCDWR", "tRCDWR", {}, {0, Op::kAct, kA}, {0, Op::kWr, kA}, 10, 12},
        Case{"tRAS", "tRAS", {}, {0, Op::kAct, kA}, {0, Op::kPre, kA}, 29, 36},
        Case{"tRASbeforePREA", "tRAS", {kOpenB}, {0, Op::kAct, kA}, {0, Op::kPreA}, 29, 36},
        Case{"tRC", "tRC", {{40, Op::kPre, kA}}, {0, Op::kAct, kA}, {0, Op::kAct, kA}, 90, 90, 0, 0, kLongTrc},
        Case{"tRCREFpb", "tRC", {{40, Op::kPre, kA}}, {0, Op::kAct, kA}, {0, Op::kRefPb, kA}, 90, 90, 0, 0, kLongTrc},
        Case{"tRCREFab", "tRC", {{40, Op::kPre, kA}}, {0, Op::kAct, kA}, {0, Op::kRefAb}, 90, 90, 0, 0, kLongTrc},
        Case{"tRP", "tRP", {kOpenA}, {0, Op::kPre, kA}, {0, Op::kAct, kA}, 17, 21},
        Case{"tRPafterPREA", "tRP", {kOpenA}, {0, Op::kPreA}, {0, Op::kAct, kA}, 17, 21},
        Case{"tRPREFpb", "tRP", {kOpenA}, {0, Op::kPre, kA}, {0, Op::kRefPb, kA}, 17, 21},
        Case{"tRPRFMpb", "tRP", {kOpenA}, {0, Op::kPre, kA}, {0, Op::kRfmPb, kA}, 17, 21},
        Case{"tRPREFab", "tRP", {kOpenA}, {0, Op::kPre, kA}, {0, Op::kRefAb}, 17, 21},
        Case{"tRPRFMab", "tRP", {kOpenA}, {0, Op::kPre, kA}, {0, Op::kRfmAb}, 17, 21},
        Case{"tRPSelfEnter", "tRP", {kOpenA}, {0, Op::kPre, kA}, {0, Op::kEnter}, 17, 21},
        Case{"tRTP", "tRTP", {kOpenA}, {0, Op::kRd, kA}, {0, Op::kPre, kA}, 6, 8},
        Case{"tRTPbeforePREA", "tRTP", {kOpenA}, {0, Op::kRd, kA}, {0, Op::kPreA}, 6, 8},
        Case{"tWR", "tWR", {kOpenA}, {0, Op::kWr, kA}, {0, Op::kPre, kA}, 27, 35},
        Case{"RDAthenACT", "tRP", {kOpenA}, {0, Op::kRda, kA}, {0, Op::kAct, kA}, 23, 29, 6, 8},
        Case{"RDAthenREFpb", "tRP", {kOpenA}, {0, Op::kRda, kA}, {0, Op::kRefPb, kA}, 23, 29, 6, 8},
        Case{"RDAwaitsForTRAS",
             "tRP",
             {{-26, Op::kAct, kA}},
             {0, Op::kRda, kA},
             {0, Op::kAct, kA},
             23,
             31,
             6,
             10,
             [](DramTiming& t) {
               t.trc = {1, 1};
             }},
        Case{"WRAthenACT", "tRP", {kOpenA}, {0, Op::kWra, kA}, {0, Op::kAct, kA}, 44, 56, 27, 35}),
    [](const auto& info) { return info.param.label; });

INSTANTIATE_TEST_SUITE_P(
    BetweenBanks, PairRule,
    ::testing::Values(
        Case{"tRRDL", "tRRDL", {}, {0, Op::kAct, kA}, {0, Op::kAct, kSameGroup}, 4, 5},
        Case{"tRRDLREFpb", "tRRDL", {}, {0, Op::kAct, kA}, {0, Op::kRefPb, kSameGroup}, 4, 5},
        Case{"tRRDS", "tRRDS", {}, {0, Op::kAct, kA}, {0, Op::kAct, kOtherGroup}, 3, 4},
        Case{"tRRDSotherSid", "tRRDS", {}, {0, Op::kAct, kA}, {0, Op::kAct, kOtherSid}, 3, 4},
        Case{"tRRDSRFMpb", "tRRDS", {}, {0, Op::kAct, kA}, {0, Op::kRfmPb, kOtherGroup}, 3, 4},
        Case{"tFAW",
             "tFAW",
             {{4, Op::kAct, kOtherGroup}, {8, Op::kAct, kSameGroup}, {12, Op::kAct, kOtherGroup2}},
             {0, Op::kAct, kA},
             {0, Op::kAct, kSameGroup2},
             18,
             19,
             0,
             0,
             [](DramTiming& t) {
               if (t.tfaw.clk == 15) t.tfaw = {18, 72};
             }},
        Case{"tFAWat8",
             "tFAW",
             {{3, Op::kAct, kOtherGroup}, {6, Op::kAct, kSameGroup}, {9, Op::kAct, kOtherGroup2}},
             {0, Op::kAct, kA},
             {0, Op::kAct, kOtherSid},
             15,
             15,
             0,
             0,
             [](DramTiming& t) {
               t.tfaw = {15, 60};
               t.trrd_s = {3, 10};
             }},
        Case{"tCCDL", "tCCDL", {kOpenA}, {0, Op::kRd, kA}, {0, Op::kRd, kA}, 2, 2},
        Case{"tCCDLotherBank", "tCCDL", {kOpenA, kOpenA2}, {0, Op::kRd, kA}, {0, Op::kRda, kSameGroup}, 2, 2},
        Case{"tCCDLwrites", "tCCDL", {kOpenA, kOpenA2}, {0, Op::kWr, kA}, {0, Op::kWr, kSameGroup}, 2, 2},
        Case{"tCCDS",
             "tCCDS",
             {kOpenA, kOpenB},
             {0, Op::kRd, kA},
             {0, Op::kRd, kOtherGroup},
             4,
             4,
             0,
             0,
             [](DramTiming& t) { t.tccd_s = 4; }},
        Case{"tCCDSwrites",
             "tCCDS",
             {kOpenA, kOpenS},
             {0, Op::kWr, kA},
             {0, Op::kWr, kOtherSid},
             4,
             4,
             0,
             0,
             [](DramTiming& t) { t.tccd_s = 4; }},
        Case{"tCCDR", "tCCDR", {kOpenA, kOpenS}, {0, Op::kRd, kA}, {0, Op::kRd, kOtherSid}, 2, 2},
        Case{"tCCDRotherGroup", "tCCDR", {kOpenA, kOpenS2}, {0, Op::kRd, kA}, {0, Op::kRd, kOtherSid2}, 2, 2},
        Case{"tWTRL", "tWTRL", {kOpenA}, {0, Op::kWr, kA}, {0, Op::kRd, kA}, 13, 17},
        Case{"tWTRLotherBank", "tWTRL", {kOpenA, kOpenA2}, {0, Op::kWr, kA}, {0, Op::kRd, kSameGroup}, 13, 17},
        Case{"tWTRS", "tWTRS", {kOpenA, kOpenB}, {0, Op::kWr, kA}, {0, Op::kRd, kOtherGroup}, 11, 14},
        Case{"tWTRSotherSid", "tWTRS", {kOpenA, kOpenS}, {0, Op::kWr, kA}, {0, Op::kRd, kOtherSid}, 11, 14},
        Case{"tRTW", "tRTW", {kOpenA, kOpenB}, {0, Op::kRd, kA}, {0, Op::kWr, kOtherGroup}, 13, 16},
        Case{"tRTWotherSid", "tRTW", {kOpenA, kOpenS}, {0, Op::kRda, kA}, {0, Op::kWra, kOtherSid}, 13, 16},
        Case{"DataBus",
             "data bus",
             {kOpenA, kOpenB},
             {0, Op::kRd, kA},
             {0, Op::kWr, kOtherGroup},
             6,
             7,
             0,
             0,
             [](DramTiming& t) { t.trtw = 0; }},
        Case{"DataBusReadAfterWrite",
             "data bus",
             {kOpenA, kOpenB},
             {0, Op::kWr, kA},
             {0, Op::kRd, kOtherGroup},
             16,
             16,
             0,
             0,
             [](DramTiming& t) { t.wl = 20, t.rl = 5, t.twtr_s = t.twtr_l = -21; }}),
    [](const auto& info) { return info.param.label; });

INSTANTIATE_TEST_SUITE_P(
    Refresh, PairRule,
    ::testing::Values(
        Case{"tRFCpbACT", "tRFCpb", {}, {0, Op::kRefPb, kA}, {0, Op::kAct, kA}, 280, 350},
        Case{"tRFCpbREFpb", "tRFCpb", {}, {0, Op::kRefPb, kA}, {0, Op::kRefPb, kA}, 280, 350},
        Case{"tRFCpbRFMpb", "tRFCpb", {}, {0, Op::kRefPb, kA}, {0, Op::kRfmPb, kA}, 280, 350},
        Case{"tRFCpbREFab", "tRFCpb", {}, {0, Op::kRefPb, kOtherSid}, {0, Op::kRefAb}, 280, 350},
        Case{"tRFCpbSelfEnter", "tRFCpb", {}, {0, Op::kRefPb, kA}, {0, Op::kEnter}, 280, 350},
        Case{"tRFMpbACT", "tRFMpb", {}, {0, Op::kRfmPb, kA}, {0, Op::kAct, kA}, 280, 350},
        Case{"tRFMpbREFpb", "tRFMpb", {}, {0, Op::kRfmPb, kA}, {0, Op::kRefPb, kA}, 280, 350},
        Case{"tRFMpbRFMab", "tRFMpb", {}, {0, Op::kRfmPb, kA}, {0, Op::kRfmAb}, 280, 350},
        Case{"tRREFDACT", "tRREFD", {}, {0, Op::kRefPb, kA}, {0, Op::kAct, kSameGroup}, 8, 10},
        Case{"tRREFDREFpb", "tRREFD", {}, {0, Op::kRefPb, kA}, {0, Op::kRefPb, kOtherSid}, 8, 10},
        Case{"tRREFDRFMpb", "tRREFD", {}, {0, Op::kRfmPb, kA}, {0, Op::kRfmPb, kOtherGroup}, 8, 10},
        Case{"tRREFDRFMthenACT", "tRREFD", {}, {0, Op::kRfmPb, kA}, {0, Op::kAct, kOtherGroup}, 8, 10},
        Case{"tRFCabACT", "tRFCab", {}, {0, Op::kRefAb}, {0, Op::kAct, kA}, 450, 563},
        Case{"tRFCabREFpb", "tRFCab", {}, {0, Op::kRefAb}, {0, Op::kRefPb, kOtherSid}, 450, 563},
        Case{"tRFCabREFab", "tRFCab", {}, {0, Op::kRefAb}, {0, Op::kRefAb}, 450, 563},
        Case{"tRFCabSelfEnter", "tRFCab", {}, {0, Op::kRefAb}, {0, Op::kEnter}, 450, 563},
        Case{"tRFCab12High", "tRFCab", {}, {0, Op::kRefAb}, {0, Op::kAct, kA}, 530, 663, 0, 0, {}, 3},
        Case{"tRFMab", "tRFMab", {}, {0, Op::kRfmAb}, {0, Op::kAct, kA}, 450, 563},
        Case{"tRFMabREFab", "tRFMab", {}, {0, Op::kRfmAb}, {0, Op::kRefAb}, 450, 563},
        Case{"tXSACT", "tXS", {{-100, Op::kEnter}}, {0, Op::kExit}, {0, Op::kAct, kA}, 460, 575},
        Case{"tXSREFab", "tXS", {{-100, Op::kEnter}}, {0, Op::kExit}, {0, Op::kRefAb}, 460, 575},
        Case{"tXSPREA", "tXS", {{-100, Op::kEnter}}, {0, Op::kExit}, {0, Op::kPreA}, 460, 575},
        Case{"tXSSelfEnter", "tXS", {{-100, Op::kEnter}}, {0, Op::kExit}, {0, Op::kEnter}, 460, 575},
        Case{"tXS12High", "tXS", {{-100, Op::kEnter}}, {0, Op::kExit}, {0, Op::kAct, kA}, 540, 675, 0, 0, {}, 3}),
    [](const auto& info) { return info.param.label; });

TEST(PairRules, WritesOfDifferentSidsMayFollowClockByClock) {
  Bench b;
  b.act(kA);
  b.after(10);
  b.act(kOtherSid);
  b.after(10);
  b.write(kA);
  b.tick();
  b.write(kOtherSid);
  b.after(20);
  EXPECT_EQ(b.lines(), "");
}

TEST(PairRules, DoNotReachAcrossPseudoChannels) {
  Bench b;
  b.row(RowOp::kRefPb, kA, 0, 0, 1);
  b.after(1);
  for (const int pc : {0, 1}) b.act(kOtherGroup, 0, 0, pc), b.after(10);
  b.after(20);
  b.read(kOtherGroup, 0, 0);
  b.write(kOtherGroup, 0, {}, 1);
  b.after(1);
  b.row(RowOp::kPreA, {}, 0, 0, 1);  // too early for the write of PC1 alone
  b.after(20);
  EXPECT_EQ(b.rules(), std::vector<std::string>{"tWR"}) << b.lines();
  EXPECT_EQ(b.device.violations()[0].pc, 1);
}

}  // namespace
}  // namespace tepin::tb::dram::testing
