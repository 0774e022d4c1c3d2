// SPDX-License-Identifier: Apache-2.0
// The crossing between two clocks: whatever their ratio and phase, nothing is lost, doubled or reordered on any
// channel.
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <random>

#include "Vhbm_cdc.h"

namespace {

/// One channel: counts up at its source, checks at its sink.
struct Stream {
  std::uint32_t next = 0, expected = 0;
  bool valid = false, ready = false;
};

class Crossing {
 public:
  Crossing(double core_period, double mem_period, std::uint64_t seed)
      : core_period_(core_period), mem_period_(mem_period), rng_(seed) {
    core_next_ = std::uniform_real_distribution<>(0, core_period)(rng_);
    mem_next_ = std::uniform_real_distribution<>(0, mem_period)(rng_);
    model_.core_clk_i = model_.mem_clk_i = 0;
    model_.core_rst_ni = model_.mem_rst_ni = 1;
    model_.eval();
    model_.core_rst_ni = model_.mem_rst_ni = 0;
    model_.eval();
    model_.core_rst_ni = model_.mem_rst_ni = 1;
    model_.eval();
  }

  /// Edges until every channel has passed `items`; busy: of 256, how often a side offers or takes.
  std::uint64_t run(std::uint32_t items, std::uint32_t busy) {
    std::uint64_t core_edges = 0;
    const auto chance = [&] { return (rng_() & 255U) < busy; };
    while (!done(items)) {
      if (core_edges > 100ULL * items + 1000) {
        ADD_FAILURE() << "nothing moves";
        break;
      }
      if (core_next_ < mem_next_) {
        edge(true, items, chance);
        core_next_ += core_period_;
        ++core_edges;
      } else {
        edge(false, items, chance);
        mem_next_ += mem_period_;
      }
    }
    return core_edges;
  }

 private:
  bool done(std::uint32_t items) const {
    for (const Stream& s : streams_)
      if (s.expected != items) return false;
    return true;
  }
  /// What was taken at this side's edge, then new offers. Streams 0..2 go to the memory, 3 and 4 come from it.
  template <class Chance>
  void edge(bool core, std::uint32_t items, const Chance& chance) {
    struct Pins {
      std::uint8_t &valid, &ready;
      std::uint32_t& data;
    };
    const std::array<Pins, 5> in{{{model_.c_ar_valid_i, model_.c_ar_ready_o, model_.c_ar_i},
                                  {model_.c_aw_valid_i, model_.c_aw_ready_o, model_.c_aw_i},
                                  {model_.c_w_valid_i, model_.c_w_ready_o, model_.c_w_i},
                                  {model_.m_b_valid_i, model_.m_b_ready_o, model_.m_b_i},
                                  {model_.m_r_valid_i, model_.m_r_ready_o, model_.m_r_i}}};
    const std::array<Pins, 5> out{{{model_.m_ar_valid_o, model_.m_ar_ready_i, model_.m_ar_o},
                                   {model_.m_aw_valid_o, model_.m_aw_ready_i, model_.m_aw_o},
                                   {model_.m_w_valid_o, model_.m_w_ready_i, model_.m_w_o},
                                   {model_.c_b_valid_o, model_.c_b_ready_i, model_.c_b_o},
                                   {model_.c_r_valid_o, model_.c_r_ready_i, model_.c_r_o}}};
    std::array<bool, 5> pushed{}, popped{};
    for (std::size_t i = 0; i < 5; ++i) {
      const bool source_here = core == (i < 3);
      pushed[i] = source_here && in[i].valid != 0 && in[i].ready != 0;
      popped[i] = !source_here && out[i].valid != 0 && out[i].ready != 0;
      if (popped[i]) {
        EXPECT_EQ(out[i].data, streams_[i].expected++) << "channel " << i;
      }
    }
    (core ? model_.core_clk_i : model_.mem_clk_i) = 1;
    model_.eval();
    (core ? model_.core_clk_i : model_.mem_clk_i) = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      Stream& s = streams_[i];
      if (core == (i < 3)) {
        if (pushed[i]) ++s.next;
        if (in[i].valid == 0 || pushed[i]) in[i].valid = s.next < items && chance();  // else it holds
        in[i].data = s.next;
      } else {
        out[i].ready = chance();
      }
    }
    model_.eval();
  }

  double core_period_, mem_period_, core_next_, mem_next_;
  std::mt19937_64 rng_;
  VerilatedContext context_;
  Vhbm_cdc model_{&context_};
  std::array<Stream, 5> streams_{};
};

TEST(HbmCdc, LosesNothingAtAnyRatioOfClocks) {
  for (const auto& [core, mem] : {std::pair{0.588, 0.8}, {1.0, 1.0}, {1.0, 0.31}, {0.2, 1.0}, {1.0, 0.999}}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(testing::Message() << core << " / " << mem << " seed " << seed);
      Crossing c(core, mem, seed);
      (void)c.run(3000, seed == 1 ? 256 : 40 * static_cast<std::uint32_t>(seed));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(HbmCdc, CarriesAnItemACycleOfTheSlowerClock) {
  Crossing c(0.588, 0.8, 3);
  const std::uint64_t edges = c.run(10'000, 256);
  EXPECT_LE(static_cast<double>(edges), 10'000 * 0.8 / 0.588 + 40);
}

}  // namespace
