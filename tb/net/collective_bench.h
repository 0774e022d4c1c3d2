// SPDX-License-Identifier: Apache-2.0
// Cycles of collectives on a mesh, every value checked.
#pragma once

#include <cstdint>

#include "tb/net/net_mesh.h"

namespace tepin::tb::net {

struct CollectiveFigures {
  // All from the first word read to the last one written and posted; the barrier from its start to its last post.
  std::uint64_t allreduce = 0, multicast = 0, unicast = 0, barrier = 0;
  std::uint64_t checked = 0, mismatches = 0;  // values of the all-reduce
};

/// All-reduce (sum) of `elements` values of every tile, BF16 or FP32 in the scratchpad and on the links, with the root
/// in the middle; multicast of `bytes` from the corner to all other tiles, and a write of as many to the farthest;
/// barrier. std::invalid_argument if the values do not fit the scratchpad (64 KiB) or elements is 0.
[[nodiscard]] CollectiveFigures measure_collectives(NetMesh& mesh, std::uint32_t elements, bool bf16,
                                                    std::uint32_t bytes, std::uint64_t seed);

}  // namespace tepin::tb::net
