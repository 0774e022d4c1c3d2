// SPDX-License-Identifier: Apache-2.0
// The verilated host port between an AXI4 and an AXI4-Lite master and slaves in the places of tiles and register
// blocks. The masters know what each slave must see, and in which order, and what must come back; slaves answer by a
// rule of theirs (answer_of). A register access is a burst of one beat and ID 0 whose data are the low 32 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "tests/rtl/rng.h"

namespace tepin::tb::testing {

using HostWord = std::array<std::uint32_t, 8>;

struct Beat {
  HostWord data{};
  std::uint32_t strb = 0;
  bool last = false;
  bool operator==(const Beat&) const = default;
};
struct Answer {  // a beat of a read, or the response to a write
  unsigned id = 0, resp = 0;
  HostWord data{};
  bool last = true;
  bool operator==(const Answer&) const = default;
};
struct Burst {
  unsigned id = 0;
  std::uint64_t address = 0;
  unsigned beats = 1;
  std::vector<Beat> data;          // of a write
  std::optional<std::size_t> end;  // slave that must see it; none: nobody
  std::vector<Answer> answers;     // what must come back, one by one
  std::uint64_t end_address = 0;   // as the slave must see it
};
/// A request channel's payload as it stands on the pins.
struct Request {
  unsigned id = 0, len = 0;
  std::uint64_t address = 0;
  bool operator==(const Request&) const = default;
};

/// How a slave answers an access to a beat's address. bytes: 32 (window) or 4 (registers).
[[nodiscard]] Answer answer_of(std::size_t end, std::uint64_t address, unsigned bytes);

/// Of one side of one port: chances, of 256, in a cycle.
struct Pace {
  unsigned offer = 256;  // to offer what there is to send
  unsigned take = 256;   // to be ready
  unsigned delay = 0;    // of a slave: answers come 0 to this many cycles later
};

/// Edges at which something passed.
struct Times {
  std::vector<std::uint64_t> aw, w, b, ar, r;
};

/// Pins of five channels, seen from the side that asks. An offer stands until it is taken.
struct Channels {
  std::optional<Request> aw, ar;
  std::optional<Beat> w;
  std::optional<Answer> b, r;
  bool aw_ready = false, w_ready = false, ar_ready = false, b_ready = false, r_ready = false;
};

class Slave {
 public:
  Slave(std::size_t index, unsigned bytes) : index_(index), bytes_(bytes) {}
  void drive(rtl_test::Rng& rng);
  /// What the pins show before the edge. A sentence if it is not what must come.
  [[nodiscard]] std::string edge(std::uint64_t now, rtl_test::Rng& rng);
  [[nodiscard]] bool idle() const { return aw.empty() && w.empty() && ar.empty() && answers_idle(); }

  std::deque<Request> aw, ar;  // must come, in this order
  std::deque<Beat> w;
  Channels pins;
  Pace pace;
  Times times;

 private:
  struct Due {
    std::uint64_t at;
    Answer answer;
  };
  [[nodiscard]] bool answers_idle() const { return open_.empty() && early_ == 0 && b_.empty() && r_.empty(); }

  std::size_t index_;
  unsigned bytes_;
  std::deque<Request> open_;  // writes whose data are not complete
  unsigned early_ = 0;        // bursts of data that are complete and have no address yet
  std::deque<Due> b_, r_;
};

class Master {
 public:
  /// To the slaves of its port, by Burst::end.
  explicit Master(std::vector<Slave>& slaves) : slaves_(slaves) {}
  void send(const Burst& burst, bool write);
  void drive(rtl_test::Rng& rng);
  [[nodiscard]] std::string edge(std::uint64_t now);
  [[nodiscard]] bool idle() const { return open_writes == 0 && open_reads == 0; }

  Channels pins;
  Pace pace;
  Times times;
  unsigned open_writes = 0, open_reads = 0;  // sent and not answered
  std::uint64_t answered = 0, refused = 0;   // bursts; those of them with DECERR from nobody

 private:
  struct Open {
    Burst burst;
    std::size_t next = 0;
  };
  [[nodiscard]] std::string check(const Answer& got, bool write);

  std::vector<Slave>& slaves_;
  std::deque<Request> aw_, ar_;
  std::deque<Beat> w_;
  std::array<std::deque<Open>, 16> writes_, reads_;  // by ID, in order
};

}  // namespace tepin::tb::testing
