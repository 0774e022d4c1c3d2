// SPDX-License-Identifier: Apache-2.0
// An AXI4 master for long random tests of one PC's port: bursts of 1 to 128 beats inside 4 KiB, several IDs with many
// open transactions, full, sparse and empty strobes, sequential, hot, scattered and row-conflict addresses, data before
// or after its address, stalls on R and B. Every beat read is checked (random_memory.h), in the end every page written.
// Reads overlap open writes; open writes overlap each other only with one ID, where AXI4 defines the outcome.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tb/hbm/port_master.h"
#include "tb/hbm/random_memory.h"

namespace tepin::tb::hbm {

struct RandomOptions {
  std::string port = "PC0";
  std::uint64_t seed = 1;
  std::uint64_t transactions = 10'000;          // before what was written is read back
  std::uint64_t capacity_bytes = 512ULL << 20;  // a multiple of 4096, up to 4 GiB
  std::uint32_t ids = 16;                       // of each kind, 1..256
  std::uint32_t max_open = 64;                  // transactions of each kind
  std::uint32_t max_beats = 128;                // 1..128
  std::uint32_t pages = 1024;                   // scattered addresses stay in so many pages of 4 KiB
  std::uint64_t row_bytes = 1ULL << 20;         // addresses so far apart are in one bank, other rows
  std::uint32_t write_share = 128;              // of 256 transactions
  bool partial = true;                          // sparse and empty strobes too
  bool stalls = true;                           // phases with few requests and with stalls on R, B and W
  bool read_back = true;
  InitialContents initial;
};

/// What was done and checked.
struct RandomCounts {
  std::uint64_t reads = 0, writes = 0, beats_read = 0, beats_written = 0;
  std::uint64_t beats_exact = 0, beats_overlapping = 0;  // checked against one value; against several for some bytes
  std::uint64_t beats_read_back = 0;                     // of beats_exact, in the end
  std::uint64_t strobes_full = 0, strobes_sparse = 0, strobes_empty = 0;  // beats
  std::uint64_t data_led = 0;                         // writes whose first beat was taken before their address
  std::uint64_t mismatches = 0, error_responses = 0;  // beats; responses
};

class RandomMaster final : public PortMaster {
 public:
  /// std::invalid_argument for options beyond their range.
  explicit RandomMaster(RandomOptions options);

  void cycle(const AxiOut& out, AxiIn& in) override;
  [[nodiscard]] bool done() const override { return issued_ == options_.transactions && read_back_done_ && !busy(); }
  [[nodiscard]] bool busy() const override { return reads_open_ + writes_open_ != 0; }
  [[nodiscard]] std::uint64_t handshakes() const override { return handshakes_; }
  [[nodiscard]] std::string outstanding() const override;
  [[nodiscard]] double progress() const override {
    return options_.transactions == 0 ? 1 : static_cast<double>(issued_) / static_cast<double>(options_.transactions);
  }
  [[nodiscard]] const RandomCounts& counts() const { return counts_; }
  /// Transaction, address, beat, expected, actual of the first mismatch; empty: none.
  [[nodiscard]] const std::string& first_mismatch() const { return first_mismatch_; }

 private:
  struct Place {
    std::uint32_t address = 0, beats = 0;
  };
  [[nodiscard]] Place choose_place();
  void choose_phase();
  void make_request();
  void make_read(const Place& place);
  void make_write();
  void fill(OpenWrite& write, std::uint32_t beats);
  void plan_read_back();
  void drive(AxiIn& in);
  void accept(const AxiOut& out, const AxiIn& in);
  void take_beat(const AxiOut& out);
  void take_response(const AxiOut& out);

  RandomOptions options_;
  ResponseRules rules_;
  RandomMemory memory_;
  Rng rng_;
  RandomCounts counts_;
  std::string first_mismatch_;
  std::vector<std::uint32_t> pool_, hot_;  // addresses of pages
  std::uint32_t stream_ = 0, conflict_ = 0;
  std::uint64_t issued_ = 0, handshakes_ = 0, now_ = 0, phase_end_ = 0;
  std::uint32_t issue_chance_ = 256, r_chance_ = 256, b_chance_ = 256, w_chance_ = 256;
  std::uint32_t number_ = 0, reads_open_ = 0, writes_open_ = 0;
  bool read_back_planned_ = false, read_back_done_ = false;
  std::deque<Place> read_back_;
  std::deque<std::unique_ptr<OpenRead>> ar_queue_;
  std::deque<OpenWrite*> aw_queue_, w_queue_;                     // owned by their pages until they are settled
  std::array<std::deque<std::unique_ptr<OpenRead>>, 256> reads_;  // by ID, accepted
  std::array<std::deque<OpenWrite*>, 256> writes_;
  bool ar_waits_ = false, aw_waits_ = false, w_waits_ = false;
};

}  // namespace tepin::tb::hbm
