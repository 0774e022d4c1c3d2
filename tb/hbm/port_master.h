// SPDX-License-Identifier: Apache-2.0
// What every master of a PC's AXI4 port shares: its interface to a run, the rules that responses must keep, and how
// data is made up.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "tb/hbm/hbm_dut.h"

namespace tepin::tb::hbm {

/// The slave broke a rule of AXI4: the text names the port, the clock, the channel, the rule and what was seen.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One master on one PC's port.
class PortMaster {
 public:
  PortMaster() = default;
  virtual ~PortMaster() = default;
  PortMaster(const PortMaster&) = delete;
  PortMaster& operator=(const PortMaster&) = delete;

  /// Once a clock, before the edge: `out` is what stands on the port (HbmDut::out after the last step), `in` is what
  /// the master drives at the edge to come. Nothing in `in` depends on `out` of the same clock. Throws ProtocolError.
  virtual void cycle(const AxiOut& out, AxiIn& in) = 0;
  /// Every request was made and has had all of its responses.
  [[nodiscard]] virtual bool done() const = 0;
  /// Something waits for the slave: a handshake of the master's or a response.
  [[nodiscard]] virtual bool busy() const = 0;
  /// Number of handshakes so far on all five channels.
  [[nodiscard]] virtual std::uint64_t handshakes() const = 0;
  /// What waits for the slave, for a message.
  [[nodiscard]] virtual std::string outstanding() const = 0;
  /// Part of the work that is done, 0 to 1.
  [[nodiscard]] virtual double progress() const = 0;
};

/// Checks that R and B, once valid, hold with their payload until they are taken. Call it once a clock before the edge.
class ResponseRules {
 public:
  explicit ResponseRules(std::string port) : port_(std::move(port)) {}
  void check(const AxiOut& out, const AxiIn& in, std::uint64_t clock);
  /// Throws the ProtocolError of a rule broken in this clock.
  [[noreturn]] void fail(std::uint64_t clock, const std::string& what) const;

 private:
  std::string port_;
  AxiOut held_;
  bool r_waits_ = false, b_waits_ = false;
};

/// The contents of a burst that was never written, by its byte address in the PC; empty: zeros.
using InitialContents = std::function<Word(std::uint32_t address)>;

/// SplitMix64: enough for stimuli, and fast.
struct Rng {
  std::uint64_t state = 0;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  /// 0..n-1, n >= 1 and below 2^32.
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }
  /// True in n of 256 cases.
  bool chance(std::uint32_t n) { return (next() >> 56) < n; }
};

/// The data of write number `version` (1, 2, ...) to the burst at `address`.
[[nodiscard]] Word burst_data(std::uint64_t seed, std::uint32_t address, std::uint32_t version);

/// "0x" and 64 digits, the highest byte first.
[[nodiscard]] std::string word_text(const Word& word);

}  // namespace tepin::tb::hbm
