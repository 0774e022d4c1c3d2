// SPDX-License-Identifier: Apache-2.0
// Nobody waits for ever: the longest wait of any read and of any write while other traffic presses as hard as the ports
// allow. Traces cannot show it, since their masters wait for reads before they write on. A read's wait goes from AR
// offered to its last beat, a write's from its data taken to its column command; what still waits at the end counts.
#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <unordered_map>

#include "tests/tb/hbm/channel_support.h"

namespace tepin::tb::hbm {
namespace {

constexpr std::uint32_t kFull = ~0U;
constexpr std::uint64_t kNever = ~0ULL;

/// Reads of one kind, at most `open` at a time.
struct Reads {
  enum Kind { kNone, kStream, kRandom, kOneBank, kSame } kind = kNone;
  std::uint32_t beats = 8, open = 200;
};
/// Writes of one burst each, offered in `percent` of the clocks, `total` in all.
struct Writes {
  enum Kind { kNone, kStream, kRandom, kOneBank, kSame } kind = kNone;
  std::uint32_t strobes = kFull, percent = 100;
  std::uint64_t total = kNever;
};
struct Waits {
  std::uint64_t read = 0, write = 0;      // the longest, clocks
  std::uint64_t beats = 0, commands = 0;  // read beats; write commands
};

/// An address of bank 0, row by row at random.
std::uint32_t one_bank(Rng& rng) {
  static const std::vector<std::uint32_t> rows = [] {
    std::vector<std::uint32_t> found;
    const AddressMap map(2);
    const auto first = place_of(0, 0, map);
    for (std::uint32_t a = 0; a < 128U << 20; a += 16384)
      for (std::uint32_t b = 0; b < 16384; b += 256) {
        const auto p = place_of(0, a + b, map);
        if (p.sid == first.sid && p.bg == first.bg && p.ba == first.ba) {
          found.push_back(a + b);
          break;
        }
      }
    return found;
  }();
  return rows.at(rng.below(rows.size()));
}

class Stress {
 public:
  Stress(Channel& channel, Reads reads, Writes writes) : channel_(channel), reads_(reads), writes_(writes) {
    channel_.each_clock = [this](const HbmDut& dut) { watch(dut); };
    in().r_ready = in().b_ready = true;
    in().ar_id = 1;
    in().ar_len = static_cast<std::uint8_t>(reads.beats - 1);
    in().aw_id = 2;
    in().aw_len = 0;
    in().w_last = true;
    in().w_strb = writes.strobes;
  }
  ~Stress() { channel_.each_clock = nullptr; }
  Stress(const Stress&) = delete;
  Stress& operator=(const Stress&) = delete;

  Waits run(std::uint64_t clocks) {
    for (const std::uint64_t end = now_ + clocks; now_ != end;) clock();
    Waits w = waits_;
    if (!reads_open_.empty()) w.read = std::max(w.read, now_ - reads_open_.front());
    for (const auto& [burst, since] : waiting_) w.write = std::max(w.write, now_ - since);
    return w;
  }

 private:
  AxiIn& in() { return channel_.system.dut().in.axi[0]; }
  const AxiOut& out() { return channel_.system.dut().out.axi[0]; }

  std::uint32_t read_address() {
    switch (reads_.kind) {
      case Reads::kRandom:
        return rng_.below((64U << 20) / (32 * reads_.beats)) * 32 * reads_.beats;
      case Reads::kOneBank:
        return one_bank(rng_);
      case Reads::kSame:
        return 0x8000000;
      default:
        return stream_read_ = (stream_read_ + 32 * reads_.beats) % (64U << 20);
    }
  }
  std::uint32_t write_address() {
    constexpr std::uint32_t kBase = 128U << 20;
    switch (writes_.kind) {
      case Writes::kRandom:
        return kBase + rng_.below(1U << 21) * 32;
      case Writes::kOneBank:
        return kBase + one_bank(rng_);
      case Writes::kSame:
        return kBase;
      default:
        return kBase + (stream_write_ = (stream_write_ + 32) % (64U << 20));
    }
  }
  void clock() {
    AxiIn& i = in();
    if (!i.ar_valid && reads_.kind != Reads::kNone && reads_open_.size() < reads_.open) {
      i.ar_valid = true;
      i.ar_addr = read_address();
      reads_open_.push_back(now_);
    }
    if (!i.w_valid && writes_.kind != Writes::kNone && made_ < writes_.total && rng_.below(100) < writes_.percent) {
      ++made_;
      i.w_valid = true;
      i.w_data = pattern_;
      addresses_.push_back(write_address());
      offered_.push_back(addresses_.back());
    }
    if (!i.aw_valid && !addresses_.empty()) {
      i.aw_valid = true;
      i.aw_addr = addresses_.front();
      addresses_.pop_front();
    }
    const bool ar = i.ar_valid && out().ar_ready, aw = i.aw_valid && out().aw_ready, w = i.w_valid && out().w_ready;
    const bool last = out().r_valid && out().r_last;
    waits_.beats += out().r_valid;
    channel_.clock();
    ++now_;
    if (ar) i.ar_valid = false;
    if (aw) i.aw_valid = false;
    if (w) {
      i.w_valid = false;
      waiting_.try_emplace(key(place_of(0, offered_.front(), AddressMap(2))), now_);
      offered_.pop_front();
    }
    if (last) {
      waits_.read = std::max(waits_.read, now_ - reads_open_.front());
      reads_open_.pop_front();
    }
  }
  static std::uint64_t key(const dram::BurstAddress& p) {
    return ((static_cast<std::uint64_t>(p.sid) * 16 + static_cast<std::uint64_t>(p.bg) * 8 +
             static_cast<std::uint64_t>(p.ba))
            << 32) |
           static_cast<std::uint64_t>(p.row) << 8 | static_cast<std::uint64_t>(p.col);
  }
  void watch(const HbmDut& dut) {
    for (const auto& r : dut.out.dfi.row)
      if (r.pc == 0 && r.op == dram::RowOp::kAct) rows_[bank_of(r)] = r.row;
    const auto& col = dut.out.dfi.col[0];
    if (!col.valid || !col.write) return;
    ++waits_.commands;
    const auto it =
        waiting_.find((static_cast<std::uint64_t>(bank_of(col)) << 32) |
                      static_cast<std::uint64_t>(rows_[bank_of(col)]) << 8 | static_cast<std::uint64_t>(col.col));
    if (it == waiting_.end()) return;  // a rewrite of a corrected burst
    waits_.write = std::max(waits_.write, now_ - it->second);
    waiting_.erase(it);
  }
  template <typename Command>
  static std::size_t bank_of(const Command& c) {
    return static_cast<std::size_t>(c.sid) * 16 + static_cast<std::size_t>(c.bg) * 8 + static_cast<std::size_t>(c.ba);
  }

  Channel& channel_;
  Reads reads_;
  Writes writes_;
  Rng rng_{11};
  Word pattern_{1, 2, 3, 4, 5, 6, 7, 8};
  Waits waits_;
  std::uint64_t now_ = 0, made_ = 0;
  std::uint32_t stream_read_ = 0, stream_write_ = 0;
  std::deque<std::uint64_t> reads_open_;                      // when each was offered
  std::deque<std::uint32_t> addresses_, offered_;             // of writes not yet offered on AW; of data not yet taken
  std::unordered_map<std::uint64_t, std::uint64_t> waiting_;  // bursts to be written, since when
  std::array<int, 64> rows_{};
};

struct Case {
  const char* name;
  Reads reads;
  Writes writes;
  // Bounds of the longest waits in clocks; least share of the clocks with a burst.
  std::uint64_t read, write;
  double busy;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }
using R = Reads;
using W = Writes;
constexpr std::uint32_t kSome = 0x0000ffff;
// A phase of either direction takes up to 640 clocks beside reads (DRAIN.longest 160), reads age after 512, writes
// after 8,192 clocks (SCHED.age 15). One bank serves a row in about 50 clocks: 64 requests in front are 3,200.
const std::vector<Case> kCases{
    {"SequentialWritesBesideOneRead", {R::kRandom, 1, 1}, {W::kStream, kFull}, 700, 1500, .65},
    {"SequentialWritesNowAndThenBesideOneRead", {R::kRandom, 1, 1}, {W::kStream, kFull, 95}, 700, 1500, .65},
    {"RandomWritesBesideOneRead", {R::kRandom, 1, 1}, {W::kRandom, kFull}, 1000, 9000, .15},
    {"PartialWritesBesideOneRead", {R::kRandom, 1, 1}, {W::kStream, kSome}, 1000, 9000, .4},
    {"RandomPartialWritesBesideOneRead", {R::kRandom, 1, 1}, {W::kRandom, kSome}, 1000, 9000, .05},
    {"WritesOfOneBankBesideOneRead", {R::kRandom, 1, 1}, {W::kOneBank, kFull}, 1500, 9000, 0},
    {"StreamsOfBoth", {R::kStream, 8}, {W::kStream, kFull}, 1500, 1500, .85},
    {"RandomReadsAndWrites", {R::kRandom, 1}, {W::kRandom, kFull}, 4000, 9000, .15},
    {"RandomReadsAndPartialWrites", {R::kRandom, 1}, {W::kRandom, kSome}, 5000, 9000, .1},
    {"OneBankReadAndWritten", {R::kOneBank, 1, 16}, {W::kOneBank, kFull}, 4000, 9000, 0},
    {"AStreamOfReadsAndOneWrite", {R::kStream, 8}, {W::kStream, kFull, 100, 1}, 1000, 9000, .97},
    {"AStreamOfReadsAndAsManyWritesAsStayBelowTheLowMark", {R::kStream, 8}, {W::kRandom, kFull, 1, 8}, 1000, 9000, .97},
    {"AStreamOfReadsAndFewWrites", {R::kStream, 8}, {W::kRandom, kFull, 1}, 1000, 9000, .85},
    {"AStreamOfReadsAndPartialWrites", {R::kStream, 8}, {W::kStream, kSome, 10}, 1000, 9000, .85},
    {"AMailboxWrittenAgainAndAgain", {R::kSame, 1, 1}, {W::kSame, kFull}, 700, 1500, 0},
    {"AMailboxWrittenBesideManyReaders", {R::kSame, 1}, {W::kSame, kSome, 50}, 3000, 9000, 0},
};

class HbmWaits : public testing::TestWithParam<Case> {};

TEST_P(HbmWaits, AreBounded) {
  HbmSystemOptions options;
  options.throw_at_first = true;
  Channel channel(options);
  const Case& c = GetParam();
  constexpr std::uint64_t kClocks = 60'000;
  const Waits w = Stress(channel, c.reads, c.writes).run(kClocks);
  RecordProperty("read", static_cast<int>(w.read));
  RecordProperty("write", static_cast<int>(w.write));
  EXPECT_LE(w.read, c.read);
  EXPECT_LE(w.write, c.write);
  EXPECT_GE(w.commands, std::min<std::uint64_t>(c.writes.total, 50));
  EXPECT_GE(w.beats, 50U);
  EXPECT_GE(static_cast<double>(w.beats + w.commands) / kClocks, c.busy);
}
INSTANTIATE_TEST_SUITE_P(Traffic, HbmWaits, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& c) { return std::string(c.param.name); });

TEST(HbmWaits, AreBoundedAtAnySetting) {
  struct Drain {
    std::uint32_t high, low, longest, idle, age;
  };
  for (const Drain d :
       {Drain{0, 0, 0, 0, 0}, Drain{255, 255, 255, 255, 15}, Drain{104, 8, 160, 32, 0}, Drain{8, 104, 160, 32, 15},
        Drain{104, 8, 0, 32, 15}, Drain{104, 8, 1, 255, 3}, Drain{255, 0, 255, 0, 31}, Drain{1, 0, 1, 0, 15}})
    for (const std::size_t i : {0U, 5U, 6U, 7U, 8U, 11U, 13U, 15U}) {
      HbmSystemOptions options;
      options.throw_at_first = true;
      options.settings = {{offsetof(hbm_csr_t, DRAIN), HBM_CSR__DRAIN__HIGH_bm, d.high},
                          {offsetof(hbm_csr_t, DRAIN), HBM_CSR__DRAIN__LOW_bm, d.low},
                          {offsetof(hbm_csr_t, DRAIN), HBM_CSR__DRAIN__LONGEST_bm, d.longest},
                          {offsetof(hbm_csr_t, DRAIN), HBM_CSR__DRAIN__IDLE_bm, d.idle},
                          {offsetof(hbm_csr_t, SCHED), HBM_CSR__SCHED__AGE_bm, d.age}};
      Channel channel(options);
      const Case& c = kCases.at(i);
      const Waits w = Stress(channel, c.reads, c.writes).run(40'000);
      SCOPED_TRACE(testing::Message() << c.name << " high " << d.high << " low " << d.low << " longest " << d.longest
                                      << " idle " << d.idle << " age " << d.age);
      EXPECT_LE(w.read, 8000U);
      EXPECT_LE(w.write, 20'000U);
      EXPECT_GE(w.beats, 50U);
    }
}

TEST(HbmWaits, ACorrectedBurstIsRewrittenWithoutHoldingUpTheReads) {
  Channel channel({});
  Stress stress(channel, {Reads::kStream, 8}, {});
  channel.system.dram().set_error_rate(0.02, 3);
  while (channel.system.dram().statistics().single_errors == 0) (void)stress.run(1);
  channel.system.dram().set_error_rate(0, 3);
  const Waits w = stress.run(60'000);
  EXPECT_GE(w.commands, 1U) << "the rewrite";
  EXPECT_GE(w.beats, 58'000U);
}

}  // namespace
}  // namespace tepin::tb::hbm
