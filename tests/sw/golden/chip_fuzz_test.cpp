// SPDX-License-Identifier: Apache-2.0
// Random small programs of a 2x2 chip. As for one tile (fuzz_test.cpp): if one schedule ends clean, every schedule
// must, with the same memory and semaphores; and where nothing is clean, no schedule may call it done.
#include <cstdlib>

#include "chip_programs.h"

namespace tepin::golden::testing {
namespace {

constexpr Mesh kMesh = RandomChipProgram::kMesh;
constexpr auto kTiles = RandomChipProgram::kTiles;

isa::Config tiny() {
  isa::Config c = isa::kNano;
  c.spad_bytes = 512;
  c.pcs = 1;
  c.hbm_beats = 16;
  c.queue_depth = 2;
  return c;
}

struct Result {
  Outcome outcome;
  Bytes memory;
  std::vector<std::uint32_t> sems;
};

Result run(const isa::Program& p, std::uint64_t seed) {
  Chip c(tiny(), kMesh.x, kMesh.y, {.schedule_seed = seed});
  for (const std::uint32_t t : kTiles) {
    c.load_spad(t, 0, random_bytes(512, t));
    c.load_hbm(t, 0, 0, random_bytes(512, 100 + t));
  }
  Result r;
  r.outcome = c.run(p);
  for (const std::uint32_t t : kTiles) {
    const Bytes b = spad(c, t, 0, 512);
    r.memory.insert(r.memory.end(), b.begin(), b.end());
    Bytes h(512);
    c.hbm(t, 0).load(0, h);
    r.memory.insert(r.memory.end(), h.begin(), h.end());
    r.sems.insert(r.sems.end(), c.sems(t).begin(), c.sems(t).end());
  }
  return r;
}

// TEPIN_FUZZ_PROGRAMS sets another number for a long run.
std::uint64_t programs() {
  const char* n = std::getenv("TEPIN_FUZZ_PROGRAMS");
  return n == nullptr ? 3'000 : std::strtoull(n, nullptr, 10);
}

TEST(ChipFuzz, OneCleanScheduleMeansThatAllAreCleanAndEqual) {
  std::map<std::string, int> found;
  int clean = 0;
  for (std::uint64_t n = 0; n < programs(); ++n) {
    const isa::Program p = RandomChipProgram(n).program();
    const Result first = run(p, 0);
    ++found[first.outcome.status == Status::kError ? std::string(name_of(first.outcome.error.kind))
            : first.outcome.status == Status::kFault
                ? std::string(isa::kCauses.at(static_cast<std::size_t>(first.outcome.fault.cause)).name)
                : "done"];
    int done = 0;
    constexpr int kSchedules = 10;
    for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
      const Result r = seed == 0 ? first : run(p, seed + n * 100);
      if (r.outcome.status != Status::kDone) continue;
      ++done;
      if (first.outcome.status != Status::kDone) continue;
      ASSERT_EQ(r.memory, first.memory) << "program " << n << ", seed " << seed;
      ASSERT_EQ(r.sems, first.sems) << "program " << n << ", seed " << seed;
    }
    ASSERT_TRUE(done == 0 || done == kSchedules) << "program " << n << ": " << done << " of " << kSchedules
                                                 << " schedules are clean; round robin: " << first.outcome.text();
    clean += done != 0 ? 1 : 0;
  }
  // The mix must contain what it is meant to test.
  const int total = static_cast<int>(programs());
  std::string mix;
  for (const auto& [kind, count] : found) mix += kind + " " + std::to_string(count) + ", ";
  RecordProperty("mix", mix);
  EXPECT_GT(clean, total / 10) << mix;
  EXPECT_GT(found["race_bytes"], total / 10) << mix;
  EXPECT_GT(found["stuck"], total / 50) << mix;
  EXPECT_GT(found["race_semaphore"], total / 200) << mix;
}

}  // namespace
}  // namespace tepin::golden::testing
