// SPDX-License-Identifier: Apache-2.0
// Routers wired as a mesh: every size, every pair.
#include <gtest/gtest.h>

#include <memory>

#include "tb/noc/mesh.h"

namespace tepin::tb::noc {
namespace {

/// One flit from each tile to each other, one at a time: it arrives after hops + 1 cycles, where it should, whole.
void all_pairs(int width, int height, int depth, int link_bits, bool checked) {
  SCOPED_TRACE(testing::Message() << width << "x" << height);
  const auto mesh = make_mesh(width, height, depth, link_bits, checked);
  std::vector<bool> taken(mesh->nodes());
  const auto step = [&] {
    for (std::size_t n = 0; n < mesh->nodes(); ++n) {
      mesh->in[n].credit = taken[n];
      taken[n] = mesh->out[n].valid;
    }
    mesh->step();
  };
  for (std::size_t s = 0; s < mesh->nodes(); ++s) {
    for (std::size_t d = 0; d < mesh->nodes(); ++d) {
      const Coord src = mesh->coord(s), dst = mesh->coord(d);
      TileIn& in = mesh->in[s];
      in.valid = true;
      in.flit.dst = dst;
      for (std::size_t i = 0; i < in.flit.data.size(); ++i)
        in.flit.data[i] = static_cast<std::uint32_t>(s * 1000003 + d * 101 + i);
      const int cycles = std::abs(src.x - dst.x) + std::abs(src.y - dst.y) + 1;
      for (int c = 1; c <= cycles; ++c) {
        step();
        in.valid = false;
        for (std::size_t n = 0; n < mesh->nodes(); ++n) {
          ASSERT_EQ(mesh->out[n].valid, n == d && s != d && c == cycles) << s << " to " << d << ", cycle " << c;
          ASSERT_EQ(mesh->out[n].bad, n == s && s == d && c == 1) << "a tile's flit to itself is refused";
        }
      }
      if (s == d) continue;
      const Flit& f = mesh->out[d].flit;
      ASSERT_EQ(f.src, src);
      ASSERT_EQ(f.dst, dst);
      for (std::size_t i = 0; i < static_cast<std::size_t>(link_bits) / 32; ++i)
        ASSERT_EQ(f.data[i], static_cast<std::uint32_t>(s * 1000003 + d * 101 + i));
    }
  }
}

TEST(NocMesh, EverySizeDeliversAllPairsInHopsPlusOneCycles) {
  for (int w = 1; w <= kMaxSide; ++w) {
    for (int h = 1; h <= kMaxSide; ++h) {
      // Every pair of the largest ones takes a while: the checked router up to 4x4.
      const bool checked = w <= 4 && h <= 4;
      all_pairs(w, h, 4, checked ? 128 : 256, checked);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(NocMesh, EveryBuiltRouterDeliversAllPairs) {
  for (const Variant& v : mesh_variants()) all_pairs(4, 3, v.depth, v.link_bits, v.checked);
}

TEST(NocMesh, RefusesWhatWasNotBuilt) {
  EXPECT_THROW((void)make_mesh(9, 1, 4, 256), std::invalid_argument);
  EXPECT_THROW((void)make_mesh(0, 1, 4, 256), std::invalid_argument);
  EXPECT_THROW((void)make_mesh(4, 4, 7, 256), std::invalid_argument);
  EXPECT_THROW((void)make_mesh(4, 4, 4, 300), std::invalid_argument);
}

}  // namespace
}  // namespace tepin::tb::noc
