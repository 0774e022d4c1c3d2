// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/moe_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "sw/cli/import.h"
#include "sw/cli/operands.h"
#include "sw/golden/functions.h"
#include "tb/noc/coll_reference.h"

namespace tepin::cli {
namespace {

constexpr std::size_t kFlitValues = 8;

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

std::vector<std::uint32_t> bits_of(std::span<const std::uint8_t> bf16) { return to_fp32(model::Dtype::kBf16, bf16); }
std::vector<float> floats(std::span<const std::uint32_t> bits) {
  std::vector<float> v(bits.size());
  std::ranges::transform(bits, v.begin(), [](std::uint32_t b) { return std::bit_cast<float>(b); });
  return v;
}

/// The part of a tensor that belongs to expert e of n.
std::span<const std::uint8_t> part(const model::Tensor& t, std::size_t e, std::size_t n) {
  const std::size_t size = t.data.size() / n;
  return t.data.subspan(e * size, size);
}

using Vector = std::vector<std::uint32_t>;

/// W x of MXFP4 weights with `m` rows.
Vector product(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales, std::uint64_t m,
               const Vector& x, isa::Format act) {
  const std::uint64_t kb = x.size() / golden::kBlock;
  Weights w;
  w.m = m;
  w.kb = kb;
  w.codes = codes;
  w.scales = scales;
  return reference_product(w, quantise(floats(x), 1, kb, act));
}

Vector expert_result(const kernels::MoeLayer& layer, const kernels::MoeExpert& e, const Vector& x) {
  const auto add = [](Vector y, const Vector& bias) {
    std::ranges::transform(y, bias, y.begin(), golden::fp32_add);
    return y;
  };
  const Vector h = add(product(e.w1_codes, e.w1_scales, 2 * layer.inner, x, layer.act), e.b1);
  const std::uint32_t slope = kernels::moe_slope(layer.alpha);
  Vector g(layer.inner);
  for (std::size_t i = 0; i < g.size(); ++i) g[i] = golden::fp32_swiglu(h[2 * i], h[2 * i + 1], layer.limit, slope);
  return add(product(e.w2_codes, e.w2_scales, layer.hidden, g, layer.act), e.b2);
}

/// The 256 bits of a vector that a flit carries.
tb::noc::Payload flit_of(const Vector& v, std::size_t first) {
  tb::noc::Payload p{};
  std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(first), kFlitValues, p.begin());
  return p;
}

std::string prefix(std::uint64_t block) { return fmt::format("block.{}.mlp.", block); }

}  // namespace

std::string moe_tensor(std::uint64_t block) { return prefix(block) + "mlp1_weight.blocks"; }

bool has_moe(const model::Safetensors& file, std::uint64_t block) {
  const model::Tensor* t = file.find(moe_tensor(block));
  return t != nullptr && t->shape.size() == 4;
}

MoeModel load_moe(const model::Safetensors& file, std::uint64_t block) {
  const std::string at = prefix(block);
  if (!has_moe(file, block))
    throw isa::InputError(fmt::format("{}: no tensor '{}' of four dimensions", file.path(), moe_tensor(block)));
  const model::Tensor* blocks = file.find(moe_tensor(block));
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
                               bits_of(part(b1, e, experts)), bits_of(part(b2, e, experts))});
  }
  m.norm = floats(bits_of(get("norm.scale", model::Dtype::kBf16, {hidden}).data));
  m.gate = floats(bits_of(get("gate.weight", model::Dtype::kBf16, {experts, hidden}).data));
  m.gate_bias = floats(bits_of(get("gate.bias", model::Dtype::kBf16, {experts}).data));
  const model::Tensor* embedding = file.find("embedding.weight");
  const std::uint64_t vocabulary = embedding != nullptr && embedding->shape.size() == 2 ? embedding->shape[0] : 0;
  m.embedding = floats(bits_of(tensor(file, "embedding.weight", model::Dtype::kBf16, {vocabulary, hidden}).data));
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
  const auto place = [mesh_x](std::size_t tile) {
    return tb::noc::Coord{static_cast<std::uint8_t>(tile % mesh_x), static_cast<std::uint8_t>(tile / mesh_x)};
  };
  std::vector<std::uint32_t> result;
  for (std::size_t k = 0; k < layer.choice.size(); ++k) {
    const auto from = layer.x.begin() + static_cast<std::ptrdiff_t>(k * layer.hidden);
    const Vector x(from, from + static_cast<std::ptrdiff_t>(layer.hidden));
    std::array<Vector, 64> parts;  // by tile number
    std::uint64_t members = 0;
    for (const kernels::MoeChoice& c : layer.choice[k]) {
      const Vector y = expert_result(layer, layer.experts[c.expert], x);
      const auto at = place(kernels::moe_tile(c.expert, layer.experts.size(), tiles));
      Vector& sum = parts[tb::noc::tile_number(at)];
      const bool first = sum.empty();
      sum.resize(y.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        sum[i] = first ? golden::fp32_mul(y[i], c.weight) : golden::fp32_fma(y[i], c.weight, sum[i]);
      members |= tb::noc::tile_bit(at);
    }
    const tb::noc::Coord home = place(kernels::moe_home(k, tiles));
    const auto inputs = tb::noc::data_inputs(members, home);
    for (std::size_t i = 0; i < layer.hidden; i += kFlitValues) {
      const auto y = tb::noc::reduce_flit(inputs, home, false, false, kFlitValues,
                                          [&](unsigned tile) { return flit_of(parts[tile], i); });
      result.insert(result.end(), y.begin(), y.begin() + kFlitValues);
    }
  }
  return result;
}

}  // namespace tepin::cli
