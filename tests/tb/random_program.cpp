// SPDX-License-Identifier: Apache-2.0
// The frame of a random program: data, order, text. Its operations are in random_operations.cpp.
#include "random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "support.h"

namespace tepin::tb::testing {

namespace {

constexpr std::array<const char*, 8> kSync{"sync", "sync", "sync", "sync", "ldsync", "stsync", "mxusync", "vsync"};

bool meet(const std::vector<Range>& a, const std::vector<Range>& b) {
  for (const Range& x : a) {
    for (const Range& y : b) {
      if (x.space == y.space && x.lo < y.hi && y.lo < x.hi) return true;
    }
  }
  return false;
}

/// Zones of 512 bytes, each of a nature: any bytes, FP32 of modest size, bytes that are good scales.
Bytes mixed_data(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  Bytes out;
  while (out.size() < n) {
    Bytes zone = rng() % 3 == 0 ? random_floats(128, rng()) : random_bytes(512, rng());
    const bool wild = rng() % 4 == 0;
    const bool scales = rng() % 3 == 0;
    for (auto& b : zone) {
      if (scales) b = static_cast<std::uint8_t>(116 + b % 20);
      if (!wild && (b & 0x7f) == 0x7f) b ^= 1;  // no NaN of E4M3 and E8M0
    }
    out.insert(out.end(), zone.begin(), zone.end());
  }
  out.resize(n);
  return out;
}

/// "wait s3*2, s4" or "".
std::string clause(const char* word, const std::vector<std::pair<int, std::uint32_t>>& items, std::size_t first) {
  std::string s;
  for (std::size_t i = first; i < std::min(first + 2, items.size()); ++i) {
    s += fmt::format("{} s{}*{}", i == first ? std::string(" ") + word : ",", items[i].first, items[i].second);
  }
  return s;
}

}  // namespace

ProgramGenerator::ProgramGenerator(std::uint64_t seed) : rng_(seed * 0x2545f4914f6cdd1dU + 99) {
  for (auto& row : synced_) row.fill(-1);
  for (auto& w : weight_) w = percent(30) ? static_cast<std::uint32_t>(between(2, 255)) : 1;
  // A small area makes operations meet often.
  size_ = std::uint64_t{2048} << below(4);
  base_ = 1024 + below((kTileConfig.spad_bytes - 1024 - size_) / 512 + 1) * 512;
  hbm_base_ = percent(20) ? kTileConfig.hbm_beats - kHbmBeats : below(4096);
  if (percent(10)) base_ = kTileConfig.spad_bytes - size_;
}

void ProgramGenerator::wait_for(Operation& op, std::size_t producer) {
  Operation& from = ops_[producer];
  auto& synced = synced_[static_cast<std::size_t>(from.agent)][static_cast<std::size_t>(op.agent)];
  if (static_cast<std::int64_t>(producer) <= synced) return;
  synced = static_cast<std::int64_t>(producer);
  const int sem = from.agent * 8 + op.agent;
  from.posts.emplace_back(sem, weight_[static_cast<std::size_t>(sem)]);
  op.waits.emplace_back(sem, weight_[static_cast<std::size_t>(sem)]);
  ++program_.waits;
}

void ProgramGenerator::add(Operation op) {
  op.thread = op.agent < 4 ? op.agent : owner_[static_cast<std::size_t>(op.agent)];
  for (int agent = 0; agent < 8; ++agent) {
    // A thread's own operations come before what it issues.
    if (agent == op.agent || agent == op.thread) continue;
    for (std::size_t i = ops_.size(); i-- > 0;) {
      const Operation& p = ops_[i];
      if (p.agent != agent || !(meet(p.writes, op.reads) || meet(p.writes, op.writes) || meet(p.reads, op.writes)))
        continue;
      wait_for(op, i);
      break;
    }
  }
  ++program_.operations[op.agent < 4 ? 0 : static_cast<std::size_t>(op.agent - 3)];
  ops_.push_back(std::move(op));
}

/// Every thread's later operations come after every thread's earlier ones; then engines may change hands.
void ProgramGenerator::barrier() {
  const auto last_of = [&](int thread) -> std::int64_t {
    for (std::size_t i = ops_.size(); i-- > 0;) {
      if (ops_[i].agent == thread) return static_cast<std::int64_t>(i);
    }
    return -1;
  };
  const auto sync_of = [](int thread) {
    Operation op;
    op.agent = op.thread = thread;
    op.lines = {"sync"};
    return op;
  };
  // The last thing that each thread did may have been an issue, so it says so with a sync of its own.
  for (int t = 1; t < 4; ++t) ops_.push_back(sync_of(t));
  Operation gather = sync_of(0);
  for (int t = 1; t < 4; ++t) wait_for(gather, static_cast<std::size_t>(last_of(t)));
  ops_.push_back(gather);
  const std::size_t centre = ops_.size() - 1;
  for (int t = 1; t < 4; ++t) {
    Operation op = sync_of(t);
    wait_for(op, centre);
    ops_.push_back(op);
  }
}

std::string ProgramGenerator::emit() {
  std::string text;
  for (int t = 0; t < 4; ++t) text += fmt::format(".thread {}, thread{}\n", t, t);
  for (int t = 0; t < 4; ++t) {
    text += fmt::format("thread{}:\n", t);
    for (const Operation& op : ops_) {
      if (op.thread != t) continue;
      const char* sync = kSync[static_cast<std::size_t>(op.agent)];
      const bool apart = op.lines.size() != 1;
      // Up to two waits and posts fit the instruction itself; the others stand on syncs.
      std::size_t w = 0;
      for (const std::size_t keep = apart ? 0U : 2U; op.waits.size() - w > keep;
           w += std::min<std::size_t>(2, op.waits.size() - w - keep)) {
        const auto part = std::vector(
            op.waits.begin() + static_cast<std::ptrdiff_t>(w),
            op.waits.begin() + static_cast<std::ptrdiff_t>(w + std::min<std::size_t>(2, op.waits.size() - w - keep)));
        text += std::string(sync) + clause("wait", part, 0) + "\n";
      }
      for (const std::string& s : op.setup) text += s + "\n";
      for (const std::string& s : op.lines)
        text += s + (apart ? "\n" : clause("wait", op.waits, w) + clause("post", op.posts, 0) + "\n");
      for (std::size_t p = apart ? 0 : 2; p < op.posts.size(); p += 2)
        text += std::string(sync) + clause("post", op.posts, p) + "\n";
    }
    text += "halt\n";
  }
  return text;
}

RandomProgram ProgramGenerator::make() {
  const auto deal = [&] {
    for (int e = 4; e < 8; ++e) owner_[static_cast<std::size_t>(e)] = static_cast<int>(below(4));
  };
  deal();
  const std::uint64_t phases = percent(30) ? between(2, 3) : 1;
  // Each program has its habits: how often each kind of operation comes.
  std::array<std::uint64_t, 9> share{};
  for (auto& s : share) s = percent(25) ? 0 : between(1, 10);
  share[2] += 1;
  for (std::uint64_t phase = 0; phase < phases; ++phase) {
    if (phase != 0) {
      barrier();
      deal();
    }
    const std::uint64_t count = between(5, 40) / phases + 1;
    for (std::uint64_t n = 0; n < count; ++n) {
      std::uint64_t total = 0;
      for (const auto s : share) total += s;
      std::uint64_t pick = below(total);
      std::size_t kind = 0;
      while (pick >= share[kind]) pick -= share[kind++];
      bool done = false;
      for (int attempt = 0; attempt < 20 && !done; ++attempt) {
        switch (kind) {
          case 0:
            done = load_or_store(true);
            break;
          case 1:
            done = load_or_store(false);
            break;
          case 2:
            done = multiply();
            break;
          case 3:
            done = store_accumulators();
            break;
          case 4:
            done = elementwise();
            break;
          case 5:
            done = quantise(percent(60));
            break;
          case 6:
            done = repeated();
            break;
          case 7:
            done = word_access();
            break;
          default:
            scalar_block();
            done = true;
            break;
        }
      }
    }
  }
  program_.text = emit();
  program_.launch = launch_of(program_.text);
  program_.launch.name = "random";
  program_.spad.emplace_back(0, random_bytes(1024, rng_()));  // threads' own words
  program_.spad.emplace_back(base_, mixed_data(size_, rng_()));
  for (std::uint32_t c = 0; c < kPcs; ++c)
    program_.launch.hbm.push_back({c, hbm_base_ * 32, mixed_data(kHbmBeats * 32, rng_())});
  return std::move(program_);
}

RandomProgram random_program(std::uint64_t seed) { return ProgramGenerator(seed).make(); }

}  // namespace tepin::tb::testing
