// SPDX-License-Identifier: Apache-2.0
// What a master knows of a memory that it writes and reads at the same time: the bytes that every response settled, and
// the open writes whose bytes a read may or may not see. By pages of 4 KiB, made when first touched.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tb/hbm/port_master.h"

namespace tepin::tb::hbm {

inline constexpr std::uint32_t kLineBytes = 32, kPageBytes = 4096, kPageLines = kPageBytes / kLineBytes;
inline constexpr std::uint64_t kNever = UINT64_MAX;

struct Page;

/// A read burst: `lines` beats from line `first` of its page.
struct OpenRead {
  Page* page = nullptr;
  std::uint32_t number = 0, first = 0, lines = 0, done = 0;
  std::uint8_t id = 0;
  std::uint64_t accepted_at = kNever;  // clock of AR
};
/// A write burst with its data and strobes.
struct OpenWrite {
  Page* page = nullptr;
  std::uint32_t number = 0, first = 0;
  std::uint8_t id = 0;
  std::uint64_t accepted_at = kNever, answered_at = kNever;  // clocks of AW and B
  std::uint64_t address_from = 0, data_from = 0;             // the master offers AW and W from these clocks on
  std::uint32_t sent = 0;                                    // beats taken
  std::vector<Word> data;
  std::vector<std::uint32_t> strobes;
  [[nodiscard]] bool covers(std::uint32_t line) const { return line - first < data.size(); }  // wraps below first
};

struct Page {
  std::uint32_t address = 0;
  bool written = false;
  std::array<Word, kPageLines> lines{};            // with every write that no open read can miss
  std::vector<std::unique_ptr<OpenWrite>> writes;  // the others, in the order of their AW
  std::vector<const OpenRead*> reads;              // open
};

/// How a beat compares: `exact` if no open write touches its burst.
struct BeatCheck {
  bool exact = true, agrees = true;
  Word expected{};  // the bytes settled before the read
};

class RandomMemory {
 public:
  explicit RandomMemory(InitialContents initial) : initial_(std::move(initial)) {}

  /// The page of an address.
  [[nodiscard]] Page& page(std::uint32_t address);
  /// Compares beat `read.done` of an accepted read, taken at clock `now`: each byte must be the one settled before the
  /// AR or one of a write that was accepted before `now` and not answered before the AR.
  [[nodiscard]] static BeatCheck check(const OpenRead& read, const Word& actual, std::uint64_t now);
  /// Settles the writes of a page that were answered before every open read was accepted.
  static void settle(Page& page);
  [[nodiscard]] std::vector<Page*> written_pages();  // by address

 private:
  InitialContents initial_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
};

}  // namespace tepin::tb::hbm
