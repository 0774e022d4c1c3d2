// SPDX-License-Identifier: Apache-2.0
#include "tb/net/collective_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "tb/noc/coll_reference.h"

namespace tepin::tb::net {
namespace {

constexpr std::uint32_t kSource = 0, kDestination = 2048;  // words
constexpr std::uint8_t kGo = 1, kDone = 2;
constexpr std::uint64_t kTimeout = 100000;

using noc::Payload;

struct Times {
  std::uint64_t first_read = 0, last_write = 0, last_retire = 0, start = 0;
};
/// Starts what waits at these tiles, or soon will, in one cycle, and waits until they have ended.
Times go(NetMesh& mesh, const std::vector<std::size_t>& tiles) {
  for (int i = 0; i < 20; ++i) mesh.tick();
  Times t;
  t.start = mesh.now();
  std::size_t ended = 0;
  const auto look = [&] {
    for (std::size_t i = 0; i < mesh.tiles(); ++i) {
      const NetMesh::Seen& s = mesh.seen(i);
      if (s.fault != isa::Cause::kNone) {
        throw std::logic_error(fmt::format("tile {}: {}", i, isa::kCauses[static_cast<std::size_t>(s.fault)].name));
      }
      if (s.read && t.first_read == 0) t.first_read = mesh.now() - 1;
      if (s.write) t.last_write = mesh.now();
      if (s.retire) {
        ++ended;
        t.last_retire = mesh.now();
      }
    }
  };
  mesh.set_semaphore(tiles, kGo, 1);
  look();
  while (ended < tiles.size()) {
    if (mesh.now() - t.start > kTimeout) throw std::logic_error("a collective never ends");
    mesh.tick();
    look();
  }
  return t;
}

}  // namespace

CollectiveFigures measure_collectives(NetMesh& mesh, std::uint32_t elements, bool bf16, std::uint32_t bytes,
                                      std::uint64_t seed) {
  const std::uint32_t a_word = bf16 ? 16 : 8;
  const std::uint32_t words = (elements + a_word - 1) / a_word;
  if (elements == 0 || words > kDestination)
    throw std::invalid_argument(fmt::format("{} elements; allowed: 1..{}", elements, kDestination * a_word));
  const std::size_t n = mesh.tiles();
  std::mt19937_64 rng(seed);
  // Values of each tile as they lie in its words; those beyond `elements` are 0.
  std::vector<std::vector<Word>> parts(n, std::vector<Word>(words));
  for (std::size_t t = 0; t < n; ++t) {
    for (std::uint32_t i = 0; i < elements; ++i) {
      const float f = static_cast<float>(static_cast<std::int64_t>(rng() % 20001) - 10000) / 1000.0F;
      const auto bits = std::bit_cast<std::uint32_t>(f);
      Word& w = parts[t][i / a_word];
      if (bf16) {
        w[i % a_word / 2] |= std::uint32_t{noc::to_bf16(bits)} << (i % 2 * 16);
      } else {
        w[i % a_word] = bits;
      }
    }
    for (std::uint32_t w = 0; w < words; ++w) mesh.write(t, kSource + w, parts[t][w]);
  }
  const int rx = (mesh.mesh_x() - 1) / 2, ry = (mesh.mesh_y() - 1) / 2;
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::uint64_t mask = mesh.mask();
  const auto group = [&](std::size_t t, std::uint16_t g, std::uint64_t members, std::uint32_t root) {
    mesh.push(t, {.op = isa::Op::kNgroup,
                  .flags = g,
                  .args = {static_cast<std::uint32_t>(members), static_cast<std::uint32_t>(members >> 32), root}});
  };
  CollectiveFigures figures;
  for (const std::size_t t : all) group(t, 0, mask, static_cast<std::uint32_t>(ry * 8 + rx));
  // Twice: caches there are none, but nothing may depend on the first run.
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t t : all) {
      mesh.push(t, {.op = isa::Op::kNar,
                    .flags = static_cast<std::uint16_t>(bf16 ? 8 : 0),
                    .args = {kDestination * 32, kSource * 32, words},
                    .wait_sem = kGo,
                    .wait_count = 1,
                    .post_sem = kDone,
                    .post_count = 1});
    }
    const Times t = go(mesh, all);
    figures.allreduce = std::max(t.last_retire, t.last_write) - t.first_read;
  }
  const noc::Coord root{static_cast<std::uint8_t>(rx), static_cast<std::uint8_t>(ry)};
  const auto inputs = noc::data_inputs(mask, root);
  for (std::uint32_t w = 0; w < words; ++w) {
    const Payload sum = noc::reduce_flit(inputs, root, false, bf16, Word{}.size(), [&](unsigned number) {
      Payload p{};
      std::ranges::copy(parts[mesh.tile_of(number)][w], p.begin());
      return p;
    });
    for (const std::size_t t : all) {
      const Word got = mesh.read(t, kDestination + w);
      for (std::uint32_t i = 0; i < a_word && w * a_word + i < elements; ++i) {
        const std::uint32_t shift = bf16 ? i % 2 * 16 : 0, width = bf16 ? 0xffffU : 0xffffffffU, at = bf16 ? i / 2 : i;
        ++figures.checked;
        figures.mismatches += (got[at] >> shift & width) != (sum[at] >> shift & width);
      }
    }
  }
  for (const std::size_t t : all)
    mesh.push(t, {.op = isa::Op::kNbar, .wait_sem = kGo, .wait_count = 1, .post_sem = kDone, .post_count = 1});
  const Times barrier = go(mesh, all);
  // The semaphore that starts it is set at the first edge, and the instruction leaves its queue a cycle later.
  figures.barrier = barrier.last_retire - barrier.start - 2;
  if (n > 1) {
    const std::vector<std::size_t> corner{0};
    group(0, 1, mask & ~std::uint64_t{1}, 0);
    mesh.push(0, {.op = isa::Op::kNmc,
                  .flags = 1,
                  .args = {kDestination * 32, kSource * 32, bytes / 32},
                  .wait_sem = kGo,
                  .wait_count = 1});
    const Times mc = go(mesh, corner);
    figures.multicast = mc.last_write - mc.first_read;
    mesh.push(0, {.op = isa::Op::kNwr,
                  .args = {kDestination * 32, kSource * 32, bytes / 32, mesh.number(n - 1)},
                  .wait_sem = kGo,
                  .wait_count = 1});
    const Times uc = go(mesh, corner);
    figures.unicast = uc.last_write - uc.first_read;
  }
  return figures;
}

}  // namespace tepin::tb::net
