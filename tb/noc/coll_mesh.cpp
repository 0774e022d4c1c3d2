// SPDX-License-Identifier: Apache-2.0
#include "tb/noc/coll_mesh.h"

#include <fmt/format.h>

#include <span>
#include <stdexcept>

#include "Vnoc_dn.h"
#include "Vnoc_dn_checked.h"
#include "Vnoc_dn_d1_checked.h"
#include "Vnoc_dn_w512_checked.h"
#include "Vnoc_up.h"
#include "Vnoc_up_checked.h"
#include "Vnoc_up_s0.h"
#include "Vnoc_up_s0_checked.h"
#include "Vnoc_up_w512_checked.h"
#include "tb/noc/wired_routers.h"

namespace tepin::tb::noc {
namespace {

template <class Model, class Flit>
class CollMeshModel final : public CollMesh<Flit> {
 public:
  using Base = CollMesh<Flit>;
  CollMeshModel(int width, int height, const CollVariant& variant, std::uint32_t seed)
      : Base(width, height, variant), routers_(width, height, variant.checked, seed) {}

  void reset() override {
    routers_.reset();
    for (auto& i : this->in) i = {};
    for (auto& o : this->out) o = {};
  }

  void step() override {
    for (std::size_t n = 0; n < this->nodes(); ++n) drive(routers_[n], this->in[n]);
    routers_.connect([this](const Model& from, std::size_t out, Model& to, std::size_t in) {
      to.in_ctl_i[in] = from.out_ctl_o[out];
      to.in_data_i[in] = from.out_data_o[out];
      ++this->hops_;
    });
    routers_.clock();
    for (std::size_t n = 0; n < this->nodes(); ++n) sample(routers_[n], this->out[n]);
  }

 private:
  void drive(Model& m, const typename Base::In& t) const {
    constexpr unsigned bit = 1U << kLocal;
    m.in_valid_i = static_cast<CData>((m.in_valid_i & ~bit) | (t.valid ? bit : 0U));
    m.credit_i[kLocal] = t.credit;
    if (!t.valid) return;
    if constexpr (requires { t.flit.head; }) {
      m.in_ctl_i[kLocal] = pack_ctl(t.flit);
    } else {
      pack_ctl(t.flit, m.in_ctl_i[kLocal]);
    }
    for (std::size_t i = 0; i < this->words(); ++i) m.in_data_i[kLocal][i] = t.flit.data[i];
  }
  void sample(Model& m, typename Base::Out& t) const {
    t.valid = (m.out_valid_o >> kLocal & 1U) != 0;
    t.credits = m.credit_o[kLocal];
    t.idle = m.idle_o != 0;
    if constexpr (requires { m.mismatch_o; }) {
      t.mismatch = m.mismatch_o != 0;
      t.mismatch_group = m.mismatch_group_o;
    }
    if (!t.valid) return;
    unpack_ctl(m.out_ctl_o[kLocal], t.flit);
    for (std::size_t i = 0; i < this->words(); ++i) t.flit.data[i] = m.out_data_o[kLocal][i];
  }

  WiredRouters<Model> routers_;
};

template <class Flit>
struct Built {
  CollVariant variant;
  std::unique_ptr<CollMesh<Flit>> (*make)(int, int, const CollVariant&, std::uint32_t);
};
template <class Model, class Flit>
std::unique_ptr<CollMesh<Flit>> make(int width, int height, const CollVariant& variant, std::uint32_t seed) {
  return std::make_unique<CollMeshModel<Model, Flit>>(width, height, variant, seed);
}
constexpr Built<UpFlit> kUp[] = {
    {{4, 256, false}, make<Vnoc_up, UpFlit>},
    {{0, 256, false}, make<Vnoc_up_s0, UpFlit>},
    {{4, 256, true}, make<Vnoc_up_checked, UpFlit>},
    {{0, 256, true}, make<Vnoc_up_s0_checked, UpFlit>},
    {{4, 512, true}, make<Vnoc_up_w512_checked, UpFlit>},
};
constexpr Built<DnFlit> kDn[] = {
    {{4, 256, false}, make<Vnoc_dn, DnFlit>},
    {{4, 256, true}, make<Vnoc_dn_checked, DnFlit>},
    {{1, 256, true}, make<Vnoc_dn_d1_checked, DnFlit>},
    {{4, 512, true}, make<Vnoc_dn_w512_checked, DnFlit>},
};

template <class Flit>
std::vector<CollVariant> variants(std::span<const Built<Flit>> built) {
  std::vector<CollVariant> all;
  for (const auto& b : built) all.push_back(b.variant);
  return all;
}
template <class Flit>
std::unique_ptr<CollMesh<Flit>> find(std::span<const Built<Flit>> built, int width, int height, const CollVariant& v,
                                     std::uint32_t seed) {
  if (width < 1 || width > kMaxSide || height < 1 || height > kMaxSide)
    throw std::invalid_argument(fmt::format("mesh {}x{}: allowed: 1x1 to {}x{}", width, height, kMaxSide, kMaxSide));
  for (const auto& b : built)
    if (b.variant == v) return b.make(width, height, v, seed);
  throw std::invalid_argument(fmt::format("no router with {} slots and {} bits was built", v.slots, v.link_bits));
}

}  // namespace

std::vector<CollVariant> up_variants() { return variants<UpFlit>(kUp); }
std::vector<CollVariant> dn_variants() { return variants<DnFlit>(kDn); }
std::unique_ptr<UpMesh> make_up_mesh(int width, int height, const CollVariant& variant, std::uint32_t seed) {
  return find<UpFlit>(kUp, width, height, variant, seed);
}
std::unique_ptr<DnMesh> make_dn_mesh(int width, int height, const CollVariant& variant, std::uint32_t seed) {
  return find<DnFlit>(kDn, width, height, variant, seed);
}

}  // namespace tepin::tb::noc
