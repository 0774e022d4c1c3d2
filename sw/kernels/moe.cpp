// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/moe.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <numbers>

#include "sw/kernels/plan.h"

namespace tepin::kernels {
namespace {

constexpr std::uint64_t kRecord = 64;      // of a token in the table
constexpr std::uint64_t kPanelBlock = 64;  // codes and the word of the scale
constexpr std::size_t kMaxHere = 4;        // experts of a token at one tile: what a record has room for

std::uint32_t tile_number(std::size_t tile, std::uint32_t mesh_x) {
  return static_cast<std::uint32_t>(tile / mesh_x * 8 + tile % mesh_x);
}

void check(const isa::Config& cfg, std::uint32_t mesh_x, std::uint32_t mesh_y, const MoeLayer& layer) {
  if (mesh_x < 1 || mesh_x > 8 || mesh_y < 1 || mesh_y > 8)
    throw isa::InputError(fmt::format("mesh {}x{}; allowed: 1x1 to 8x8", mesh_x, mesh_y));
  if (layer.hidden == 0 || layer.hidden % 32 != 0 || layer.inner == 0 || layer.inner % 32 != 0) {
    throw isa::InputError(
        fmt::format("moe: hidden {} and inner {} must be multiples of 32, at least 32", layer.hidden, layer.inner));
  }
  if (32 % cfg.mxu_rows != 0 || cfg.mxu_rows == 32 || cfg.pcs != 2)
    throw isa::InputError(
        fmt::format("configuration {}: moe needs 2, 4, 8 or 16 matrix rows and 2 pseudo-channels", cfg.name));
  if (layer.experts.empty() || layer.choice.empty()) throw isa::InputError("moe: no experts or no tokens");
  if (layer.x.size() != layer.choice.size() * layer.hidden)
    throw isa::InputError(
        fmt::format("moe: {} values for {} tokens of {}", layer.x.size(), layer.choice.size(), layer.hidden));
  for (const auto& choice : layer.choice) {
    if (choice.empty()) throw isa::InputError("moe: a token without an expert");
    for (std::size_t i = 0; i < choice.size(); ++i) {
      if (choice[i].expert >= layer.experts.size())
        throw isa::InputError(
            fmt::format("moe: expert {}; allowed: 0..{}", choice[i].expert, layer.experts.size() - 1));
      for (std::size_t j = 0; j < i; ++j) {
        if (choice[i].expert == choice[j].expert)
          throw isa::InputError(fmt::format("moe: a token names expert {} twice", choice[i].expert));
      }
    }
  }
}

template <class T>
void append(std::vector<std::uint8_t>& to, const std::vector<T>& values) {
  const std::size_t at = to.size();
  to.resize(at + values.size() * sizeof(T));
  std::memcpy(to.data() + at, values.data(), values.size() * sizeof(T));
}

/// Rows of W1 as the kernel takes them: all gates, then all linear parts.
template <class T>
std::vector<T> gates_first(std::span<const T> rows, std::size_t row) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const std::size_t part : {std::size_t{0}, std::size_t{1}}) {
    for (std::size_t r = part; r * row < rows.size(); r += 2) {
      const auto at = rows.begin() + static_cast<std::ptrdiff_t>(r * row);
      out.insert(out.end(), at, at + static_cast<std::ptrdiff_t>(row));
    }
  }
  return out;
}

struct Layout {
  model::WeightLayout w1, w2;
  [[nodiscard]] std::uint64_t b1() const { return w1.bytes() + w2.bytes(); }
  [[nodiscard]] std::uint64_t b2() const { return b1() + w1.m * 4; }
  [[nodiscard]] std::uint64_t bytes() const { return b2() + w2.m * 4; }
};

std::vector<std::uint8_t> expert_bytes(const Layout& layout, const MoeExpert& e) {
  const std::uint64_t kb1 = layout.w1.kblocks;
  const auto codes = gates_first(e.w1_codes, kb1 * 16);
  const auto scales = gates_first(e.w1_scales, kb1);
  std::vector<std::uint8_t> out = model::make_weight_panels(layout.w1, codes, scales);
  append(out, model::make_weight_panels(layout.w2, e.w2_codes, e.w2_scales));
  append(out, gates_first(std::span<const std::uint32_t>(e.b1), 1));
  append(out, e.b2);
  return out;
}

/// Places in the scratchpad, the same at all tiles.
struct Places {
  std::uint64_t table, x, stage, panels, w, h, g, ga, y, acc, out, end;
};
Places place(const MoeLayer& layer, const Layout& l, std::size_t homes) {
  Places p{};
  std::uint64_t at = kParamBytes;
  const auto take = [&at](std::uint64_t bytes) {
    const std::uint64_t from = at;
    at += round_up(bytes, 32);
    return from;
  };
  p.table = take(layer.choice.size() * kRecord);
  p.x = take(homes * layer.hidden * 4);
  p.stage = take(homes * l.w1.kblocks * kPanelBlock);
  p.panels = take(layer.choice.size() * l.w1.kblocks * kPanelBlock);
  p.w = take(2 * l.bytes());
  p.h = take(l.w1.m * 4);
  p.g = take(layer.inner * 4);
  p.ga = take(l.w2.kblocks * kPanelBlock);
  p.y = take(layer.hidden * 4);
  p.acc = take(layer.hidden * 4);
  p.out = take(homes * layer.hidden * 4);
  p.end = at;
  return p;
}

}  // namespace

std::uint32_t moe_slope(float alpha) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(-static_cast<double>(alpha) * std::numbers::log2e));
}

ChipLaunch plan_moe(const isa::Config& cfg, std::uint32_t mesh_x, std::uint32_t mesh_y, const MoeLayer& layer) {
  check(cfg, mesh_x, mesh_y, layer);
  const std::size_t tiles = std::size_t{mesh_x} * mesh_y;
  const std::size_t tokens = layer.choice.size();
  const std::size_t homes = div_up(tokens, tiles);
  const std::uint64_t kb1 = layer.hidden / 32;
  const std::uint64_t kb2 = layer.inner / 32;
  const Layout layout{{2 * layer.inner, kb1, cfg.mxu_rows, isa::Format::kMxfp4},
                      {layer.hidden, kb2, cfg.mxu_rows, isa::Format::kMxfp4}};
  const Places p = place(layer, layout, homes);
  if (p.end > cfg.spad_bytes)
    throw isa::InputError(
        fmt::format("moe: the layer needs {} bytes of scratchpad; {} has {}", p.end, cfg.name, cfg.spad_bytes));

  std::uint64_t mask_all = 0;
  for (std::size_t t = 0; t < tiles; ++t) mask_all |= std::uint64_t{1} << tile_number(t, mesh_x);
  const std::uint32_t middle = tile_number((mesh_y - 1) / 2 * std::size_t{mesh_x} + (mesh_x - 1) / 2, mesh_x);
  const isa::Section section =
      assemble_kernel(cfg, "moe.s", {{"FA", layer.act}},
                      fmt::format(".equ T1, {}\n.equ T2, {}\n", layout.w1.tiles(), layout.w2.tiles()));

  ChipLaunch chip;
  chip.name = "moe";
  chip.mesh_x = mesh_x;
  chip.mesh_y = mesh_y;
  for (std::size_t t = 0; t < tiles; ++t) {
    Launch launch;
    launch.name = "moe";
    launch.section = section;
    HbmAllocator hbm(cfg);
    // The experts that live here.
    std::vector<std::uint64_t> expert_beat(layer.experts.size());
    const std::uint64_t step = striped_beats(layout.bytes() / 32, cfg.pcs);
    for (std::size_t e = 0; e < layer.experts.size(); ++e) {
      if (moe_tile(e, layer.experts.size(), tiles) != t) continue;
      expert_beat[e] = hbm.take(step);
      stripe(expert_bytes(layout, layer.experts[e]), expert_beat[e], cfg.pcs, launch.hbm);
    }
    // The tokens that live here, and the table of all.
    std::vector<std::uint8_t> x;
    std::vector<std::uint32_t> table;
    std::uint64_t here = 0;
    for (std::size_t k = 0; k < tokens; ++k) {
      const bool home = moe_home(k, tiles) == t;
      std::uint64_t mask = 0;
      std::vector<std::uint32_t> experts;
      for (const MoeChoice& c : layer.choice[k]) {
        const std::size_t at = moe_tile(c.expert, layer.experts.size(), tiles);
        mask |= std::uint64_t{1} << tile_number(at, mesh_x);
        if (at != t) continue;
        experts.push_back(static_cast<std::uint32_t>(hbm_address(0, expert_beat[c.expert])));
        experts.push_back(c.weight);
        launch.useful_macs += layout.w1.m * layer.hidden + layer.hidden * layer.inner;
        launch.payload_bytes += layout.bytes();
      }
      if (experts.size() > 2 * kMaxHere) {
        throw isa::InputError(
            fmt::format("moe: token {} has {} experts at one tile; allowed: {}", k, experts.size() / 2, kMaxHere));
      }
      const std::uint32_t role = (home ? 1U : 0U) | (home || !experts.empty() ? 2U : 0U);
      const std::array<std::uint32_t, 8> head{static_cast<std::uint32_t>(experts.size() / 2),
                                              static_cast<std::uint32_t>(mask),
                                              static_cast<std::uint32_t>(mask >> 32),
                                              tile_number(moe_home(k, tiles), mesh_x),
                                              role,
                                              static_cast<std::uint32_t>(p.panels + k * kb1 * kPanelBlock),
                                              static_cast<std::uint32_t>(p.out + here * layer.hidden * 4),
                                              0};
      table.insert(table.end(), head.begin(), head.end());
      experts.resize(8);
      table.insert(table.end(), experts.begin(), experts.end());
      if (!home) continue;
      ++here;
      append(x, std::vector<std::uint32_t>(layer.x.begin() + static_cast<std::ptrdiff_t>(k * layer.hidden),
                                           layer.x.begin() + static_cast<std::ptrdiff_t>((k + 1) * layer.hidden)));
    }
    const std::uint64_t beats = x.size() / 32;
    const std::uint64_t x_beat = hbm.take(striped_beats(beats, cfg.pcs));
    const std::uint64_t y_beat = hbm.take(beats);
    if (!x.empty()) stripe(x, x_beat, cfg.pcs, launch.hbm);
    launch.outputs.push_back({0, y_beat * 32, std::vector<std::uint8_t>(x.size())});
    launch.array_macs_per_cycle = std::uint64_t{cfg.mxu_rows} * cfg.mxu_cols * 32;

    Params q("moe.s");
    q.set("P_TOKENS", tokens);
    q.set("P_TABLE", p.table);
    q.set("P_ALL_LO", mask_all & 0xffffffffU);
    q.set("P_ALL_HI", mask_all >> 32);
    q.set("P_ROOT", middle);
    q.set("P_HOME", here);
    q.set("P_X_HBM", hbm_address(0, x_beat));
    q.set("P_X_LEN", beats);
    q.set("P_X", p.x);
    q.set("P_STAGE", p.stage);
    q.set("P_KB1", kb1);
    q.set("P_KB2", kb2);
    q.set("P_W_LEN", layout.bytes() / 32);
    q.set("P_W", p.w);
    q.set("P_W_SUM", 2 * p.w + layout.bytes());
    q.set("P_W2", layout.w1.bytes());
    q.set("P_B1", layout.b1());
    q.set("P_B2", layout.b2());
    q.set("P_TILE1", layout.w1.tile_bytes());
    q.set("P_TILE2", layout.w2.tile_bytes());
    q.set("P_SCL1", layout.w1.scales_offset());
    q.set("P_SCL2", layout.w2.scales_offset());
    q.set("P_H", p.h);
    q.set("P_UP", p.h + layer.inner * 4);
    q.set("P_N1", 2 * layer.inner);
    q.set("P_HALF", layer.inner);
    q.set("P_N2", layer.hidden);
    q.set("P_G", p.g);
    q.set("P_GA", p.ga);
    q.set("P_Y", p.y);
    q.set("P_ACC", p.acc);
    q.set("P_LIMIT", layer.limit);
    q.set("P_SLOPE", moe_slope(layer.alpha));
    q.set("P_OUT", p.out);
    q.set("P_Y_HBM", hbm_address(0, y_beat));
    q.set("P_Y_LEN", beats);
    q.set("P_WORDS", layer.hidden / 8);
    q.set("P_PWORDS", kb1 * kPanelBlock / 32);
    launch.params = q.bytes();
    append(launch.params, table);
    chip.tiles.push_back(std::move(launch));
  }
  return chip;
}

std::vector<std::uint32_t> moe_result(const MoeLayer& layer, std::size_t tiles,
                                      std::span<const std::vector<std::vector<std::uint8_t>>> outputs) {
  std::vector<std::uint32_t> y(layer.choice.size() * layer.hidden);
  for (std::size_t k = 0; k < layer.choice.size(); ++k)
    std::memcpy(&y[k * layer.hidden], outputs[moe_home(k, tiles)].at(0).data() + k / tiles * layer.hidden * 4,
                layer.hidden * 4);
  return y;
}

}  // namespace tepin::kernels
