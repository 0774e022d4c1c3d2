// SPDX-License-Identifier: Apache-2.0
#include "tb/axi_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tepin::tb {

namespace {
constexpr std::uint8_t kSlverr = 2;
constexpr std::uint8_t kDecerr = 3;
}  // namespace

AxiMemory::AxiMemory(std::uint64_t capacity_bytes, const MemoryTiming& timing)
    : capacity_(capacity_bytes), timing_(timing), rng_(timing.seed) {}

void AxiMemory::store(std::uint64_t address, std::span<const std::uint8_t> data) {
  if (address > capacity_ || data.size() > capacity_ - address) throw std::out_of_range("AxiMemory::store");
  for (std::size_t i = 0; i < data.size();) {
    const std::uint64_t a = address + i;
    auto& page = pages_[a / kPage];
    if (!page) page = std::make_unique<std::array<std::uint8_t, kPage>>();
    const std::size_t n = std::min<std::size_t>(data.size() - i, kPage - a % kPage);
    std::memcpy(page->data() + a % kPage, data.data() + i, n);
    i += n;
  }
}

void AxiMemory::load(std::uint64_t address, std::span<std::uint8_t> out) const {
  if (address > capacity_ || out.size() > capacity_ - address) throw std::out_of_range("AxiMemory::load");
  for (std::size_t i = 0; i < out.size();) {
    const std::uint64_t a = address + i;
    const std::size_t n = std::min<std::size_t>(out.size() - i, kPage - a % kPage);
    const auto page = pages_.find(a / kPage);
    if (page == pages_.end()) {
      std::memset(out.data() + i, 0, n);
    } else {
      std::memcpy(out.data() + i, page->second->data() + a % kPage, n);
    }
    i += n;
  }
}

std::uint8_t AxiMemory::response(std::uint64_t address) const {
  if (timing_.slverr_beat == address / 32) return kSlverr;
  if (timing_.decerr_beat == address / 32 || address >= capacity_) return kDecerr;
  return 0;
}

void AxiMemory::accept(const MemoryOut& tile, const MemoryIn& in) {
  const auto check = [](std::uint32_t address, std::uint32_t len, const char* what) {
    if (address % 32 != 0)
      throw std::logic_error(fmt::format("AXI {}: address {:#x} is not a multiple of 32", what, address));
    if (address / 4096 != (address + len * 32) / 4096) {
      throw std::logic_error(fmt::format("AXI {}: burst of {} beats at {:#x} crosses 4 KiB", what, len + 1, address));
    }
  };
  if (tile.ar_valid && in.ar_ready) {
    check(tile.ar_addr, tile.ar_len, "AR");
    reads_.push_back({tile.ar_id, tile.ar_addr, tile.ar_len + 1U, 0, now_ + timing_.read_latency, {}});
  }
  if (tile.aw_valid && in.aw_ready) {
    check(tile.aw_addr, tile.aw_len, "AW");
    writes_.push_back({tile.aw_id, tile.aw_addr, tile.aw_len + 1U, 0, 0, {}});
  }
  if (tile.w_valid && in.w_ready) {
    early_data_.emplace_back(tile.w_data, tile.w_strb);
    early_last_.push_back(tile.w_last);
  }
  // Data may come before its address; it belongs to the oldest address that still lacks some.
  while (!writes_.empty() && !early_data_.empty()) {
    Burst& w = writes_.front();
    w.data.push_back(early_data_.front());
    const bool last = early_last_.front();
    early_data_.pop_front();
    early_last_.pop_front();
    ++beats_written_;
    if (last != (w.data.size() == w.beats)) throw std::logic_error("AXI W: last does not match the burst's length");
    if (!last) continue;
    w.ready_at = now_ + timing_.write_latency;
    responses_.push_back(std::move(w));
    writes_.pop_front();
  }
}

std::optional<std::size_t> AxiMemory::choose(const std::deque<Burst>& queue) {
  if (queue.empty()) return std::nullopt;
  if (!timing_.reorder) return queue.front().ready_at <= now_ ? std::optional<std::size_t>(0) : std::nullopt;
  std::vector<std::size_t> candidates;
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if ((seen >> queue[i].id & 1) != 0) continue;
    seen |= 1U << queue[i].id;
    if (queue[i].ready_at <= now_) candidates.push_back(i);
  }
  if (candidates.empty()) return std::nullopt;
  return candidates[rng_() % candidates.size()];
}

void AxiMemory::offer_read(MemoryIn& in) {
  in.r_valid = false;
  offered_r_ = false;
  if (chance(timing_.stall)) return;
  const auto i = choose(reads_);
  if (!i) return;
  Burst& b = reads_[*i];
  const std::uint64_t address = b.address + std::uint64_t{b.done} * 32;
  in.r_valid = true;
  in.r_id = b.id;
  in.r_resp = response(address);
  std::array<std::uint8_t, 32> bytes{};
  if (in.r_resp == 0) load(address, bytes);
  std::memcpy(in.r_data.data(), bytes.data(), 32);
  in.r_last = ++b.done == b.beats;
  ++beats_read_;
  offered_r_ = true;
  if (in.r_last) reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(*i));
}

void AxiMemory::offer_response(MemoryIn& in) {
  in.b_valid = false;
  offered_b_ = false;
  if (chance(timing_.stall)) return;
  const auto i = choose(responses_);
  if (!i) return;
  const Burst& b = responses_[*i];
  in.b_valid = true;
  in.b_id = b.id;
  in.b_resp = 0;
  for (std::uint32_t k = 0; k < b.beats; ++k) {
    const std::uint64_t address = b.address + std::uint64_t{k} * 32;
    const std::uint8_t resp = response(address);
    in.b_resp = std::max(in.b_resp, resp);
    if (resp != 0) continue;
    std::array<std::uint8_t, 32> bytes{};
    load(address, bytes);
    for (std::size_t j = 0; j < 32; ++j) {
      if ((b.data[k].second >> j & 1) != 0) {
        bytes[j] = static_cast<std::uint8_t>(b.data[k].first[j / 4] >> (j % 4 * 8));
      }
    }
    store(address, bytes);
  }
  offered_b_ = true;
  responses_.erase(responses_.begin() + static_cast<std::ptrdiff_t>(*i));
}

void AxiMemory::cycle(const MemoryOut& tile, MemoryIn& in) {
  ++now_;
  accept(tile, in);
  if (!in.r_valid || tile.r_ready) offer_read(in);
  if (!in.b_valid || tile.b_ready) offer_response(in);
  // A depth that no sane memory exceeds bounds what is pending.
  in.ar_ready = reads_.size() < 64 && !chance(timing_.stall);
  in.aw_ready = writes_.size() + responses_.size() < 64 && !chance(timing_.stall);
  in.w_ready = early_data_.size() < 64 && !chance(timing_.stall);
}

}  // namespace tepin::tb
