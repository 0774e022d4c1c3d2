// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/memory.h"

#include <algorithm>
#include <cstring>

namespace tepin::golden {

void Scratchpad::store(std::uint64_t address, std::span<const std::uint8_t> data) {
  std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(address));
  std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(address), data.size(), std::uint8_t{1});
}

std::optional<std::uint64_t> Scratchpad::first_unwritten(std::uint64_t address, std::uint64_t length) const {
  const void* hole = std::memchr(&written[address], 0, length);
  if (hole == nullptr) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(hole) - written.data());
}

void HbmChannel::store(std::uint64_t address, std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    auto& page = pages_[address / kPageBytes];
    if (!page) page = std::make_unique<Page>();
    const std::uint64_t at = address % kPageBytes;
    const std::uint64_t n = std::min<std::uint64_t>(data.size(), kBeat - at % kBeat);
    std::copy_n(data.begin(), n, page->bytes.begin() + static_cast<std::ptrdiff_t>(at));
    const std::uint32_t mask = n == kBeat ? ~0U : ((1U << n) - 1U) << (at % kBeat);
    page->written[at / kBeat] |= mask;
    address += n;
    data = data.subspan(n);
  }
}

void HbmChannel::load(std::uint64_t address, std::span<std::uint8_t> out) const {
  while (!out.empty()) {
    const std::uint64_t at = address % kPageBytes;
    const std::uint64_t n = std::min<std::uint64_t>(out.size(), kPageBytes - at);
    const auto it = pages_.find(address / kPageBytes);
    if (it == pages_.end()) {
      std::fill_n(out.begin(), n, std::uint8_t{0});
    } else {
      std::copy_n(it->second->bytes.begin() + static_cast<std::ptrdiff_t>(at), n, out.begin());
    }
    address += n;
    out = out.subspan(n);
  }
}

std::uint32_t HbmChannel::written(std::uint64_t beat) const {
  const auto it = pages_.find(beat * kBeat / kPageBytes);
  return it == pages_.end() ? 0 : it->second->written[beat % (kPageBytes / kBeat)];
}

std::map<std::uint64_t, const HbmChannel::Page*> HbmChannel::pages() const {
  std::map<std::uint64_t, const Page*> out;
  for (const auto& [number, page] : pages_) out.emplace(number, page.get());
  return out;
}

}  // namespace tepin::golden
