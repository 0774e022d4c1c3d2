// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/burst_store.h"

#include <fmt/format.h>

#include <stdexcept>

namespace tepin::tb::dram {

using Org = DramOrganisation;

BurstStore::BurstStore(const DramOrganisation& organisation)
    : organisation_(organisation),
      pages_a_bank_((organisation.rows + kPageRows - 1) / kPageRows),
      pages_(static_cast<std::size_t>(kChannelPcs * organisation.banks() * pages_a_bank_)) {}

std::size_t BurstStore::page_of(const BurstAddress& a) const {
  const auto below = [](int v, int limit) { return v >= 0 && v < limit; };
  if (!below(a.pc, kChannelPcs) || !below(a.sid, organisation_.sids) || !below(a.bg, Org::kBankGroups) ||
      !below(a.ba, Org::kBanksPerGroup) || !below(a.row, organisation_.rows) || !below(a.col, Org::kColumns)) {
    throw std::out_of_range(fmt::format("burst pc {} sid {} bg {} ba {} row {} col {} of {} SIDs with {} rows a bank",
                                        a.pc, a.sid, a.bg, a.ba, a.row, a.col, organisation_.sids, organisation_.rows));
  }
  const int bank = (a.sid * Org::kBankGroups + a.bg) * Org::kBanksPerGroup + a.ba;
  return static_cast<std::size_t>((a.pc * organisation_.banks() + bank) * pages_a_bank_ + a.row / kPageRows);
}

Burst BurstStore::load(const BurstAddress& a) const {
  const Page* page = pages_[page_of(a)].get();
  const auto row = static_cast<std::size_t>(a.row % kPageRows), col = static_cast<std::size_t>(a.col);
  if (page == nullptr || (page->stored[row] >> col & 1) == 0) return fill_(a);
  return {page->rows[row].data[col], page->rows[row].meta[col]};
}

void BurstStore::store(const BurstAddress& a, const Burst& burst) {
  auto& page = pages_[page_of(a)];
  if (!page) {
    page = std::make_unique_for_overwrite<Page>();
    page->stored.fill(0);
    ++page_count_;
  }
  const auto row = static_cast<std::size_t>(a.row % kPageRows), col = static_cast<std::size_t>(a.col);
  page->stored[row] |= 1U << col;
  page->rows[row].data[col] = burst.data;
  page->rows[row].meta[col] = burst.meta;
}

void BurstStore::flip(const BurstAddress& a, int bit) {
  Burst burst = load(a);
  flip_bit(burst, bit);
  store(a, burst);
}

void flip_bit(Burst& burst, int bit) {
  if (bit < 0 || bit >= BurstStore::kBits) {
    throw std::out_of_range(fmt::format("bit {} of a burst; 0 to {} allowed", bit, BurstStore::kBits - 1));
  }
  if (bit < BurstStore::kDataBits) {
    burst.data[static_cast<std::size_t>(bit / 32)] ^= 1U << bit % 32;
  } else {
    burst.meta = static_cast<std::uint16_t>(burst.meta ^ 1U << (bit - BurstStore::kDataBits));
  }
}

}  // namespace tepin::tb::dram
