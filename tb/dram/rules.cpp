// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/rules.h"

namespace tepin::tb::dram {

namespace {

using T = DramTiming;

template <typename... K>
constexpr unsigned any(K... k) {
  return ((1U << index_of(k)) | ...);
}
constexpr unsigned kRow = any(Kind::kAct, Kind::kRefPb, Kind::kRfmPb);
constexpr unsigned kWholePc = any(Kind::kRefAb, Kind::kRfmAb, Kind::kSelfEnter);
constexpr unsigned kEverything = kRow | kWholePc | any(Kind::kPre, Kind::kRd, Kind::kWr);

Span after_write(const T& t, int distance) { return {t.wl + 1 + distance}; }

// A command on a whole pseudo-channel is checked against each of its banks.
const RuleSpec kRules[] = {
    {"tRCDRD", Kind::kAct, any(Kind::kRd), Scope::kBank, [](const T& t) { return Span{t.trcd_rd}; }},
    {"tRCDWR", Kind::kAct, any(Kind::kWr), Scope::kBank, [](const T& t) { return Span{t.trcd_wr}; }},
    {"tRAS", Kind::kAct, any(Kind::kPre), Scope::kBank, [](const T& t) { return t.tras; }},
    {"tRC", Kind::kAct, kRow | kWholePc, Scope::kBank, [](const T& t) { return t.trc; }},
    {"tRP", Kind::kPre, kRow | kWholePc, Scope::kBank, [](const T& t) { return t.trp; }},
    {"tRRDL", Kind::kAct, kRow, Scope::kGroupOtherBank, [](const T& t) { return t.trrd_l; }},
    {"tRRDS", Kind::kAct, kRow, Scope::kOtherGroup, [](const T& t) { return t.trrd_s; }},
    {"tCCDL", Kind::kRd, any(Kind::kRd), Scope::kGroup, [](const T& t) { return Span{t.tccd_l}; }},
    {"tCCDS", Kind::kRd, any(Kind::kRd), Scope::kOtherGroup, [](const T& t) { return Span{t.tccd_s}; }},
    {"tCCDR", Kind::kRd, any(Kind::kRd), Scope::kOtherSid, [](const T& t) { return Span{t.tccd_r}; }},
    {"tCCDL", Kind::kWr, any(Kind::kWr), Scope::kGroup, [](const T& t) { return Span{t.tccd_l}; }},
    {"tCCDS", Kind::kWr, any(Kind::kWr), Scope::kOtherGroup, [](const T& t) { return Span{t.tccd_s}; }},
    {"tWTRL", Kind::kWr, any(Kind::kRd), Scope::kGroup, [](const T& t) { return after_write(t, t.twtr_l); }},
    {"tWTRS", Kind::kWr, any(Kind::kRd), Scope::kOtherGroup, [](const T& t) { return after_write(t, t.twtr_s); }},
    {"tRTW", Kind::kRd, any(Kind::kWr), Scope::kPc, [](const T& t) { return Span{t.trtw}; }},
    {"tRTP", Kind::kRd, any(Kind::kPre), Scope::kBank, [](const T& t) { return Span{t.trtp}; }},
    {"tWR", Kind::kWr, any(Kind::kPre), Scope::kBank, [](const T& t) { return after_write(t, t.twr); }},
    {"tRFCpb", Kind::kRefPb, kRow | kWholePc, Scope::kBank, [](const T& t) { return t.trfc_pb; }},
    {"tRFMpb", Kind::kRfmPb, kRow | kWholePc, Scope::kBank, [](const T& t) { return t.trfm_pb; }},
    {"tRREFD", Kind::kRefPb, kRow, Scope::kOtherBank, [](const T& t) { return t.trrefd; }},
    {"tRREFD", Kind::kRfmPb, kRow, Scope::kOtherBank, [](const T& t) { return t.trrefd; }},
    {"tRFCab", Kind::kRefAb, kRow | kWholePc, Scope::kPc, [](const T& t) { return t.trfc_ab; }},
    {"tRFMab", Kind::kRfmAb, kRow | kWholePc, Scope::kPc, [](const T& t) { return t.trfm_ab; }},
    {"tXS", Kind::kSelfExit, kEverything, Scope::kPc, [](const T& t) { return Span{t.txs}; }},
};

}  // namespace

std::span<const RuleSpec> pairwise_rules() { return kRules; }

RuleBook::RuleBook(const DramTiming& timing, bool strict_half_ck) {
  for (const RuleSpec& s : kRules) {
    Span need = s.distance(timing);
    if (!strict_half_ck) need.half = 0;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
      if ((s.next >> k & 1) != 0) rules_[k].push_back({s.name, s.first, s.scope, need});
    }
  }
}

}  // namespace tepin::tb::dram
