// SPDX-License-Identifier: Apache-2.0
#include "tb/noc/mesh.h"

#include <fmt/format.h>

#include <stdexcept>

#include "Vnoc_d2_checked.h"
#include "Vnoc_d4.h"
#include "Vnoc_d4_checked.h"
#include "Vnoc_d4_w512.h"
#include "Vnoc_d5.h"
#include "Vnoc_d8.h"
#include "tb/noc/mesh_model.h"

namespace tepin::tb::noc {
namespace {

using Make = std::unique_ptr<Mesh> (*)(int, int, const Variant&, std::uint32_t);
template <class Model>
std::unique_ptr<Mesh> make(int width, int height, const Variant& variant, std::uint32_t seed) {
  return std::make_unique<MeshModel<Model>>(width, height, variant, seed);
}
struct Built {
  Variant variant;
  Make make;
};
constexpr Built kBuilt[] = {
    {{4, 4, 256, false}, make<Vnoc_d4>},        {{5, 5, 256, false}, make<Vnoc_d5>},
    {{8, 8, 256, false}, make<Vnoc_d8>},        {{4, 4, 512, false}, make<Vnoc_d4_w512>},
    {{2, 2, 128, true}, make<Vnoc_d2_checked>}, {{4, 4, 128, true}, make<Vnoc_d4_checked>},
};

}  // namespace

std::vector<Variant> mesh_variants() {
  std::vector<Variant> all;
  for (const Built& b : kBuilt) all.push_back(b.variant);
  return all;
}

std::unique_ptr<Mesh> make_mesh(int width, int height, int depth, int link_bits, bool checked, std::uint32_t seed) {
  if (width < 1 || width > kMaxSide || height < 1 || height > kMaxSide)
    throw std::invalid_argument(fmt::format("mesh {}x{}: allowed: 1x1 to {}x{}", width, height, kMaxSide, kMaxSide));
  for (const Built& b : kBuilt)
    if (b.variant.depth == depth && b.variant.link_bits == link_bits && b.variant.checked == checked)
      return b.make(width, height, b.variant, seed);
  throw std::invalid_argument(fmt::format("no router with {} flits a port and {} bits was built", depth, link_bits));
}

}  // namespace tepin::tb::noc
