// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "sw/kernels/plan.h"

namespace tepin::kernels {

namespace {

/// The panel of columns first..first+n-1 (beyond op.n: zeros), blocks kb0..kb1-1.
std::vector<std::uint8_t> activation_piece(const GemmOperands& op, std::uint64_t first, std::uint64_t n,
                                           std::uint64_t kb0, std::uint64_t kb1) {
  const std::uint64_t bytes = model::block_bytes(op.act);
  const std::uint64_t record = block_record(n, op.act);
  std::vector<std::uint8_t> out((kb1 - kb0) * record);
  for (std::uint64_t kb = kb0; kb < kb1; ++kb) {
    std::uint8_t* at = &out[(kb - kb0) * record];
    for (std::uint64_t c = 0; c < n && first + c < op.n; ++c) {
      const std::uint64_t block = (first + c) * op.kb + kb;
      std::memcpy(at + c * bytes, &op.a_codes[block * bytes], bytes);
      at[record - 32 + c] = op.a_scales[block];
    }
  }
  return out;
}

/// Blocks kb0..kb1-1 of row tile t: codes, then scales, padded to a beat.
std::vector<std::uint8_t> weight_piece(const GemmOperands& op, std::uint64_t rows, std::uint64_t t, std::uint64_t kb0,
                                       std::uint64_t kb1) {
  return model::make_weight_piece({op.m, op.kb, rows, op.wgt}, op.w_codes, op.w_scales, t, kb0, kb1);
}

/// Bytes of kb blocks of a row tile; of the codes and of the scales of one block.
std::uint64_t piece_bytes(const GemmOperands& op, std::uint64_t rows, std::uint64_t kb) {
  return model::WeightLayout{rows, kb, rows, op.wgt}.tile_bytes();
}
std::uint64_t block_code_bytes(const GemmOperands& op, std::uint64_t rows) {
  return rows * model::WeightLayout{rows, 1, rows, op.wgt}.code_bytes();
}
std::uint64_t block_scale_bytes(const GemmOperands& op, std::uint64_t rows) {
  return rows * model::WeightLayout{rows, 1, rows, op.wgt}.scale_bytes();
}

const isa::FormatDesc& desc(isa::Format f) { return isa::kFormats[static_cast<std::size_t>(f)]; }

constexpr std::uint32_t kOne = 0x3f800000U;
void set_scale(Params& q, const GemmOperands& op) {
  q.set("P_SCALED", op.tensor_scale != kOne ? 1 : 0);
  q.set("P_SCALE", op.tensor_scale);
}

struct Tiling {
  std::uint64_t rows, mt, nt, n;  // rows a tile, row tiles, column tiles, columns of one
};

void check(const isa::Config& cfg, const GemmOperands& op) {
  if (op.m == 0 || op.n == 0 || op.kb == 0)
    throw isa::InputError(
        fmt::format("matrix product: m {}, n {} and k {} must be at least 1, 1 and 32", op.m, op.n, op.kb * 32));
  if (desc(op.act).parts == 0 || desc(op.wgt).digits == 0) {
    throw isa::InputError(
        fmt::format("formats {} x {}: the matrix unit takes no such pair (docs/reference/isa.md, formats)",
                    desc(op.wgt).name, desc(op.act).name));
  }
  if (!op.block_scales.empty() && op.block_scales.size() != div_up(op.m, 128) * div_up(op.kb, 4)) {
    throw isa::InputError(fmt::format("block scales: {} of them; allowed: {}", op.block_scales.size(),
                                      div_up(op.m, 128) * div_up(op.kb, 4)));
  }
  if (!op.block_scales.empty() && op.tensor_scale != kOne)
    throw isa::InputError("block scales: not together with a tensor scale");
  if (cfg.pcs != 2)
    throw isa::InputError(fmt::format("configuration {}: the shipped kernels stripe over 2 pseudo-channels, it has {}",
                                      cfg.name, cfg.pcs));
}

void finish(const isa::Config& cfg, const GemmOperands& op, const Tiling& t, std::uint64_t y_beat, Launch& launch) {
  launch.useful_macs = op.m * op.n * op.kb * 32;
  launch.array_macs_per_cycle = std::uint64_t{cfg.mxu_rows} * cfg.mxu_cols * 32;
  launch.passes = static_cast<std::uint64_t>(desc(op.act).parts * desc(op.wgt).digits * desc(op.wgt).blocks);
  const model::WeightLayout layout{op.m, op.kb, t.rows, op.wgt};
  launch.payload_bytes = op.m * op.kb * (layout.code_bytes() + layout.scale_bytes()) + op.block_scales.size() * 4 +
                         op.n * op.kb * (model::block_bytes(op.act) + 1) + op.m * op.n * 4;
  launch.output_pitch = t.mt * 32;
  launch.outputs.push_back({1, y_beat * 32, std::vector<std::uint8_t>(t.nt * t.n * t.mt * 32)});
}

Launch plan_resident(const isa::Config& cfg, const GemmOperands& op, const Tiling& t) {
  const std::uint64_t record = block_record(t.n, op.act);
  const std::uint64_t w_bytes = piece_bytes(op, t.rows, op.kb);
  const std::uint64_t y_bytes = 2 * t.n * 32;
  const std::uint64_t free = cfg.spad_bytes - kParamBytes - y_bytes - op.kb * record;
  const std::uint64_t nbuf = std::min<std::uint64_t>(4, free / w_bytes);
  const std::uint64_t pkb = std::min<std::uint64_t>(op.kb, 8);
  const std::uint64_t pieces = div_up(op.kb, pkb);
  const std::uint64_t w_step = striped_beats(w_bytes / 32, cfg.pcs);
  const std::uint64_t a_step = striped_beats(pkb * record / 32, cfg.pcs);

  Launch launch;
  launch.name = "gemm";
  launch.section = assemble_kernel(cfg, "gemm.s", {{"FA", op.act}, {"FW", op.wgt}});
  HbmAllocator hbm(cfg);
  const std::uint64_t w = hbm.take(t.mt * w_step);
  const std::uint64_t a = hbm.take(t.nt * pieces * a_step);
  const std::uint64_t y = hbm.take(t.nt * t.n * t.mt);
  for (std::uint64_t i = 0; i < t.mt; ++i)
    stripe(weight_piece(op, t.rows, i, 0, op.kb), w + i * w_step, cfg.pcs, launch.hbm);
  for (std::uint64_t i = 0; i < t.nt; ++i) {
    for (std::uint64_t p = 0; p < pieces; ++p) {
      stripe(activation_piece(op, i * t.n, t.n, p * pkb, std::min(op.kb, (p + 1) * pkb)), a + (i * pieces + p) * a_step,
             cfg.pcs, launch.hbm);
    }
  }
  Params q("gemm.s");
  q.set("P_NT", t.nt);
  q.set("P_MT", t.mt);
  q.set("P_KB", op.kb);
  q.set("P_N", t.n);
  q.set("P_W_HBM", hbm_address(0, w));
  q.set("P_W_LEN", w_bytes / 32);
  q.set("P_W_STEP", w_step);
  q.set("P_A_HBM", hbm_address(0, a));
  q.set("P_A_LEN", pkb * record / 32);
  q.set("P_A_LAST", (op.kb - (pieces - 1) * pkb) * record / 32);
  q.set("P_A_STEP", a_step);
  q.set("P_NA", pieces);
  q.set("P_PKB", pkb);
  q.set("P_Y_HBM", hbm_address(1, y));
  q.set("P_A_SPAD", kParamBytes);
  q.set("P_A_BLK", record);
  q.set("P_A_SCL", record - 32);
  q.set("P_W_SPAD", kParamBytes + op.kb * record + y_bytes);
  q.set("P_W_SIZE", w_bytes);
  q.set("P_W_NBUF", nbuf);
  q.set("P_Y_SPAD", kParamBytes + op.kb * record);
  q.set("P_A_FIRST", pkb * record / 32);  // pkb is all of K if there is one piece
  q.set("P_W_BLK", block_code_bytes(op, t.rows));
  q.set("P_W_SCL", block_scale_bytes(op, t.rows));
  set_scale(q, op);
  launch.params = q.bytes();
  finish(cfg, op, t, y, launch);
  return launch;
}

/// Row tiles are taken in pairs, so an odd number gets an empty one.
Launch plan_gemv(const isa::Config& cfg, const GemmOperands& op, Tiling t) {
  t.mt = round_up(t.mt, 2);
  const std::uint64_t record = block_record(t.n, op.act);
  const std::uint64_t tile_bytes = piece_bytes(op, t.rows, op.kb);
  const std::uint64_t y_size = t.mt * 32;
  const std::uint64_t free = cfg.spad_bytes - kParamBytes - op.kb * record - t.n * y_size;
  const std::uint64_t nbuf = std::min<std::uint64_t>(4, free / (2 * tile_bytes));
  const std::uint64_t w_step = striped_beats(2 * tile_bytes / 32, cfg.pcs);

  Launch launch;
  launch.name = "gemv";
  launch.section = assemble_kernel(cfg, "gemv.s", {{"FA", op.act}, {"FW", op.wgt}});
  HbmAllocator hbm(cfg);
  const std::uint64_t w = hbm.take(t.mt / 2 * w_step);
  const std::uint64_t a = hbm.take(striped_beats(op.kb * record / 32, cfg.pcs));
  const std::uint64_t y = hbm.take(t.n * t.mt);
  for (std::uint64_t i = 0; i < t.mt; i += 2) {
    std::vector<std::uint8_t> pair = weight_piece(op, t.rows, i, 0, op.kb);
    const std::vector<std::uint8_t> second = weight_piece(op, t.rows, i + 1, 0, op.kb);
    pair.insert(pair.end(), second.begin(), second.end());
    stripe(pair, w + i / 2 * w_step, cfg.pcs, launch.hbm);
  }
  stripe(activation_piece(op, 0, t.n, 0, op.kb), a, cfg.pcs, launch.hbm);
  Params q("gemv.s");
  q.set("P_MT2", t.mt / 2);
  q.set("P_KB", op.kb);
  q.set("P_N", t.n);
  q.set("P_W_HBM", hbm_address(0, w));
  q.set("P_W_LEN", 2 * tile_bytes / 32);
  q.set("P_W_STEP", w_step);
  q.set("P_A_HBM", hbm_address(0, a));
  q.set("P_A_LEN", op.kb * record / 32);
  q.set("P_Y_HBM", hbm_address(1, y));
  q.set("P_A_SPAD", kParamBytes);
  q.set("P_A_BLK", record);
  q.set("P_A_SCL", record - 32);
  q.set("P_W_SPAD", kParamBytes + op.kb * record + t.n * y_size);
  q.set("P_W_SIZE", 2 * tile_bytes);
  q.set("P_W_NBUF", nbuf);
  q.set("P_Y_SPAD", kParamBytes + op.kb * record);
  q.set("P_Y_SIZE", y_size);
  q.set("P_TILE", tile_bytes);
  q.set("P_W_BLK", block_code_bytes(op, t.rows));
  set_scale(q, op);
  launch.params = q.bytes();
  finish(cfg, op, t, y, launch);
  return launch;
}

Launch plan_stream(const isa::Config& cfg, const GemmOperands& op, const Tiling& t) {
  const std::uint64_t record = block_record(t.n, op.act);
  const std::uint64_t fixed = kParamBytes + 2 * t.n * 32;
  // All of X if it takes at most half of the scratchpad, else two pieces.
  const bool once = t.nt == 1 && fixed + (op.kb + 32) * record <= cfg.spad_bytes / 2;
  // At least two pieces, so that the kernel's first and last are different ones.
  const std::uint64_t pkb = std::min<std::uint64_t>(once ? 32 : 16, div_up(op.kb, 2));
  const std::uint64_t pieces = div_up(op.kb, pkb);
  const std::uint64_t last = op.kb - (pieces - 1) * pkb;
  const auto w_bytes = [&](std::uint64_t kb) { return piece_bytes(op, t.rows, kb); };
  const std::uint64_t w_step = striped_beats(w_bytes(pkb) / 32, cfg.pcs);
  const std::uint64_t a_step = striped_beats(pkb * record / 32, cfg.pcs);

  Launch launch;
  launch.name = "gemm_stream";
  launch.section = assemble_kernel(cfg, "gemm_stream.s", {{"FA", op.act}, {"FW", op.wgt}});
  HbmAllocator hbm(cfg);
  const std::uint64_t w = hbm.take(t.mt * pieces * w_step);
  const std::uint64_t a = hbm.take(t.nt * pieces * a_step);
  const std::uint64_t y = hbm.take(t.nt * t.n * t.mt);
  for (std::uint64_t p = 0; p < pieces; ++p) {
    const std::uint64_t kb0 = p * pkb;
    const std::uint64_t kb1 = std::min(op.kb, kb0 + pkb);
    for (std::uint64_t i = 0; i < t.mt; ++i)
      stripe(weight_piece(op, t.rows, i, kb0, kb1), w + (i * pieces + p) * w_step, cfg.pcs, launch.hbm);
    for (std::uint64_t i = 0; i < t.nt; ++i)
      stripe(activation_piece(op, i * t.n, t.n, kb0, kb1), a + (i * pieces + p) * a_step, cfg.pcs, launch.hbm);
  }
  Params q("gemm_stream.s");
  q.set("P_NT", t.nt);
  q.set("P_MT", t.mt);
  q.set("P_N", t.n);
  q.set("P_W_HBM", hbm_address(0, w));
  q.set("P_W_LEN", w_bytes(pkb) / 32);
  q.set("P_W_STEP", w_step);
  q.set("P_A_HBM", hbm_address(0, a));
  q.set("P_A_LEN", pkb * record / 32);
  q.set("P_A_LAST", last * record / 32);
  q.set("P_A_STEP", a_step);
  q.set("P_NA", pieces);
  q.set("P_PKB", pkb);
  q.set("P_Y_HBM", hbm_address(1, y));
  q.set("P_A_BLK", record);
  q.set("P_A_SCL", record - 32);
  q.set("P_W_SIZE", w_bytes(pkb));
  q.set("P_A_SIZE", pkb * record);
  q.set("P_W_LAST", w_bytes(last) / 32);
  q.set("P_KLAST", last);
  q.set("P_W_BLK", block_code_bytes(op, t.rows));
  set_scale(q, op);
  const std::uint64_t a_buffers = once ? pieces : 2;
  const std::uint64_t w_spad = fixed + a_buffers * pkb * record;
  q.set("P_Y_SPAD", kParamBytes);
  q.set("P_A_SPAD", fixed);
  q.set("P_A_NBUF", a_buffers);
  q.set("P_A_ONCE", once ? 1 : 0);
  q.set("P_W_SPAD", w_spad);
  q.set("P_W_NBUF", std::min<std::uint64_t>(8, (cfg.spad_bytes - w_spad) / w_bytes(pkb)));
  launch.params = q.bytes();
  finish(cfg, op, t, y, launch);
  return launch;
}

/// W in pieces, as long as two of W and X fit half of the scratchpad: a row tile's codes, then scales, then one FP32
/// word for each 4 blocks.
Launch plan_scaled(const isa::Config& cfg, const GemmOperands& op, const Tiling& t) {
  const std::uint64_t record = block_record(t.n, op.act);
  const std::uint64_t fit =
      cfg.spad_bytes / 4 / (record + block_code_bytes(op, t.rows) + block_scale_bytes(op, t.rows) + 1);
  const std::uint64_t most = std::max<std::uint64_t>(16, fit / 16 * 16);
  // Pieces of one size, so that none loads longer than the one before computes.
  const std::uint64_t pkb = round_up(div_up(op.kb, div_up(op.kb, most)), 16);
  const std::uint64_t pieces = div_up(op.kb, pkb);
  const std::uint64_t last = op.kb - (pieces - 1) * pkb;
  const std::uint64_t groups = div_up(op.kb, 4);
  // Four sets of accumulators in turn, two, or one: the first column group of set k.
  const std::uint64_t width = div_up(t.n, cfg.mxu_cols);  // column groups of a set
  const std::uint64_t sets = std::bit_floor(std::min<std::uint64_t>(4, cfg.acc_cols / cfg.mxu_cols / width));
  const auto set = [&](std::uint64_t k) { return k % sets * width; };
  const bool moves =
      std::any_of(op.w_scales.begin(), op.w_scales.end(), [&](std::uint8_t s) { return s != op.w_scales.front(); });
  const auto scales_at = [&](std::uint64_t kb) { return piece_bytes(op, t.rows, kb); };
  const auto w_bytes = [&](std::uint64_t kb) { return scales_at(kb) + round_up(div_up(kb, 4) * 4, 32); };
  const std::uint64_t w_step = striped_beats(w_bytes(pkb) / 32, cfg.pcs);
  const std::uint64_t a_step = striped_beats(pkb * record / 32, cfg.pcs);

  Launch launch;
  launch.name = "gemm_scaled";
  launch.section = assemble_kernel(
      cfg, "gemm_scaled.s", {{"FA", op.act}, {"FW", op.wgt}},
      fmt::format(".equ MOVES, {}\n.equ CG1, {}\n.equ CG2, {}\n.equ CG3, {}\n", moves ? 1 : 0, set(1), set(2), set(3)));
  HbmAllocator hbm(cfg);
  const std::uint64_t w = hbm.take(t.mt * pieces * w_step);
  const std::uint64_t a = hbm.take(t.nt * pieces * a_step);
  const std::uint64_t y = hbm.take(t.nt * t.n * t.mt);
  for (std::uint64_t p = 0; p < pieces; ++p) {
    const std::uint64_t kb0 = p * pkb;
    const std::uint64_t kb1 = std::min(op.kb, kb0 + pkb);
    for (std::uint64_t i = 0; i < t.mt; ++i) {
      std::vector<std::uint8_t> piece = weight_piece(op, t.rows, i, kb0, kb1);
      piece.resize(w_bytes(kb1 - kb0));
      std::memcpy(&piece[scales_at(kb1 - kb0)], &op.block_scales[i * t.rows / 128 * groups + kb0 / 4],
                  div_up(kb1 - kb0, 4) * 4);
      stripe(piece, w + (i * pieces + p) * w_step, cfg.pcs, launch.hbm);
    }
    for (std::uint64_t i = 0; i < t.nt; ++i)
      stripe(activation_piece(op, i * t.n, t.n, kb0, kb1), a + (i * pieces + p) * a_step, cfg.pcs, launch.hbm);
  }
  Params q("gemm_scaled.s");
  q.set("P_NT", t.nt);
  q.set("P_MT", t.mt);
  q.set("P_N", t.n);
  q.set("P_W_HBM", hbm_address(0, w));
  q.set("P_W_LEN", w_bytes(pkb) / 32);
  q.set("P_W_STEP", w_step);
  q.set("P_W_LAST", w_bytes(last) / 32);
  q.set("P_A_HBM", hbm_address(0, a));
  q.set("P_A_LEN", pkb * record / 32);
  q.set("P_A_LAST", last * record / 32);
  q.set("P_A_STEP", a_step);
  q.set("P_NA", pieces);
  q.set("P_PKB", pkb);
  q.set("P_KLAST", last);
  q.set("P_Y_HBM", hbm_address(1, y));
  q.set("P_A_BLK", record);
  q.set("P_A_SCL", record - 32);
  q.set("P_A_SIZE", pkb * record);
  q.set("P_W_SIZE", w_bytes(pkb));
  q.set("P_W_BLK", block_code_bytes(op, t.rows));
  q.set("P_W_SCL", block_scale_bytes(op, t.rows));
  q.set("P_BS_OFF", scales_at(pkb));
  q.set("P_BS_LAST", scales_at(last));
  q.set("P_QUADS", pkb / 16);
  q.set("P_QLAST", last / 16);
  q.set("P_FOURS", last % 16 / 4);
  q.set("P_TAIL", last % 4);
  const std::uint64_t y_bytes = t.n * 32;
  q.set("P_Y_SPAD", kParamBytes);
  q.set("P_P_SPAD", kParamBytes + 2 * y_bytes);
  const std::uint64_t a_spad = kParamBytes + 6 * y_bytes;
  q.set("P_A_SPAD", a_spad);
  q.set("P_W_SPAD", a_spad + 2 * pkb * record);
  launch.params = q.bytes();
  finish(cfg, op, t, y, launch);
  return launch;
}

}  // namespace

std::uint64_t mm_cycles(const isa::Config& cfg, std::uint64_t kb, std::uint64_t n, isa::Format act, isa::Format wgt) {
  const auto passes = static_cast<std::uint64_t>(desc(act).parts * desc(wgt).digits);
  return kb * static_cast<std::uint64_t>(desc(wgt).blocks) *
         std::max<std::uint64_t>(2, div_up(n, cfg.mxu_cols) * passes);
}

Launch plan_gemm(const isa::Config& cfg, const GemmOperands& op, GemmKernel kernel) {
  check(cfg, op);
  Tiling t{};
  t.rows = cfg.mxu_rows;
  t.mt = div_up(op.m, t.rows);
  const std::uint64_t w_bytes = piece_bytes(op, t.rows, op.kb);
  // The scratchpad must hold X, two W buffers and the results of the kernel in question.
  const auto gemv_fits = [&] {
    return kParamBytes + op.kb * block_record(op.n, op.act) + op.n * round_up(t.mt, 2) * 32 + 4 * w_bytes <=
               cfg.spad_bytes &&
           t.mt < 65536;
  };
  const auto resident_fits = [&](std::uint64_t n) {
    return kParamBytes + op.kb * block_record(n, op.act) + 2 * n * 32 + 2 * w_bytes <= cfg.spad_bytes;
  };
  if (op.block_scales.empty() &&
      (kernel == GemmKernel::kGemv || (kernel == GemmKernel::kAuto && op.n <= cfg.mxu_cols && gemv_fits()))) {
    if (op.n > cfg.mxu_cols || !gemv_fits())
      throw isa::InputError("gemv: at most 4 columns, and K and M that fit the scratchpad");
    t.nt = 1;
    t.n = op.n;
    return plan_gemv(cfg, op, t);
  }
  if (!op.block_scales.empty()) {
    t.nt = div_up(op.n, cfg.acc_cols);
    t.n = div_up(op.n, t.nt);
    return plan_scaled(cfg, op, t);
  }
  // Column tiles of equal width: at most the accumulators' columns, at least one.
  for (t.nt = div_up(op.n, cfg.acc_cols); t.nt <= op.n; ++t.nt) {
    t.n = div_up(op.n, t.nt);
    if (kernel != GemmKernel::kStream && resident_fits(t.n) && (t.n >= cfg.mxu_cols || t.n == op.n))
      return plan_resident(cfg, op, t);
  }
  if (kernel == GemmKernel::kResident) throw isa::InputError("gemm: K does not fit the scratchpad");
  t.nt = div_up(op.n, cfg.acc_cols);
  t.n = div_up(op.n, t.nt);
  if (op.kb < 2) throw isa::InputError("gemm_stream: K must be at least 64");
  return plan_stream(cfg, op, t);
}

std::vector<std::uint32_t> gemm_result(const Launch& launch, const GemmOperands& op, std::span<const std::uint8_t> y) {
  std::vector<std::uint32_t> out(op.n * op.m);
  for (std::uint64_t n = 0; n < op.n; ++n) std::memcpy(&out[n * op.m], &y[n * launch.output_pitch], op.m * 4);
  return out;
}

}  // namespace tepin::kernels
