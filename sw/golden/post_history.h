// SPDX-License-Identifier: Apache-2.0
// Which posts to a semaphore a wait is ordered after (docs/architecture.md, Races 5), judged from one execution for
// all.
//
// Takes from a semaphore are totally ordered (race 2), so the k-th take needs T posts' worth in all, whatever the
// schedule. It cannot do without post p if all posts that may come before it, less p and those ordered after p, are
// worth less than T: then it is ordered after p. If the posts it cannot do without are worth less than T, others could
// have satisfied it in one way or another, and the program is ambiguous. Posts that come later in this execution, but
// are not ordered after the take, count as ones that may come before it: each relied-on post keeps the slack that they
// may use up.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "sw/golden/clock.h"

namespace tepin::golden {

class PostHistory {
 public:
  /// Two posts in no order, either of which could satisfy the take.
  struct Conflict {
    Event first;
    Event second;
    Event take;
  };

  explicit PostHistory(std::size_t agents) : frontier_(agents) {}

  /// clock: of the posting event. amount > 0.
  [[nodiscard]] std::optional<Conflict> post(const Event& at, ClockView clock, std::uint32_t amount);
  /// Joins the posts that the take needs into its clock. count > 0, and the posts so far suffice.
  [[nodiscard]] std::optional<Conflict> take(const Event& at, std::uint32_t count, std::span<std::uint32_t> clock);
  [[nodiscard]] const std::optional<Event>& last_take() const { return last_take_; }

 private:
  struct Post {
    Event at;
    Clock clock;
    std::uint64_t amount = 0;
    bool after_previous = false;  // ordered after the post before it in pending_; true for the first
  };
  struct Relied {
    Event post;
    Event take;               // the first that needs it
    std::uint64_t slack = 0;  // what others may post before that take without replacing this post
  };
  // Bounds memory and time where a poster runs ahead without end; older posts are then no longer checked against new
  // ones.
  static constexpr std::size_t kMaxRelied = 4096;

  void rely(const Post& p, const Event& take, std::uint64_t without, std::span<std::uint32_t> clock);
  void order_pending();

  std::deque<Post> pending_;   // that no take relies on yet, in execution order
  std::size_t unordered_ = 0;  // of them, not after_previous
  std::deque<Relied> relied_;  // oldest first
  Clock frontier_;             // latest relied-on post of each agent
  std::uint64_t relied_sum_ = 0;
  std::uint64_t taken_ = 0;
  std::optional<Event> last_take_;
};

}  // namespace tepin::golden
