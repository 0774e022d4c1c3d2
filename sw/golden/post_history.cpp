// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/post_history.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tepin::golden {

std::optional<PostHistory::Conflict> PostHistory::post(const Event& at, ClockView clock, std::uint32_t amount) {
  const auto after_all_relied = [&] {
    return std::equal(clock.begin(), clock.end(), frontier_.begin(),
                      [](auto mine, auto theirs) { return mine >= theirs; });
  };
  if (last_take_ && !happened(*last_take_, clock) && !after_all_relied()) {
    for (auto r = relied_.rbegin(); r != relied_.rend() && !happened(r->take, clock); ++r) {
      if (happened(r->post, clock)) continue;
      if (r->slack < amount) return Conflict{at, r->post, r->take};
      r->slack -= amount;
    }
  }
  const bool after = pending_.empty() || happened(pending_.back().at, clock);
  if (!after) ++unordered_;
  pending_.push_back({at, Clock(clock), amount, after});
  return std::nullopt;
}

void PostHistory::rely(const Post& p, const Event& take, std::uint64_t without, std::span<std::uint32_t> clock) {
  join(clock, p.clock);
  std::uint32_t& latest = frontier_[static_cast<std::size_t>(p.at.agent)];
  latest = std::max(latest, p.at.time);
  relied_.push_back({p.at, take, taken_ - 1 - without});
  if (relied_.size() > kMaxRelied) relied_.pop_front();
  relied_sum_ += p.amount;
}

void PostHistory::order_pending() {
  unordered_ = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    pending_[i].after_previous = i == 0 || happened(pending_[i - 1].at, pending_[i].clock);
    if (!pending_[i].after_previous) ++unordered_;
  }
}

std::optional<PostHistory::Conflict> PostHistory::take(const Event& at, std::uint32_t count,
                                                       std::span<std::uint32_t> clock) {
  taken_ += count;
  last_take_ = at;
  if (unordered_ == 0) {  // a chain: the take needs its beginning, up to the post that reaches the count
    while (relied_sum_ < taken_) {
      rely(pending_.front(), at, relied_sum_, clock);
      pending_.pop_front();
      if (!pending_.empty()) pending_.front().after_previous = true;
    }
    return std::nullopt;
  }
  std::vector<std::uint64_t> without(pending_.size(), relied_sum_);
  for (std::size_t p = 0; p < pending_.size(); ++p) {
    for (std::size_t q = 0; q < pending_.size(); ++q) {
      if (!happened(pending_[p].at, pending_[q].clock))
        without[p] += pending_[q].amount;  // a post's clock has its own time
    }
  }
  std::deque<Post> rest;
  for (std::size_t p = 0; p < pending_.size(); ++p) {
    if (without[p] < taken_) {
      rely(pending_[p], at, without[p], clock);
    } else {
      rest.push_back(std::move(pending_[p]));
    }
  }
  pending_ = std::move(rest);
  order_pending();
  if (relied_sum_ >= taken_) return std::nullopt;
  // What is left is no chain: the first post of a chain would be needed.
  const auto second = std::find_if(pending_.begin(), pending_.end(), [](const Post& p) { return !p.after_previous; });
  return Conflict{second->at, std::prev(second)->at, at};
}

}  // namespace tepin::golden
