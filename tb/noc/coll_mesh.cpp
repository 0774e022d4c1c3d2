// SPDX-License-Identifier: Apache-2.0
#include "tb/noc/coll_mesh.h"

#include <fmt/format.h>
#include <verilated.h>

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

namespace tepin::tb::noc {
namespace {

template <class Model, class Flit>
class CollMeshModel final : public CollMesh<Flit> {
 public:
  using Base = CollMesh<Flit>;
  CollMeshModel(int width, int height, const CollVariant& variant, std::uint32_t seed) : Base(width, height, variant) {
    if (variant.checked) {
      context_.randReset(2);
      context_.randSeed(static_cast<int>(seed & 0x7fffffffU) | 1);
    }
    for (std::size_t n = 0; n < this->nodes(); ++n) {
      routers_.push_back(std::make_unique<Model>(&context_, "router"));
      Model& m = *routers_.back();
      const Coord at = this->coord(n);
      m.x_i = at.x;
      m.y_i = at.y;
      m.last_x_i = static_cast<std::uint8_t>(width - 1);
      m.last_y_i = static_cast<std::uint8_t>(height - 1);
      m.rst_ni = 1;
      m.clk_i = 0;
    }
    for (std::size_t n = 0; n < this->nodes(); ++n) {
      const Coord at = this->coord(n);
      if (at.x + 1 < width) join(n, kEast, this->node(step_east(at)), kWest);
      if (at.y + 1 < height) join(n, kSouth, this->node(step_south(at)), kNorth);
    }
    reset();
  }
  ~CollMeshModel() override {
    for (const auto& r : routers_) r->final();
  }

  void reset() override {
    for (std::size_t n = 0; n < this->nodes(); ++n) {
      Model& m = *routers_[n];
      m.in_valid_i = 0;
      for (std::size_t p = 0; p < kPorts; ++p) m.credit_i[p] = 0;
      m.eval();
      m.rst_ni = 0;  // an asynchronous reset needs an edge
      m.eval();
      m.rst_ni = 1;
      m.eval();
      this->in[n] = {};
      this->out[n] = {};
    }
  }

  void step() override {
    for (std::size_t n = 0; n < this->nodes(); ++n) drive(*routers_[n], this->in[n]);
    for (const Link& l : links_) copy(l);
    for (const auto& r : routers_) {
      if (this->variant().checked) r->eval();  // assertions see what logic had before the edge
      r->clk_i = 1;
      r->eval();
    }
    context_.timeInc(1);
    for (std::size_t n = 0; n < this->nodes(); ++n) sample(*routers_[n], this->out[n]);
    for (const auto& r : routers_) {
      r->clk_i = 0;
      r->eval();
    }
    context_.timeInc(1);
  }

 private:
  struct Link {
    Model *from, *to;
    std::size_t out, in;  // port of from, port of to
  };
  static Coord step_east(Coord c) { return {static_cast<std::uint8_t>(c.x + 1), c.y}; }
  static Coord step_south(Coord c) { return {c.x, static_cast<std::uint8_t>(c.y + 1)}; }
  void join(std::size_t a, Port pa, std::size_t b, Port pb) {
    links_.push_back({routers_[a].get(), routers_[b].get(), pa, pb});
    links_.push_back({routers_[b].get(), routers_[a].get(), pb, pa});
  }
  void copy(const Link& l) {
    const unsigned valid = (l.from->out_valid_o >> l.out) & 1U;
    const unsigned bit = 1U << l.in;
    l.to->in_valid_i = static_cast<CData>((l.to->in_valid_i & ~bit) | (valid << l.in));
    if (valid != 0) {
      l.to->in_ctl_i[l.in] = l.from->out_ctl_o[l.out];
      l.to->in_data_i[l.in] = l.from->out_data_o[l.out];
      ++this->hops_;
    }
    l.from->credit_i[l.out] = l.to->credit_o[l.in];
  }
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

  VerilatedContext context_;
  std::vector<std::unique_ptr<Model>> routers_;
  std::vector<Link> links_;
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
