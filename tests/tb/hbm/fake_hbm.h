// SPDX-License-Identifier: Apache-2.0
// A controller that is none: it answers both PCs' ports from maps, with random delays, order and stalls, and can break
// one promise. It ignores the device.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "tb/hbm/hbm_dut.h"
#include "tb/hbm/port_master.h"

namespace tepin::tb::hbm::testing {

enum class Fault {
  kNone,
  kWrongData,        // a bit of a beat
  kWrongOrder,       // two reads of one ID swap their data
  kStaleRead,        // the burst as it was before the last write, long after the response
  kLostRead,         // a read gets no data
  kLostResponse,     // a write gets no response
  kIgnoredStrobes,   // a byte is written without its strobe
  kUnknownId,        // R for an ID without an open read
  kUnknownResponse,  // B for an ID without an open write
  kNoLast,           // R.last low on a last beat
  kEarlyResponse,    // B while data is missing
  kValidFalls,       // R.valid does not hold
  kPayloadChanges,   // R does not hold
  kSlverr,
};

struct FakeOptions {
  std::uint64_t seed = 1;
  std::uint32_t delay = 60;    // clocks from acceptance to the answer: up to so many
  std::uint32_t stall = 64;    // of 256 clocks, each channel
  bool reorder = true;         // between IDs, beat by beat
  bool late_writes = true;     // bytes are there with the response, else with the last beat
  bool early_reads = false;    // data is taken when the address comes, else when it is given
  std::size_t open = 300;      // of each kind
  Fault fault = Fault::kNone;  // now and then
  InitialContents initial;
};

class FakeHbm final : public HbmDut {
 public:
  explicit FakeHbm(const FakeOptions& options) : options_(options), rng_{options.seed} {}
  void step(bool rst_n) override;

 private:
  struct Write {
    std::uint8_t id = 0;
    std::uint32_t line = 0, beats = 0;
    std::uint64_t ready_at = 0;
    std::deque<std::pair<Word, std::uint32_t>> data;
  };
  struct Read {
    std::uint8_t id = 0;
    std::uint32_t line = 0, beats = 0, done = 0;
    std::uint64_t ready_at = 0;
    std::deque<Word> data;  // early
  };
  struct Line {
    Word now{}, before{};
    std::uint64_t written_at = 0;
  };
  struct Port {
    std::unordered_map<std::uint32_t, Line> lines;
    std::deque<Read> reads;
    std::deque<Write> writes, answers;
    std::deque<std::pair<Word, std::uint32_t>> data;
  };
  bool fails(Fault fault, std::uint32_t one_in) { return options_.fault == fault && rng_.below(one_in) == 0; }
  Line& line(Port& port, std::uint32_t number);
  Word value(Port& port, std::uint32_t number);
  void apply(Port& port, const Write& write);
  void take(Port& port, const AxiIn& in, const AxiOut& out);
  void offer_read(Port& port, AxiOut& out);
  void offer_response(Port& port, AxiOut& out);
  template <typename T>
  std::size_t choose(const std::deque<T>& queue);

  FakeOptions options_;
  Rng rng_;
  std::array<Port, 2> ports_;
  std::uint64_t now_ = 0;
};

}  // namespace tepin::tb::hbm::testing
