// SPDX-License-Identifier: Apache-2.0
// The engines' operations of a random program, each with legal operands and no race within itself.
#include <fmt/format.h>

#include <algorithm>

#include "random_program.h"

namespace tepin::tb::testing {

namespace {

constexpr int kLd = 4, kSt = 5, kMxu = 6, kVpu = 7;

std::uint64_t round_up(std::uint64_t v, std::uint64_t unit) { return (v + unit - 1) / unit * unit; }
bool apart(const Range& a, const Range& b) { return a.hi <= b.lo || b.hi <= a.lo; }

/// Beats that a striped run takes of one channel, at most.
std::uint64_t channel_beats(std::uint64_t len, std::uint64_t npc) {
  const std::uint64_t round = 8 * npc;
  return (len - 1) / round * 8 + std::min<std::uint64_t>((len - 1) % round, 7) + 1;
}

std::uint32_t columns(std::uint64_t first, std::uint64_t n) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << n) - 1) << first);
}

}  // namespace

std::string ProgramGenerator::engine_text(Operation& op, const std::string& name,
                                          const std::vector<std::pair<std::string, std::uint64_t>>& operands,
                                          const std::string& flags) {
  std::string s = name;
  int reg = 16;
  const char* separator = " ";
  for (const auto& [field, value] : operands) {
    if (value == 0 && percent(50)) continue;  // left out: r0
    if (value == 0 && percent(50)) {
      s += fmt::format("{}{}=r0", separator, field);
    } else {
      op.setup.push_back(fmt::format("li r{}, {}", reg, value));
      s += fmt::format("{}{}=r{}", separator, field, reg++);
    }
    separator = ", ";
  }
  if (!flags.empty()) s += separator + flags;
  return s;
}

bool ProgramGenerator::load_or_store(bool load) {
  const std::uint64_t npc = between(1, 2);
  const std::uint64_t pc = npc == 2 ? 0 : below(2);
  const std::uint64_t len = between(1, percent(70) ? 12 : 60);
  std::uint64_t n1 = percent(50) ? 1 : between(1, 4);
  std::uint64_t n2 = percent(70) ? 1 : between(1, 3);
  // Steps that keep runs apart on the side that is written; anything on the other.
  const auto steps = [&](std::uint64_t run, std::uint64_t unit,
                         bool written) -> std::pair<std::uint64_t, std::uint64_t> {
    if (!written && percent(40)) return {below(run / unit + 3) * unit, below(run / unit + 3) * unit};
    const std::uint64_t inner = run + below(3) * unit;
    if (percent(30))
      return {(n2 - 1) * inner + run + below(3) * unit, inner};  // the outer runs lie between the inner ones
    return {inner, (n1 - 1) * inner + run + below(3) * unit};
  };
  const auto [s1, s2] = steps(len * 32, 32, load);
  const std::uint64_t beats = channel_beats(len, npc);
  const auto [h1, h2] = steps(beats, 1, !load);
  const std::uint64_t bytes = (n1 - 1) * s1 + (n2 - 1) * s2 + len * 32;
  const std::uint64_t extent = (n1 - 1) * h1 + (n2 - 1) * h2 + beats;
  if (bytes > size_ || extent > kHbmBeats) return false;
  const std::uint64_t at = arena(bytes, 32);
  const std::uint64_t beat = hbm_base_ + below(kHbmBeats - extent + 1);
  Operation op;
  op.agent = load ? kLd : kSt;
  op.lines.push_back(engine_text(op, load ? "ld" : "st",
                                 {{"spad", at},
                                  {"hbm", pc << 26 | beat},
                                  {"len", len},
                                  {"cnt", (n2 - 1) << 16 | (n1 - 1)},
                                  {"sstep1", s1},
                                  {"hstep1", h1},
                                  {"sstep2", s2},
                                  {"hstep2", h2}},
                                 fmt::format("npc={}", npc)));
  std::vector<Range> hbm;
  for (std::uint64_t c = pc; c < pc + npc; ++c) hbm.push_back({1 + static_cast<int>(c), beat, beat + extent});
  const std::vector<Range> scratchpad{spad(at, bytes)};
  op.writes = load ? scratchpad : hbm;
  op.reads = load ? hbm : scratchpad;
  add(std::move(op));
  return true;
}

bool ProgramGenerator::multiply() {
  // Not the 6-bit formats: the arena's bytes are no codes of theirs.
  constexpr std::array<const char*, 4> kFormats{"mxfp4", "mxfp8_e4m3", "mxint8", "mxfp8_e5m2"};
  struct Weights {
    const char* name;
    std::uint64_t codes, scales;  // bytes of a block of 8 rows
    std::uint64_t align;          // of the scales
  };
  constexpr std::array<Weights, 6> kWeights{{{"mxfp4", 128, 8, 8},
                                             {"mxfp8_e4m3", 256, 8, 8},
                                             {"mxint8", 256, 8, 8},
                                             {"nvfp4", 128, 16, 16},
                                             {"int4g32", 128, 16, 16},
                                             {"mxint8x2", 512, 16, 8}}};
  const std::size_t format = below(kFormats.size());
  const Weights& wgt = percent(50) ? kWeights[0] : kWeights[below(kWeights.size())];
  const std::uint64_t unit = format == 0 ? 16 : 32;
  const std::uint64_t cg = percent(60) ? 0 : below(8);
  const std::uint64_t n = between(1, percent(50) ? std::min<std::uint64_t>(6, 32 - cg * 4) : 32 - cg * 4);
  const std::uint64_t kb = between(1, percent(80) ? 6 : 24);
  const std::uint64_t astep = percent(10) ? 0 : round_up(n * unit, 32) + 32 * below(3);
  const std::uint64_t asstep = percent(10) ? 0 : 32 * between(1, 2);
  const std::uint64_t a_bytes = (kb - 1) * astep + n * unit;
  const std::uint64_t as_bytes = (kb - 1) * asstep + n;
  if (std::max({kb * wgt.codes, a_bytes, as_bytes}) > size_) return false;
  const std::uint32_t mask = columns(cg * 4, n);
  const bool init = (acc_written_ & mask) != mask || percent(40);
  const std::uint64_t w = arena(kb * wgt.codes, 32), ws = arena(kb * wgt.scales, wgt.align), a = arena(a_bytes, 32),
                      as = arena(as_bytes, 32);
  Operation op;
  op.agent = kMxu;
  op.lines.push_back(engine_text(
      op, "mm",
      {{"w", w}, {"ws", ws}, {"a", a}, {"as", as}, {"kb", kb}, {"n", n}, {"astep", astep}, {"asstep", asstep}},
      fmt::format("fa={}, fw={}{}, cg={}", kFormats[format], wgt.name, init ? ", init" : "", cg)));
  op.reads = {spad(w, kb * wgt.codes), spad(ws, kb * wgt.scales), spad(a, a_bytes), spad(as, as_bytes)};
  add(std::move(op));
  acc_written_ |= mask;
  return true;
}

bool ProgramGenerator::store_accumulators() {
  const std::uint64_t cg = percent(50) ? 0 : below(8);
  const std::uint64_t n = between(1, 32 - cg * 4);
  const std::uint32_t mask = columns(cg * 4, n);
  const std::uint64_t pitch = n == 1 ? 32 * below(4) : 32 * between(1, 4);
  const std::uint64_t bytes = (n - 1) * pitch + 32;
  if ((acc_written_ & mask) != mask || bytes > size_) return false;
  const std::uint64_t dst = arena(bytes, 32);
  Operation op;
  op.agent = kMxu;
  op.lines.push_back(engine_text(op, "mst", {{"dst", dst}, {"pitch", pitch}, {"n", n}}, fmt::format("cg={}", cg)));
  op.writes = {spad(dst, bytes)};
  add(std::move(op));
  return true;
}

bool ProgramGenerator::elementwise() {
  constexpr std::array<const char*, 17> kOps{"vmov",  "vfill",  "vadd",  "vsub",  "vmul",    "vadds",
                                             "vmuls", "vcvtbf", "vcvtf", "vfmas", "vswiglu", "vmin",
                                             "vmax",  "vmins",  "vmaxs", "vexp2", "vrcp"};
  const std::size_t kind = below(kOps.size());
  const std::string name = kOps[kind];
  const bool two = (kind >= 2 && kind <= 4) || (kind >= 9 && kind <= 12);
  const bool scalar =
      kind == 1 || kind == 5 || kind == 6 || name == "vfmas" || name == "vswiglu" || name == "vmins" || name == "vmaxs";
  const std::uint64_t n = between(1, percent(60) ? 40 : 300);
  const std::uint64_t dst_bytes = n * (name == "vcvtbf" ? 2 : 4);
  const std::uint64_t src_bytes = n * (name == "vcvtf" ? 2 : 4);
  if (std::max(dst_bytes, src_bytes) > size_) return false;
  const std::uint64_t dst = arena(dst_bytes, 32);
  const auto source = [&] { return percent(25) && dst_bytes == src_bytes ? dst : arena(src_bytes, 32); };
  const auto fits = [&](std::uint64_t at) {
    return (at == dst && dst_bytes == src_bytes) || apart(spad(at, src_bytes), spad(dst, dst_bytes));
  };
  const std::uint64_t src = source(), src2 = source();
  if ((name != "vfill" && !fits(src)) || (two && !fits(src2))) return false;
  Operation op;
  op.agent = kVpu;
  std::vector<std::pair<std::string, std::uint64_t>> operands{{"dst", dst}, {"n", n}};
  if (name != "vfill") operands.emplace_back("src", src);
  if (two) operands.emplace_back("src2", src2);
  if (scalar) operands.emplace_back("s", percent(80) ? 0x3f800000U + below(0x1000000) : below(std::uint64_t{1} << 32));
  if (name == "vswiglu") operands.emplace_back("k", 0xbf800000U + below(0x1000000));
  std::shuffle(operands.begin(), operands.end(), rng_);
  op.lines.push_back(engine_text(op, name, operands, ""));
  op.writes = {spad(dst, dst_bytes)};
  if (name != "vfill") op.reads.push_back(spad(src, src_bytes));
  if (two) op.reads.push_back(spad(src2, src_bytes));
  add(std::move(op));
  return true;
}

bool ProgramGenerator::quantise(bool to_codes) {
  constexpr std::array<const char*, 6> kFormats{"mxfp4",      "mxfp8_e4m3", "mxint8",
                                                "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2"};
  // Codes of 6 bits must have their upper bits zero, so they are read only where they have just been made.
  const std::size_t format = below(to_codes ? 6 : 4);
  const std::uint64_t unit = format == 0 ? 16 : 32;
  const std::uint64_t nblk = between(1, percent(80) ? 6 : 20);
  const bool bf16 = to_codes && percent(30);
  const std::uint64_t rule = to_codes ? below(4) : 0;
  const std::uint64_t block = bf16 ? 64 : 128;
  const std::uint64_t fp32_step = percent(20) && to_codes ? 32 * below(6) : block + 32 * below(3);
  std::uint64_t code_step = percent(20) && !to_codes ? unit * below(4) : unit * between(1, 4);
  std::uint64_t scale_step = percent(20) && !to_codes ? below(40) : between(1, 40);
  const bool panel = percent(30);  // scales behind the codes of each block
  if (panel) code_step = scale_step = unit + 32;
  const std::uint64_t fp32_bytes = (nblk - 1) * fp32_step + block;
  const std::uint64_t code_bytes = (nblk - 1) * code_step + unit;
  const std::uint64_t scale_bytes = (nblk - 1) * scale_step + 1;
  if (std::max({fp32_bytes, code_bytes + 33, scale_bytes}) > size_) return false;
  const std::uint64_t fp32 = arena(fp32_bytes, 32);
  const std::uint64_t code = arena(code_bytes + (panel ? 33 : 0), unit);
  const std::uint64_t scale = panel ? code + unit + below(32) : arena(scale_bytes, 1);
  const Range f = spad(fp32, fp32_bytes), c = spad(code, code_bytes), s = spad(scale, scale_bytes);
  if (!apart(f, c) || !apart(f, s) || (to_codes && !panel && !apart(c, s))) return false;
  const auto make = [&](bool quantises) {
    Operation op;
    op.agent = kVpu;
    const std::uint64_t dstep = quantises ? code_step : fp32_step, sstep = quantises ? fp32_step : code_step;
    op.lines.push_back(
        engine_text(op, quantises ? "vqnt" : "vdqt",
                    {{"dst", quantises ? code : fp32},
                     {"src", quantises ? fp32 : code},
                     {"nblk", nblk},
                     {"scl", scale},
                     {"dstep", dstep},
                     {"sstep", sstep},
                     {"cstep", scale_step}},
                    fmt::format("fmt={}{}{}", kFormats[format], quantises ? fmt::format(", rule={}", rule) : "",
                                quantises && bf16 ? ", bf16" : "")));
    op.writes = quantises ? std::vector{c, s} : std::vector{f};
    op.reads = quantises ? std::vector{f} : std::vector{c, s};
    add(std::move(op));
  };
  make(to_codes);
  if (to_codes && !bf16 && fp32_step >= 128 && percent(40)) make(false);
  return true;
}

bool ProgramGenerator::repeated() {
  const std::uint64_t turns = between(2, 5);
  const std::uint64_t len = between(1, 6);
  const std::uint64_t bytes = turns * len * 32;
  const std::uint64_t pc = below(2);
  if (bytes > size_) return false;
  const std::uint64_t at = arena(bytes, 32);
  const std::uint64_t beat = hbm_base_ + below(kHbmBeats - turns * len + 1);
  const std::uint64_t kind = below(3);
  const int thread = owner_[static_cast<std::size_t>(kind == 0 ? kLd : kind == 1 ? kSt : kVpu)];
  const std::string end = label(thread);
  Operation op;
  op.setup = {fmt::format("li r16, {}", at), fmt::format("li r17, {}", pc << 26 | beat),
              fmt::format("li r18, {}", kind == 2 ? len * 8 : len), fmt::format("li r30, {}", turns),
              fmt::format("li r19, {}", 0x3fc00000U)};
  op.lines = {fmt::format("loop r30, {}", end)};
  if (kind == 2) {
    op.agent = kVpu;
    op.lines.emplace_back("vmuls dst=r16, src=r16, n=r18, s=r19");
    op.reads = op.writes = {spad(at, bytes)};
  } else {
    op.agent = kind == 0 ? kLd : kSt;
    op.lines.emplace_back(fmt::format("{} spad=r16, hbm=r17, len=r18", kind == 0 ? "ld" : "st"));
    const Range hbm{1 + static_cast<int>(pc), beat, beat + turns * len};
    op.reads = {kind == 0 ? hbm : spad(at, bytes)};
    op.writes = {kind == 0 ? spad(at, bytes) : hbm};
  }
  op.lines.push_back(fmt::format("addi r16, r16, {}", len * 32));
  op.lines.push_back(fmt::format("addi r17, r17, {}", len));
  op.lines.push_back(end + ":");
  add(std::move(op));
  return true;
}

}  // namespace tepin::tb::testing
