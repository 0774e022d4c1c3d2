// SPDX-License-Identifier: Apache-2.0
// The matrix unit alone against a model of its instructions (docs/reference/isa.md): random programs under random
// grants, posts and stops; every fault; cycles. The test plays the scratchpad, so it sees every word that is read or
// written.
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "Vmxu_ops.h"
#include "sw/golden/dot.h"

namespace {

using namespace tepin;
using isa::Format;
using std::uint32_t;
using std::uint8_t;

#ifndef TEPIN_OPS_ROWS
#define TEPIN_OPS_ROWS 16
#endif
constexpr uint32_t kRows = TEPIN_OPS_ROWS, kCols = 4, kAccCols = 64, kGroups = kAccCols / kCols, kSpad = 65536;
constexpr uint32_t kWLanes = (kRows * 16 + 31) / 32, kReads = kCols + kWLanes + 2;
enum Activity { kIdle = 0, kBusy = 1, kWaitSpad = 3, kWaitData = 5 };
enum Cause { kBadSpadAddr = 2, kMisaligned = 4, kBadOperand = 5, kParity = 10, kMxuNan = 11 };

constexpr std::array kActs{Format::kMxfp4,     Format::kMxfp6E2m3, Format::kMxfp6E3m2,
                           Format::kMxfp8E4m3, Format::kMxfp8E5m2, Format::kMxint8};
constexpr std::array kWeights{Format::kMxfp4,  Format::kMxfp6E2m3, Format::kMxfp6E3m2, Format::kMxfp8E4m3,
                              Format::kMxint8, Format::kNvfp4,     Format::kInt4g32,   Format::kMxint8x2};
bool six_bits(Format f) { return f == Format::kMxfp6E2m3 || f == Format::kMxfp6E3m2; }
bool small_weights(Format f) { return f == Format::kMxfp4 || f == Format::kNvfp4 || f == Format::kInt4g32; }
bool two_scales(Format f) { return f == Format::kNvfp4 || f == Format::kInt4g32; }
unsigned number(Format f) { return static_cast<unsigned>(f); }

struct Instr {
  uint8_t op = static_cast<uint8_t>(isa::Op::kMm);
  std::array<uint32_t, 8> arg{};
  uint32_t flags = 0;
  std::array<uint8_t, 2> sem{}, cnt{};
  uint32_t origin = 0;  // thread, pc
};
struct Mm {
  uint32_t w, ws, a, as, kb, n, astep, asstep;
  Format fa = Format::kMxfp4, fw = Format::kMxfp4;
  bool init = true;
  uint32_t group = 0;
};
Instr mm(const Mm& m) {
  Instr i;
  i.arg = {m.w, m.ws, m.a, m.as, m.kb, m.n, m.astep, m.asstep};
  i.flags = number(m.fa) | number(m.fw) << 4 | (m.init ? 1U : 0U) << 8 | m.group << 9;
  return i;
}
Instr mst(uint32_t dst, uint32_t pitch, uint32_t n, uint32_t group = 0) {
  Instr i;
  i.op = static_cast<uint8_t>(isa::Op::kMst);
  i.arg = {dst, pitch, n};
  i.flags = group << 9;
  return i;
}

/// The instructions in order, one after the other, on a memory and accumulators.
struct Model {
  std::vector<uint8_t> mem = std::vector<uint8_t>(kSpad);
  std::array<std::array<uint32_t, kAccCols>, kRows> acc{};

  void run(const Instr& i) {
    if (i.op == static_cast<uint8_t>(isa::Op::kMm)) product(i);
    if (i.op == static_cast<uint8_t>(isa::Op::kMst)) {
      for (uint32_t c = 0; c < i.arg[2]; ++c)
        for (uint32_t r = 0; r < kRows; ++r)
          std::memcpy(&mem[i.arg[0] + c * i.arg[1] + 4 * r], &acc[r][(i.flags >> 9) * kCols + c], 4);
    }
  }

 private:
  void product(const Instr& i) {
    const auto fa = static_cast<Format>(i.flags & 15), fw = static_cast<Format>(i.flags >> 4 & 15);
    const bool pair = fw == Format::kMxint8x2;
    const uint32_t wb = small_weights(fw) ? 16 : 32, sb = two_scales(fw) ? 2 : 1, ab = fa == Format::kMxfp4 ? 16 : 32;
    for (uint32_t k = 0; k < i.arg[4] * (pair ? 2 : 1); ++k) {
      const uint32_t ka = pair ? k / 2 : k;
      std::vector<golden::Block> acts(i.arg[5]);
      for (uint32_t c = 0; c < i.arg[5]; ++c) {
        golden::unpack_codes(fa, &mem[i.arg[2] + ka * i.arg[6] + c * ab], acts[c].codes);
        acts[c].scale = mem[i.arg[3] + ka * i.arg[7] + c];
      }
      for (uint32_t r = 0; r < kRows; ++r) {
        const uint8_t* codes = &mem[i.arg[0] + (k * kRows + r) * wb];
        const uint8_t* scales = &mem[i.arg[1] + (k * kRows + r) * sb];
        std::array<uint8_t, 32> raw{};
        golden::unpack_codes(pair ? Format::kMxint8 : small_weights(fw) ? Format::kMxfp4 : fw, codes, raw);
        for (uint32_t c = 0; c < i.arg[5]; ++c) {
          golden::BlockSum sum;
          if (fw == Format::kNvfp4) {
            golden::Nvfp4Block b;
            b.scales = {scales[0], scales[1]};
            b.codes = raw;
            sum = golden::dot(b, fa, acts[c]);
          } else if (fw == Format::kInt4g32) {
            golden::Int4Block b;
            b.scale_bf16 = static_cast<std::uint16_t>(scales[0] | scales[1] << 8);
            for (std::size_t e = 0; e < 32; ++e)
              b.codes[e] = static_cast<std::int8_t>(raw[e] < 8 ? raw[e] : raw[e] - 16);
            sum = golden::dot(b, fa, acts[c]);
          } else {
            golden::Block b{scales[0], raw};
            sum = golden::dot(pair ? Format::kMxint8 : fw, b, fa, acts[c]);
          }
          uint32_t& to = acc[r][(i.flags >> 9) * kCols + c];
          to = golden::accumulate(k == 0 && (i.flags >> 8 & 1) != 0 ? 0 : to, sum);
        }
      }
    }
  }
};

struct Fault {
  uint32_t cause, origin, addr;
  friend bool operator==(const Fault&, const Fault&) = default;
};
void PrintTo(const Fault& f, std::ostream* os) {
  *os << "cause " << f.cause << " origin " << f.origin << " addr " << f.addr;
}

class Unit {
 public:
  explicit Unit(std::uint64_t seed) : rng(seed) {
    dut_ = std::make_unique<Vmxu_ops>(&context_);
    dut_->nan_trap_i = 1;
    dut_->post_ready_i = 1;
    dut_->rst_ni = 0;
    tick();
    tick();
    dut_->rst_ni = 1;
  }
  ~Unit() { dut_->final(); }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  std::mt19937_64 rng;
  std::vector<uint8_t> mem = std::vector<uint8_t>(kSpad);
  // In percent, each cycle anew.
  unsigned grant = 100, offer = 100, post = 100, stop = 0;
  bool trap = true;
  std::optional<uint32_t> bad_word;  // word whose parity is wrong
  std::optional<Fault> fault;
  std::uint64_t cycles = 0, steps = 0, nans = 0, lost = 0;

  /// Runs a program; `expected` becomes what the model makes of it. Stops at a fault; with `wrong`, the last
  /// instruction must have one, after all others have ended, and nothing may begin or end after it.
  void run(const std::vector<Instr>& program, Model& expected, bool wrong = false) {
    std::map<uint32_t, std::vector<std::pair<uint32_t, uint8_t>>> stored;  // by instruction: bytes nobody writes later
    std::map<uint32_t, std::array<std::array<uint32_t, kAccCols>, kRows>> accs;
    std::map<uint32_t, uint32_t> writer;
    for (uint32_t i = 0; i < program.size(); ++i) {
      if (wrong && i + 1 == program.size()) break;
      expected.run(program[i]);
      accs[i] = expected.acc;
      if (program[i].op != static_cast<uint8_t>(isa::Op::kMst)) continue;
      for (uint32_t c = 0; c < program[i].arg[2]; ++c)
        for (uint32_t b = 0; b < 4 * kRows; ++b) writer[program[i].arg[0] + c * program[i].arg[1] + b] = i;
    }
    for (const auto& [address, i] : writer) stored[i].emplace_back(address, expected.mem[address]);
    uint32_t next = 0, retired = 0, idle = 0;
    cycles = steps = nans = lost = 0;
    std::map<uint32_t, uint32_t> acc_groups;
    bool held_post = false;
    while (idle < 10) {
      dut_->stop_i = chance(stop);
      dut_->nan_trap_i = trap;
      if (dut_->instr_valid_i == 0 || taken_) dut_->instr_valid_i = next < program.size() && chance(offer);
      if (next < program.size()) offer_instr(program[next]);
      dut_->post_ready_i = chance(post);
      memory();
      if (dut_->fault_o != 0) {
        fault = Fault{dut_->fault_cause_o, dut_->fault_origin_o, dut_->fault_addr_o};
        tick();
        if (!wrong) return;
        EXPECT_EQ(next, program.size() - 1);
        EXPECT_EQ(retired, program.size() - 1);
        EXPECT_EQ(mem, expected.mem);
        for (int i = 0; i < 20; ++i) {
          offer_instr(program[0]);
          dut_->instr_valid_i = 1;
          memory();
          EXPECT_EQ(dut_->instr_ready_o | dut_->retire_o | dut_->post_valid_o | dut_->fault_o | dut_->busy_o, 0);
          tick();
        }
        return;
      }
      if (dut_->stop_i != 0) {
        EXPECT_EQ(dut_->post_valid_o, 0);
        EXPECT_EQ(dut_->retire_o, 0);
      }
      const bool post_wanted =
          retired < program.size() && (program[retired].cnt[0] != 0 || program[retired].cnt[1] != 0);
      if (held_post && dut_->stop_i == 0) {
        EXPECT_EQ(dut_->post_valid_o, 1);
      }
      held_post = dut_->post_valid_o != 0 && dut_->post_ready_i == 0;
      if (dut_->post_valid_o != 0) {
        require(post_wanted, "a post nobody wants");
        const Instr& p = program[retired];
        EXPECT_EQ(dut_->post_take_o, 0);
        for (unsigned s = 0; s < 2; ++s) {
          EXPECT_EQ(dut_->post_sem_o[s], p.sem[s]);
          EXPECT_EQ(dut_->post_cnt_o[s], p.cnt[s]);
        }
        EXPECT_EQ(dut_->post_origin_o, p.origin);
      }
      if (dut_->retire_o != 0) {
        require(retired < program.size() && retired < next, "an instruction ends that was not begun");
        EXPECT_EQ(dut_->retire_origin_o, program[retired].origin);
        EXPECT_EQ(dut_->retire_op_o, program[retired].op);
        EXPECT_EQ(dut_->post_valid_o != 0, post_wanted);
        if (post_wanted) {
          EXPECT_NE(dut_->post_ready_i, 0);
        }
        for (const auto& [address, value] : stored[retired])
          require(mem[address] == value, "a stored byte is wrong when its instruction ends");
        ++retired;
      }
      if (dut_->acc_valid_o != 0) check_acc(program, accs, acc_groups);
      EXPECT_EQ(dut_->activity_o == kIdle,
                dut_->busy_o == 0 && dut_->activity_o != kBusy && dut_->activity_o != kWaitSpad);
      if (retired < next) {
        EXPECT_EQ(dut_->busy_o, 1);
      }
      if (denied_reads_) {
        EXPECT_TRUE(dut_->activity_o == kWaitSpad || dut_->activity_o == kBusy);
      }
      steps += dut_->activity_o == kBusy;
      nans += dut_->nan_seen_o;
      taken_ = dut_->instr_valid_i != 0 && dut_->instr_ready_o != 0;
      if (taken_) {
        ++next;
        require(next <= program.size(), "an instruction is taken twice");
      }
      if (retired < program.size())
        ++cycles;
      else
        ++idle;
      require(cycles < 200'000, "the unit hangs");
      tick();
      if (taken_) dut_->instr_valid_i = 0;
    }
    EXPECT_EQ(dut_->busy_o, 0);
    for (uint32_t i = 0; i < program.size(); ++i) {
      if (program[i].op == static_cast<uint8_t>(isa::Op::kMm)) {
        EXPECT_EQ(acc_groups[i], (program[i].arg[5] + kCols - 1) / kCols) << "groups of the trace";
      }
    }
    require(mem == expected.mem, "memory differs at the end");
    for (uint32_t c = 0; c < kAccCols; ++c)
      for (uint32_t r = 0; r < kRows; ++r) {
        dut_->host_index_i = static_cast<std::uint16_t>((c / kCols * kRows + r) * kCols + c % kCols);
        dut_->eval();
        require(!known_[c] || dut_->host_value_o == expected.acc[r][c], "an accumulator differs for the host");
      }
  }

 private:
  static void require(bool ok, const char* what) {
    if (!ok) throw std::runtime_error(what);
  }
  bool chance(unsigned percent) { return rng() % 100 < percent; }
  void check_acc(const std::vector<Instr>& program,
                 const std::map<uint32_t, std::array<std::array<uint32_t, kAccCols>, kRows>>& accs,
                 std::map<uint32_t, uint32_t>& groups) {
    uint32_t at = 0;
    while (at < program.size() && program[at].origin != dut_->acc_origin_o) ++at;
    require(at < program.size() && program[at].op == static_cast<uint8_t>(isa::Op::kMm), "trace of no product");
    const Instr& p = program[at];
    const uint32_t group = groups[at]++;
    EXPECT_EQ(dut_->acc_group_o, (p.flags >> 9) + group);
    for (uint32_t c = 0; c < kCols; ++c) {
      const bool used = group * kCols + c < p.arg[5];
      EXPECT_EQ((dut_->acc_cols_o >> c & 1) != 0, used);
      if (!used) continue;
      const uint32_t column = ((p.flags >> 9) + group) * kCols + c;
      known_[column] = true;
      for (uint32_t r = 0; r < kRows; ++r)
        require(dut_->acc_o[r * kCols + c] == accs.at(at)[r][column], "a traced accumulator is wrong");
    }
  }
  void offer_instr(const Instr& i) {
    dut_->instr_op_i = i.op;
    dut_->instr_thread_i = static_cast<uint8_t>(i.origin >> 16);
    dut_->instr_pc_i = static_cast<std::uint16_t>(i.origin);
    dut_->instr_flags_i = static_cast<std::uint16_t>(i.flags);
    for (unsigned k = 0; k < 8; ++k) dut_->instr_arg_i[k] = i.arg[k];
    for (unsigned s = 0; s < 2; ++s) {
      dut_->instr_post_sem_i[s] = i.sem[s];
      dut_->instr_post_cnt_i[s] = i.cnt[s];
    }
  }
  /// Words granted a cycle ago arrive, others are noise; grants of this cycle.
  void memory() {
    for (uint32_t l = 0; l < kReads; ++l) {
      const bool arrives = granted_[l];
      for (unsigned i = 0; i < 8; ++i) {
        uint32_t v = static_cast<uint32_t>(rng());
        if (arrives) std::memcpy(&v, &mem[word_[l] * 32 + 4 * i], 4);
        dut_->rd_data_i[l][i] = v;
      }
      dut_->rd_bad_i[l] = arrives ? bad_word == word_[l] : chance(50);
      dut_->rd_gnt_i[l] = 0;
    }
    for (uint32_t l = 0; l < kCols; ++l) dut_->wr_gnt_i[l] = 0;
    dut_->eval();
    denied_reads_ = false;
    for (uint32_t l = 0; l < kReads; ++l) {
      granted_[l] = dut_->rd_valid_o[l] != 0 && chance(grant);
      if (dut_->rd_valid_o[l] != 0 && !granted_[l]) denied_reads_ = true;
      dut_->rd_gnt_i[l] = granted_[l];
      word_[l] = dut_->rd_word_o[l];
    }
    lost += denied_reads_;
    std::array<bool, kCols> written{};
    for (uint32_t l = 0; l < kCols; ++l) {
      written[l] = dut_->wr_valid_o[l] != 0 && chance(grant);
      dut_->wr_gnt_i[l] = written[l];
    }
    dut_->eval();
    // Reads see what stood there before this cycle's writes: copy later. A denied word must be asked for again.
    for (uint32_t l = 0; l < kCols; ++l) {
      if (!written[l]) continue;
      for (uint32_t b = 0; b < 32; ++b)
        if ((dut_->wr_strb_o[l] >> b & 1) != 0)
          pending_.emplace_back(dut_->wr_word_o[l] * 32 + b,
                                static_cast<uint8_t>(dut_->wr_data_o[l][b / 4] >> (b % 4 * 8)));
    }
  }
  void tick() {
    dut_->eval();
    dut_->clk_i = 1;
    dut_->eval();
    dut_->clk_i = 0;
    dut_->eval();
    for (const auto& [address, value] : pending_) mem[address] = value;
    pending_.clear();
  }
  VerilatedContext context_;
  std::unique_ptr<Vmxu_ops> dut_;
  std::array<bool, kReads> granted_{};
  std::array<uint32_t, kReads> word_{};
  std::vector<std::pair<uint32_t, uint8_t>> pending_;
  std::array<bool, kAccCols> known_{};
  bool taken_ = false, denied_reads_ = false;
};

/// Numbers without NaN and without a fault in any format: 6-bit patterns, a scale byte near 1 everywhere would be too
/// tame, so bytes are drawn for the format that reads them.
void fill(std::mt19937_64& rng, std::vector<uint8_t>& mem, uint32_t at, uint32_t bytes, Format f) {
  for (uint32_t i = 0; i < bytes; ++i) {
    auto b = static_cast<uint8_t>(rng());
    if (six_bits(f)) b &= 0x3f;
    if (f == Format::kMxfp8E4m3 && (b & 0x7f) == 0x7f) b = 0;
    if (f == Format::kMxfp8E5m2 && (b & 0x7c) == 0x7c) b = 1;
    mem[at + i] = b;
  }
}
void fill_scales(std::mt19937_64& rng, std::vector<uint8_t>& mem, uint32_t at, uint32_t bytes, Format f) {
  for (uint32_t i = 0; i < bytes; ++i) {
    if (f == Format::kNvfp4)
      mem[at + i] = static_cast<uint8_t>(rng() % 0x7f | (rng() & 0x80));
    else if (f == Format::kInt4g32)
      mem[at + i] = static_cast<uint8_t>(i % 2 == 0 ? rng() : (rng() % 4 + 0x3e) | (rng() & 0x80));
    else
      mem[at + i] = static_cast<uint8_t>(123 + rng() % 9);
  }
}

constexpr std::uint64_t kSlack = 36;  // start, end and two hand-overs, as measured; more is a fault
constexpr uint32_t kY = 0xc000;       // results of stores; operands below

/// Operands of a random product in a quarter of the memory, and the product.
Mm random_mm(std::mt19937_64& rng, std::vector<uint8_t>& mem, uint32_t region) {
  Mm m{};
  m.fa = kActs[rng() % kActs.size()];
  m.fw = kWeights[rng() % kWeights.size()];
  m.group = static_cast<uint32_t>(rng() % kGroups);
  const uint32_t most = std::min(kAccCols - m.group * kCols, rng() % 4 == 0 ? 64U : 13U);
  m.n = 1 + static_cast<uint32_t>(rng() % most);
  m.init = rng() % 2 == 0;
  const uint32_t blocks = m.fw == Format::kMxint8x2 ? 2 : 1;
  const uint32_t ab = m.fa == Format::kMxfp4 ? 16 : 32, wb = kRows * (small_weights(m.fw) ? 16 : 32) * blocks;
  const uint32_t sb = kRows * (two_scales(m.fw) ? 2 : 1) * blocks;
  m.astep = (m.n * ab + 31) / 32 * 32 + static_cast<uint32_t>(rng() % 2) * 32;
  m.asstep = (m.n + 31) / 32 * 32 + static_cast<uint32_t>(rng() % 2) * 32;
  m.kb = 1 + static_cast<uint32_t>(rng() % std::min(9U, (0x4000 - 256) / (m.astep + m.asstep + wb + sb)));
  // Order of the operands in memory at random; scales of weights at any multiple of their block.
  std::array<uint32_t, 4> order{0, 1, 2, 3}, at{};
  std::shuffle(order.begin(), order.end(), rng);
  const std::array<uint32_t, 4> size{m.kb * wb, m.kb * sb, m.kb * m.astep, m.kb * m.asstep};
  uint32_t p = region;
  for (const uint32_t o : order) {
    p = (p + 31) / 32 * 32;
    if (o == 1) p += static_cast<uint32_t>(rng() % 4) * kRows * (two_scales(m.fw) ? 2 : 1);
    at[o] = p;
    p += size[o];
  }
  m.w = at[0], m.ws = at[1], m.a = at[2], m.as = at[3];
  fill(rng, mem, m.w, size[0], small_weights(m.fw) ? Format::kMxfp4 : m.fw);
  fill_scales(rng, mem, m.ws, size[1], m.fw);
  fill(rng, mem, m.a, size[2], m.fa);
  fill_scales(rng, mem, m.as, size[3], Format::kMxfp4);
  return m;
}

void run_random(Unit& u, Model& model, int count) {
  std::vector<Instr> program;
  uint32_t region = 0, y = kY;
  for (int i = 0; i < count; ++i) {
    Instr in;
    const auto kind = u.rng() % 8;
    if (kind < 4 && region < kY) {
      const Mm m = random_mm(u.rng, u.mem, region);
      region += 0x4000;
      in = mm(m);
    } else if (kind < 7) {
      const uint32_t group = static_cast<uint32_t>(u.rng() % kGroups);
      const uint32_t n = 1 + static_cast<uint32_t>(u.rng() % std::min(kAccCols - group * kCols, 20U));
      const uint32_t pitch = 4 * kRows * (1 + static_cast<uint32_t>(u.rng() % 2));
      if (y + n * pitch > kSpad) continue;
      in = mst(y, pitch, n, group);
      y += n * pitch;
    } else {
      in.op = static_cast<uint8_t>(isa::Op::kMxusync);
    }
    if (u.rng() % 2 == 0) {
      in.sem = {static_cast<uint8_t>(u.rng() % 64), static_cast<uint8_t>(u.rng() % 64)};
      in.cnt[u.rng() % 2] = static_cast<uint8_t>(1 + u.rng() % 7);
      if (u.rng() % 4 == 0) in.cnt = {3, 5};
    }
    program.push_back(in);
  }
  for (std::size_t i = 0; i < program.size(); ++i) program[i].origin = static_cast<uint32_t>((u.rng() & 0x3ff00) | i);
  model.mem = u.mem;
  u.run(program, model);
}

/// All accumulators 0: a program may then store or add to any.
void clear(Unit& u, Model& model) {
  std::fill(u.mem.begin(), u.mem.end(), uint8_t{0});
  model.mem = u.mem;
  u.run({mm({0, 0, 0, 0, 1, kAccCols, 0, 0})}, model);
}

TEST(MxuOps, RandomProgramsGiveTheModelsResultsInOrder) {
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    Unit u(seed);
    Model model;
    clear(u, model);
    u.trap = false;
    u.grant = seed % 3 == 0 ? 100 : seed % 3 == 1 ? 80 : 40;
    u.offer = seed % 4 == 0 ? 30 : 100;
    u.post = seed % 2 == 0 ? 100 : 30;
    u.stop = seed % 5 == 0 ? 30 : 0;
    run_random(u, model, 10);
    run_random(u, model, 10);
    ASSERT_FALSE(u.fault) << testing::PrintToString(*u.fault);
    lost += u.lost;
    if (HasFailure()) return;
  }
  EXPECT_GT(lost, 1000U);
}

// Nothing that an earlier instruction left, but reset alone, prepares the pass counter.
TEST(MxuOps, TheFirstProductAfterResetTakesAllItsPasses) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Unit u(seed);
    Model model;
    Mm m = random_mm(u.rng, u.mem, 0);
    while (m.fa == Format::kMxfp4 || m.fw == Format::kMxfp4) m = random_mm(u.rng, u.mem, 0);
    m.init = true;
    model.mem = u.mem;
    u.trap = false;
    u.run({mm(m)}, model);
    EXPECT_FALSE(u.fault);
  }
}

// A product reads what a store before it writes: as weights, their scales, activations, their scales; beside bytes that
// it must not wait for.
TEST(MxuOps, AProductSeesWhatAnEarlierStoreWrites) {
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    SCOPED_TRACE(seed);
    Unit u(seed);
    Model model;
    clear(u, model);
    u.trap = false;
    u.grant = seed % 2 == 0 ? 100 : 30;
    Mm first = random_mm(u.rng, u.mem, 0);
    first.n = std::min(first.n, kAccCols - first.group * kCols);
    Mm m{};
    m.fa = Format::kMxint8, m.fw = Format::kMxint8;
    m.kb = 2, m.n = 8, m.astep = 256, m.asstep = 32;
    m.w = 0x4000, m.ws = 0x6000, m.a = 0x7000, m.as = 0x8000;
    const uint32_t size = kCols * 3 * kRows * 4;
    // The store's bytes begin or end inside one of the four operands: at its first or at its last byte.
    const std::array<uint32_t, 4> begin{m.w, m.ws, m.a, m.as};
    const std::array<uint32_t, 4> bytes{m.kb * kRows * 32, m.kb * kRows, m.astep + 8 * 32, m.asstep + 8};
    const uint32_t o = seed / 2 % 4;
    const uint32_t dst =
        (seed / 8 % 2 == 0 ? (begin[o] + bytes[o] - 1) / (4 * kRows) * (4 * kRows) : begin[o] + 4 * kRows - size);
    fill_scales(u.rng, u.mem, m.ws, m.kb * kRows, m.fw);
    fill_scales(u.rng, u.mem, m.as, 64, m.fa);
    fill(u.rng, u.mem, m.w, bytes[0], m.fw);
    fill(u.rng, u.mem, m.a, bytes[2], m.fa);
    std::vector<Instr> p{mm(first), mst(dst, 4 * kRows, 12, first.group > kGroups - 3 ? kGroups - 3 : first.group)};
    if (seed % 3 == 0) p.push_back(mst(0xd000, 4 * kRows, 12));  // two stores pending
    if (seed % 3 == 1) p.insert(p.begin() + 1, mst(0x2000 + 0x9000, 4 * kRows, 12));
    p.push_back(mm(m));
    for (uint32_t i = 0; i < p.size(); ++i) p[i].origin = i;
    model.mem = u.mem;
    u.run(p, model);
    ASSERT_FALSE(u.fault);
    if (HasFailure()) return;
  }
}

struct Wrong {
  Instr instr;
  Fault fault;
};

TEST(MxuOps, EveryWrongOperandFaultsWithItsCauseAndItsOwnerOnly) {
  const Mm good{0, 0x4000, 0x5000, 0x6000, 3, 8, 256, 32, Format::kMxint8, Format::kMxint8, true, 0};
  std::vector<Wrong> wrong;
  std::vector<Instr> right;
  const auto bad = [&](auto change, uint32_t cause, uint32_t addr = 0) {
    Mm m = good;
    change(m);
    Instr i = mm(m);
    i.origin = 0x2abcd;
    wrong.push_back({i, {cause, i.origin, addr}});
  };
  const auto fine = [&](auto change) {
    Mm m = good;
    change(m);
    right.push_back(mm(m));
  };
  bad([](Mm& m) { m.kb = 0; }, kBadOperand);
  bad([](Mm& m) { m.kb = 65536; }, kBadOperand);
  bad([](Mm& m) { m.kb = 65535; }, kBadSpadAddr, 0);
  bad([](Mm& m) { m.kb = 32768, m.fw = Format::kMxint8x2; }, kBadOperand);
  bad([](Mm& m) { m.kb = 32767, m.fw = Format::kMxint8x2; }, kBadSpadAddr, 0);
  bad([](Mm& m) { m.n = 0; }, kBadOperand);
  bad([](Mm& m) { m.n = kAccCols + 1; }, kBadOperand);
  bad([](Mm& m) { m.n = 1 << 16; }, kBadOperand);
  bad([](Mm& m) { m.group = kGroups; }, kBadOperand);
  bad([](Mm& m) { m.group = kGroups - 1, m.n = kCols + 1; }, kBadOperand);
  fine([](Mm& m) { m.group = kGroups - 1, m.n = kCols; });
  fine([](Mm& m) { m.n = kAccCols, m.kb = 1; });
  for (const uint32_t bit : {1U, 16U}) {
    bad([&](Mm& m) { m.w += bit; }, kMisaligned);
    bad([&](Mm& m) { m.a += bit; }, kMisaligned);
    bad([&](Mm& m) { m.as += bit; }, kMisaligned);
    bad([&](Mm& m) { m.astep += bit; }, kMisaligned);
    bad([&](Mm& m) { m.asstep += bit; }, kMisaligned);
  }
  bad([](Mm& m) { m.ws += kRows / 2; }, kMisaligned);
  bad([](Mm& m) { m.ws += kRows, m.fw = Format::kNvfp4; }, kMisaligned);
  fine([](Mm& m) { m.ws += kRows; });
  fine([](Mm& m) { m.ws += 2 * kRows, m.fw = Format::kInt4g32; });
  // The last byte that fits, and one step more.
  const uint32_t wbytes = 3 * kRows * 32, small = 3 * kRows * 16;
  fine([&](Mm& m) { m.w = kSpad - wbytes; });
  bad([&](Mm& m) { m.w = kSpad - wbytes + 32; }, kBadSpadAddr, kSpad - wbytes + 32);
  fine([&](Mm& m) { m.w = kSpad - small, m.fw = Format::kMxfp4; });
  bad([&](Mm& m) { m.w = kSpad - small + 32, m.fw = Format::kMxfp4; }, kBadSpadAddr, kSpad - small + 32);
  bad([&](Mm& m) { m.w = 0xffffffe0; }, kBadSpadAddr, 0xffffffe0);
  fine([&](Mm& m) { m.w = kSpad - 2 * wbytes, m.fw = Format::kMxint8x2; });
  bad([&](Mm& m) { m.w = kSpad - 2 * wbytes + 32, m.fw = Format::kMxint8x2; }, kBadSpadAddr, kSpad - 2 * wbytes + 32);
  fine([&](Mm& m) { m.ws = kSpad - 3 * kRows; });
  bad([&](Mm& m) { m.ws = kSpad - 2 * kRows; }, kBadSpadAddr, kSpad - 2 * kRows);
  fine([&](Mm& m) { m.ws = kSpad - 6 * kRows, m.fw = Format::kNvfp4; });
  bad([&](Mm& m) { m.ws = kSpad - 4 * kRows, m.fw = Format::kNvfp4; }, kBadSpadAddr, kSpad - 4 * kRows);
  const uint32_t abytes = 2 * 256 + 8 * 32, asmall = 2 * 256 + 8 * 16;
  fine([&](Mm& m) { m.a = kSpad - abytes; });
  bad([&](Mm& m) { m.a = kSpad - abytes + 32; }, kBadSpadAddr, kSpad - abytes + 32);
  fine([&](Mm& m) { m.a = kSpad - asmall, m.fa = Format::kMxfp4; });
  bad([&](Mm& m) { m.a = kSpad - asmall + 32, m.fa = Format::kMxfp4; }, kBadSpadAddr, kSpad - asmall + 32);
  bad([&](Mm& m) { m.astep = 0x80000000; }, kBadSpadAddr, 0x5000);
  fine([&](Mm& m) { m.as = kSpad - 96; });
  bad([&](Mm& m) { m.as = kSpad - 64; }, kBadSpadAddr, kSpad - 64);
  const auto store = [&](Instr i, std::optional<uint32_t> cause, uint32_t addr = 0) {
    i.origin = 0x1fedc;
    if (cause)
      wrong.push_back({i, {*cause, i.origin, addr}});
    else
      right.push_back(i);
  };
  store(mst(kY, 4 * kRows, 0), kBadOperand);
  store(mst(kY, 4 * kRows, kAccCols + 1), kBadOperand);
  store(mst(kY, 4 * kRows, 1, kGroups), kBadOperand);
  store(mst(kY, 4 * kRows, kCols + 1, kGroups - 1), kBadOperand);
  store(mst(kY, 4 * kRows, kCols, kGroups - 1), {});
  store(mst(kY + 2 * kRows, 4 * kRows, 1), kMisaligned);
  store(mst(kY, 2 * kRows, 1), kMisaligned);
  store(mst(kSpad - 4 * kRows * 5, 4 * kRows, 5), {});
  store(mst(kSpad - 4 * kRows * 5, 4 * kRows, 6), kBadSpadAddr, kSpad - 4 * kRows * 5);
  store(mst(kSpad, 4 * kRows, 1), kBadSpadAddr, kSpad);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SCOPED_TRACE(i);
    Unit u(i);
    Model model;
    clear(u, model);
    Instr before = mst(kY, 4 * kRows, 8);
    before.origin = 5;
    before.cnt[0] = 1;
    std::fill(u.mem.begin() + kY, u.mem.begin() + kY + 0x800, uint8_t{1});
    model.mem = u.mem;
    u.post = 50;
    u.run({before, wrong[i].instr}, model, true);
    ASSERT_TRUE(u.fault);
    EXPECT_EQ(*u.fault, wrong[i].fault);
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    SCOPED_TRACE(i);
    Unit u(i);
    Model model;
    clear(u, model);
    model.mem = u.mem;
    u.trap = false;
    u.run({right[i]}, model);
    EXPECT_FALSE(u.fault) << testing::PrintToString(*u.fault);
  }
}

// Codes, scales and words that are wrong in one place only: the fault names the product that reads them; a place that
// no element in use has is nobody's.
TEST(MxuOps, WrongCodesNansAndParityFaultForTheirProductOnly) {
  struct Case {
    Format fa, fw;
    uint32_t at;
    uint8_t value;
    std::optional<uint32_t> cause;
  };
  const Mm base{0, 0x4000, 0x5000, 0x6000, 2, 6, 256, 32, Format::kMxint8, Format::kMxint8, true, 1};
  std::vector<Case> cases;
  const uint32_t last_w = 2 * kRows * 32 - 1, last_a = 0x5000 + 256 + 6 * 32 - 1;
  for (const Format f : {Format::kMxfp6E2m3, Format::kMxfp6E3m2}) {
    for (const uint8_t v : {uint8_t{0x40}, uint8_t{0x80}}) {
      cases.push_back({Format::kMxint8, f, 0, v, kBadOperand});
      cases.push_back({Format::kMxint8, f, last_w, v, kBadOperand});
      cases.push_back({f, Format::kMxint8, 0x5000, v, kBadOperand});
      cases.push_back({f, Format::kMxint8, last_a, v, kBadOperand});
      cases.push_back({f, Format::kMxint8, last_a + 1, v, {}});  // of column 6, not in use
      cases.push_back({Format::kMxint8, Format::kMxint8, 3, v, {}});
      cases.push_back({Format::kMxint8, Format::kMxint8, 0x5003, v, {}});
    }
  }
  cases.push_back({Format::kMxfp8E4m3, Format::kMxint8, 0x5000, 0x7f, kMxuNan});
  cases.push_back({Format::kMxfp8E4m3, Format::kMxint8, last_a, 0xff, kMxuNan});
  cases.push_back({Format::kMxfp8E4m3, Format::kMxint8, last_a + 1, 0xff, {}});
  cases.push_back({Format::kMxfp8E5m2, Format::kMxint8, last_a, 0x7c, kMxuNan});
  cases.push_back({Format::kMxint8, Format::kMxfp8E4m3, last_w, 0x7f, kMxuNan});
  cases.push_back({Format::kMxint8, Format::kMxint8, 0x6000, 0xff, kMxuNan});
  cases.push_back({Format::kMxint8, Format::kMxint8, 0x6020 + 5, 0xff, kMxuNan});
  cases.push_back({Format::kMxint8, Format::kMxint8, 0x6020 + 6, 0xff, {}});
  cases.push_back({Format::kMxint8, Format::kMxint8, 0x4000 + 2 * kRows - 1, 0xff, kMxuNan});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const bool trap : {true, false}) {
      SCOPED_TRACE(i);
      const Case& c = cases[i];
      Unit u(i);
      Model model;
      clear(u, model);
      Mm m = base;
      m.fa = c.fa, m.fw = c.fw;
      std::fill(u.mem.begin() + 0x4000, u.mem.begin() + 0x4000 + 2 * kRows, uint8_t{127});
      std::fill(u.mem.begin() + 0x6000, u.mem.begin() + 0x6046, uint8_t{127});
      u.mem[c.at] = c.value;
      Instr before = mm({0x8000, 0x9000, 0xa000, 0xb000, 1, 4, 0, 0});
      Instr middle = mm(m);
      middle.origin = 0x3a5a5;
      Instr after = before;
      after.origin = 2;
      const bool nan = c.cause == uint32_t{kMxuNan};
      u.trap = trap;
      model.mem = u.mem;
      u.run({before, middle, after}, model);
      const bool faults = c.cause && (!nan || trap);
      ASSERT_EQ(u.fault.has_value(), faults);
      if (faults) {
        EXPECT_EQ(*u.fault, (Fault{*c.cause, middle.origin, 0}));
      }
      if (!faults) {
        EXPECT_EQ(u.nans != 0, nan);
      }
      // The accumulators that are NaN now bring no second report.
      if (nan && !trap) {
        m.init = false;
        u.trap = true;
        model.mem = u.mem;
        middle = mm(m);
        u.run({middle}, model);
        EXPECT_FALSE(u.fault);
        EXPECT_EQ(u.nans, 0U);
        // A fresh start does.
        m.init = true;
        u.run({mm(m)}, model);
        EXPECT_TRUE(u.fault);
      }
    }
  }
  for (const uint32_t at : {0U, 0x4000U, 0x5000U, 0x5000U + 160, 0x5100U, 0x6000U, 0x6020U, 2 * kRows * 32 - 32,
                            0x5000U + 192, 0x4000U + 64}) {
    SCOPED_TRACE(at);
    Unit u(at);
    Model model;
    clear(u, model);
    u.bad_word = at / 32;
    Instr before = mm({0x8000, 0x9000, 0xa000, 0xb000, 1, 4, 0, 0}), middle = mm(base), after = before;
    middle.origin = 0x155aa;
    after.origin = 7;
    u.run({before, middle, after}, model);
    const bool used = at != 0x5000 + 192 && at != 0x4000 + 64;
    ASSERT_EQ(u.fault.has_value(), used);
    if (used) {
      EXPECT_EQ(*u.fault, (Fault{kParity, middle.origin, 0}));
    }
  }
}

// Cycles without lost grants: what the array needs, and a fixed start and end; stores hide behind products.
TEST(MxuOps, CyclesAreThoseOfTheArray) {
  std::uint64_t slack = 0;
  for (const Format fa : kActs) {
    for (const Format fw : kWeights) {
      for (const uint32_t n : {1U, 4U, 5U, 33U, 64U}) {
        SCOPED_TRACE(testing::Message() << number(fa) << " x " << number(fw) << " n " << n);
        Unit u(1);
        Model model;
        clear(u, model);
        u.trap = false;
        const auto fd = isa::kFormats[static_cast<std::size_t>(fw)];
        const auto passes = static_cast<std::uint64_t>(isa::kFormats[static_cast<std::size_t>(fa)].parts * fd.digits);
        const uint32_t ab = fa == Format::kMxfp4 ? 16 : 32;
        const Mm m{0, 0x4000, 0x6000, 0xb000, 3, n, (n * ab + 31) / 32 * 32, (n + 31) / 32 * 32, fa, fw, true, 0};
        std::vector<Instr> p{mm(m), mst(kY, 4 * kRows, n), mm(m), mst(kY + 0x2000, 4 * kRows, std::min(n, 32U)), mm(m)};
        for (uint32_t i = 0; i < p.size(); ++i) p[i].origin = i;
        u.run(p, model);
        ASSERT_FALSE(u.fault);
        const std::uint64_t groups = (n + kCols - 1) / kCols, blocks = fw == Format::kMxint8x2 ? 6 : 3;
        const std::uint64_t ideal = 3 * blocks * std::max<std::uint64_t>(2, groups * passes);
        const std::uint64_t busy = 3 * blocks * groups * passes;
        EXPECT_GE(u.steps, busy);
        slack = std::max(slack, u.cycles > ideal ? u.cycles - ideal : 0);
        EXPECT_LE(u.cycles, ideal + kSlack);
      }
    }
  }
  std::printf("cycles above the array's: at most %llu\n", static_cast<unsigned long long>(slack));
}

}  // namespace
