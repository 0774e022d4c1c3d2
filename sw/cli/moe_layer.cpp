// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/moe_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "sw/golden/dot.h"
#include "sw/golden/functions.h"

namespace tepin::cli {
namespace {

using golden::kBlock;

const model::Tensor& tensor(const model::Safetensors& file, const std::string& name, model::Dtype type,
                            const std::vector<std::uint64_t>& shape) {
  const model::Tensor* t = file.find(name);
  if (t == nullptr) throw isa::InputError(fmt::format("{}: no tensor '{}'", file.path(), name));
  if (t->dtype != type || t->shape != shape) {
    throw isa::InputError(fmt::format("{}: tensor '{}' is {} [{}]; expected {} [{}]", file.path(), name,
                                      model::kDtypes[static_cast<std::size_t>(t->dtype)].name,
                                      fmt::join(t->shape, ", "), model::kDtypes[static_cast<std::size_t>(type)].name,
                                      fmt::join(shape, ", ")));
  }
  return *t;
}

std::vector<float> floats(std::span<const std::uint8_t> bf16) {
  std::vector<float> v(bf16.size() / 2);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(bf16[2 * i] | bf16[2 * i + 1] << 8) << 16;
    v[i] = std::bit_cast<float>(bits);
  }
  return v;
}
std::vector<std::uint32_t> bits_of(const std::vector<float>& v) {
  std::vector<std::uint32_t> b(v.size());
  std::ranges::transform(v, b.begin(), [](float f) { return std::bit_cast<std::uint32_t>(f); });
  return b;
}

/// The part of a tensor that belongs to expert e of n.
std::span<const std::uint8_t> part(const model::Tensor& t, std::size_t e, std::size_t n) {
  const std::size_t size = t.data.size() / n;
  return t.data.subspan(e * size, size);
}

using Vector = std::vector<std::uint32_t>;

std::vector<golden::Block> quantised(const Vector& x, isa::Format f) {
  std::vector<golden::Block> blocks;
  for (std::size_t b = 0; b < x.size(); b += kBlock)
    blocks.push_back(golden::quantise(f, std::span<const std::uint32_t, kBlock>(&x[b], kBlock)));
  return blocks;
}

/// Row `row` of MXFP4 weights times x, one rounding a block.
std::uint32_t row_product(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales, std::size_t row,
                          const std::vector<golden::Block>& x, isa::Format f) {
  std::uint32_t acc = 0;
  for (std::size_t kb = 0; kb < x.size(); ++kb) {
    const std::size_t at = row * x.size() + kb;
    golden::Block w{scales[at], {}};
    golden::unpack_codes(isa::Format::kMxfp4, &codes[at * 16], w.codes);
    acc = golden::accumulate(acc, golden::dot(isa::Format::kMxfp4, w, f, x[kb]));
  }
  return acc;
}

Vector expert_result(const kernels::MoeLayer& layer, const kernels::MoeExpert& e, const Vector& x) {
  const auto qx = quantised(x, layer.act);
  const std::uint32_t slope = kernels::moe_slope(layer.alpha);
  Vector g(layer.inner);
  for (std::size_t i = 0; i < g.size(); ++i) {
    const auto h = [&](std::size_t row) {
      return golden::fp32_add(row_product(e.w1_codes, e.w1_scales, row, qx, layer.act), e.b1[row]);
    };
    g[i] = golden::fp32_swiglu(h(2 * i), h(2 * i + 1), layer.limit, slope);
  }
  const auto qg = quantised(g, layer.act);
  Vector y(layer.hidden);
  for (std::size_t r = 0; r < y.size(); ++r)
    y[r] = golden::fp32_add(row_product(e.w2_codes, e.w2_scales, r, qg, layer.act), e.b2[r]);
  return y;
}

/// Sums of two where there are two.
std::optional<Vector> join(const std::optional<Vector>& a, const std::optional<Vector>& b) {
  if (!a) return b;
  if (!b) return a;
  Vector s(a->size());
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = golden::fp32_add((*a)[i], (*b)[i]);
  return s;
}

struct Place {
  std::uint32_t x, y;
};

/// What a router on the way to `root` passes on of its tiles' operands: docs/net.md, 4, from the far ends inwards.
class Tree {
 public:
  Tree(std::vector<std::optional<Vector>> parts, std::uint32_t mesh_x, std::uint32_t mesh_y, Place root)
      : parts_(std::move(parts)), mesh_x_(mesh_x), mesh_y_(mesh_y), root_(root) {}
  Vector result() { return *at(root_, true, true, true, true); }

 private:
  /// The sides on which operands may come in: of the row only outside the root's column.
  std::optional<Vector> at(Place p, bool west, bool east, bool north, bool south) {
    const auto w = west && p.x > 0 ? at({p.x - 1, p.y}, true, false, false, false) : std::nullopt;
    const auto e = east && p.x + 1 < mesh_x_ ? at({p.x + 1, p.y}, false, true, false, false) : std::nullopt;
    const auto n = north && p.y > 0 ? at({p.x, p.y - 1}, true, true, true, false) : std::nullopt;
    const auto s = south && p.y + 1 < mesh_y_ ? at({p.x, p.y + 1}, true, true, false, true) : std::nullopt;
    return join(join(join(w, e), join(n, s)), parts_[p.y * mesh_x_ + p.x]);
  }
  std::vector<std::optional<Vector>> parts_;
  std::uint32_t mesh_x_, mesh_y_;
  Place root_;
};

}  // namespace

MoeModel load_moe(const model::Safetensors& file, std::uint64_t block) {
  const std::string at = fmt::format("block.{}.mlp.", block);
  const model::Tensor* blocks = file.find(at + "mlp1_weight.blocks");
  if (blocks == nullptr || blocks->shape.size() != 4)
    throw isa::InputError(fmt::format("{}: no tensor '{}mlp1_weight.blocks' of four dimensions", file.path(), at));
  const std::uint64_t experts = blocks->shape[0];
  const std::uint64_t inner = blocks->shape[1] / 2;
  const std::uint64_t hidden = blocks->shape[2] * 32;
  const auto get = [&](const std::string& name, model::Dtype type,
                       const std::vector<std::uint64_t>& shape) -> const model::Tensor& {
    return tensor(file, at + name, type, shape);
  };
  const auto& w1 = get("mlp1_weight.blocks", model::Dtype::kU8, {experts, 2 * inner, hidden / 32, 16});
  const auto& s1 = get("mlp1_weight.scales", model::Dtype::kU8, {experts, 2 * inner, hidden / 32});
  const auto& w2 = get("mlp2_weight.blocks", model::Dtype::kU8, {experts, hidden, inner / 32, 16});
  const auto& s2 = get("mlp2_weight.scales", model::Dtype::kU8, {experts, hidden, inner / 32});
  const auto& b1 = get("mlp1_bias", model::Dtype::kBf16, {experts, 2 * inner});
  const auto& b2 = get("mlp2_bias", model::Dtype::kBf16, {experts, hidden});
  MoeModel m;
  m.layer.hidden = hidden;
  m.layer.inner = inner;
  for (std::size_t e = 0; e < experts; ++e) {
    m.layer.experts.push_back({part(w1, e, experts), part(s1, e, experts), part(w2, e, experts), part(s2, e, experts),
                               bits_of(floats(part(b1, e, experts))), bits_of(floats(part(b2, e, experts)))});
  }
  m.norm = floats(get("norm.scale", model::Dtype::kBf16, {hidden}).data);
  m.gate = floats(get("gate.weight", model::Dtype::kBf16, {experts, hidden}).data);
  m.gate_bias = floats(get("gate.bias", model::Dtype::kBf16, {experts}).data);
  const model::Tensor* embedding = file.find("embedding.weight");
  const std::uint64_t vocabulary = embedding != nullptr && embedding->shape.size() == 2 ? embedding->shape[0] : 0;
  m.embedding = floats(tensor(file, "embedding.weight", model::Dtype::kBf16, {vocabulary, hidden}).data);
  return m;
}

void add_tokens(MoeModel& m, const std::vector<std::uint32_t>& tokens, std::uint64_t top) {
  const std::size_t hidden = m.layer.hidden;
  const std::size_t experts = m.layer.experts.size();
  if (top == 0 || top > experts) throw isa::InputError(fmt::format("{} experts a token; allowed: 1..{}", top, experts));
  for (const std::uint32_t token : tokens) {
    if (token >= m.embedding.size() / hidden)
      throw isa::InputError(fmt::format("token {}; allowed: 0..{}", token, m.embedding.size() / hidden - 1));
    const float* row = &m.embedding[token * hidden];
    const double square = std::inner_product(row, row + hidden, row, 0.0) / static_cast<double>(hidden);
    std::vector<double> t(hidden);
    for (std::size_t i = 0; i < hidden; ++i) {
      t[i] = static_cast<double>(row[i]) / std::sqrt(square + 1e-5) * static_cast<double>(m.norm[i]);
      m.layer.x.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(t[i])));
    }
    std::vector<double> score(experts);
    for (std::size_t e = 0; e < experts; ++e) {
      score[e] = static_cast<double>(m.gate_bias[e]);
      for (std::size_t i = 0; i < hidden; ++i) score[e] += static_cast<double>(m.gate[e * hidden + i]) * t[i];
    }
    std::vector<std::uint32_t> order(experts);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return score[a] > score[b]; });
    double total = 0;
    for (std::size_t i = 0; i < top; ++i) total += std::exp(score[order[i]] - score[order[0]]);
    std::vector<kernels::MoeChoice> choice;
    for (std::size_t i = 0; i < top; ++i) {
      const double weight = std::exp(score[order[i]] - score[order[0]]) / total;
      choice.push_back({order[i], std::bit_cast<std::uint32_t>(static_cast<float>(weight))});
    }
    m.layer.choice.push_back(std::move(choice));
  }
}

std::vector<std::uint32_t> moe_reference(const kernels::MoeLayer& layer, std::uint32_t mesh_x, std::uint32_t mesh_y) {
  const std::size_t tiles = std::size_t{mesh_x} * mesh_y;
  std::vector<std::uint32_t> result;
  for (std::size_t k = 0; k < layer.choice.size(); ++k) {
    const auto from = layer.x.begin() + static_cast<std::ptrdiff_t>(k * layer.hidden);
    const Vector x(from, from + static_cast<std::ptrdiff_t>(layer.hidden));
    std::vector<std::optional<Vector>> parts(tiles);
    for (const kernels::MoeChoice& c : layer.choice[k]) {
      const Vector y = expert_result(layer, layer.experts[c.expert], x);
      auto& sum = parts[kernels::moe_tile(c.expert, layer.experts.size(), tiles)];
      Vector next(y.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        next[i] = sum ? golden::fp32_fma(y[i], c.weight, (*sum)[i]) : golden::fp32_mul(y[i], c.weight);
      sum = std::move(next);
    }
    const auto home = static_cast<std::uint32_t>(kernels::moe_home(k, tiles));
    const Vector y = Tree(std::move(parts), mesh_x, mesh_y, {home % mesh_x, home / mesh_x}).result();
    result.insert(result.end(), y.begin(), y.end());
  }
  return result;
}

}  // namespace tepin::cli
