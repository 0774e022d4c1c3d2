// SPDX-License-Identifier: Apache-2.0
#include "host_bench.h"

#include <fmt/format.h>
#include <verilated.h>

#include "Vchip_host.h"
#include "tb/host_pins.h"

namespace tepin::tb::testing {
namespace {

constexpr unsigned kDecerr = 3;
constexpr std::uint64_t kQuiet = 5000;  // cycles without any handshake that are a hang

template <class Wide>
HostWord word(const Wide& w) {
  HostWord v;
  copy_word(v, w);
  return v;
}

std::uint8_t pin8(unsigned v) { return static_cast<std::uint8_t>(v); }

}  // namespace

HostBench::HostBench(std::uint32_t seed) : context_(std::make_unique<VerilatedContext>()), rng_(seed) {
  for (std::size_t t = 0; t < kHostTiles; ++t) tiles.emplace_back(t, 32);
  for (std::size_t e = 0; e < kHostEnds; ++e) ends.emplace_back(e, 4);
  context_->randReset(2);  // what has no reset begins with anything
  context_->randSeed(static_cast<int>(seed & 0x7fffffffU) | 1);
  dut_ = std::make_unique<Vchip_host>(context_.get(), "host");
  put();
  for (std::size_t t = 0; t < kHostTiles; ++t) dut_->t_irq_i[t] = 0;
  dut_->clk_i = 0;
  dut_->rst_ni = 1;
  dut_->eval();
  dut_->rst_ni = 0;
  for (unsigned i = 0; i < 8; ++i) {
    dut_->clk_i = pin8(i % 2);
    dut_->eval();
  }
  dut_->clk_i = 0;
  dut_->rst_ni = 1;
  dut_->eval();
}
HostBench::~HostBench() { dut_->final(); }

Burst HostBench::window(unsigned id, unsigned tile, std::uint64_t address, unsigned beats, bool write) {
  Burst b;
  b.id = id;
  b.address = std::uint64_t{tile} << 39 | address;
  b.end_address = address;
  b.beats = beats;
  const unsigned x = tile % 8, y = tile / 8;
  if (x < kHostX && y < kHostY) b.end = y * kHostX + x;
  for (unsigned i = 0; i < beats; ++i) {
    Answer a;
    a.resp = kDecerr;
    if (b.end) a = answer_of(*b.end, address + std::uint64_t{i} * 32, 32);
    a.id = id;
    a.last = i + 1 == beats;
    if (!write) b.answers.push_back(a);
    if (!write) continue;
    Beat d;
    for (auto& v : d.data) v = rng_();
    d.strb = rng_();
    d.last = a.last;
    b.data.push_back(d);
    if (i == 0) b.answers.push_back({id, a.resp, {}, true});
  }
  return b;
}

Burst HostBench::registers(unsigned tile, unsigned block, unsigned address, bool write) {
  Burst b;
  b.address = std::uint64_t{tile} << 14 | block << 11 | address;
  b.end_address = address;
  const unsigned x = tile % 8, y = tile / 8;
  if (x < kHostX && y < kHostY && block <= kHostChannels && (block != 0 || address < 256))
    b.end = (y * kHostX + x) * kHostBlocks + block;
  Answer a;
  a.resp = kDecerr;
  if (b.end) a = answer_of(*b.end, address, 4);
  if (write) {
    a.data = {};
    Beat d;
    d.data[0] = rng_();
    d.strb = rng_() & 15U;
    d.last = true;
    b.data.push_back(d);
  }
  b.answers.push_back(a);
  return b;
}

// Offers onto the pins.
void HostBench::put() {
  Vchip_host& d = *dut_;
  const Channels& w = win.pins;
  d.s_aw_valid_i = w.aw.has_value();
  d.s_w_valid_i = w.w.has_value();
  d.s_ar_valid_i = w.ar.has_value();
  d.s_b_ready_i = w.b_ready;
  d.s_r_ready_i = w.r_ready;
  if (w.aw) d.s_aw_id_i = pin8(w.aw->id), d.s_aw_addr_i = w.aw->address, d.s_aw_len_i = pin8(w.aw->len);
  if (w.ar) d.s_ar_id_i = pin8(w.ar->id), d.s_ar_addr_i = w.ar->address, d.s_ar_len_i = pin8(w.ar->len);
  if (w.w) {
    copy_word(d.s_w_data_i, w.w->data);
    d.s_w_strb_i = w.w->strb;
    d.s_w_last_i = w.w->last;
  }
  const Channels& r = reg.pins;
  d.l_aw_valid_i = r.aw.has_value();
  d.l_w_valid_i = r.w.has_value();
  d.l_ar_valid_i = r.ar.has_value();
  d.l_b_ready_i = r.b_ready;
  d.l_r_ready_i = r.r_ready;
  if (r.aw) d.l_aw_addr_i = static_cast<std::uint32_t>(r.aw->address);
  if (r.ar) d.l_ar_addr_i = static_cast<std::uint32_t>(r.ar->address);
  if (r.w) d.l_w_data_i = r.w->data[0], d.l_w_strb_i = pin8(r.w->strb & 15U);
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const Channels& c = tiles[t].pins;
    d.t_aw_ready_i[t] = c.aw_ready;
    d.t_w_ready_i[t] = c.w_ready;
    d.t_ar_ready_i[t] = c.ar_ready;
    d.t_b_valid_i[t] = c.b.has_value();
    if (c.b) d.t_b_id_i[t] = pin8(c.b->id), d.t_b_resp_i[t] = pin8(c.b->resp);
    d.t_r_valid_i[t] = c.r.has_value();
    if (c.r) {
      d.t_r_id_i[t] = pin8(c.r->id);
      d.t_r_resp_i[t] = pin8(c.r->resp);
      d.t_r_last_i[t] = c.r->last;
      copy_word(d.t_r_data_i[t], c.r->data);
    }
  }
  for (std::size_t e = 0; e < ends.size(); ++e) {
    const Channels& c = ends[e].pins;
    d.e_aw_ready_i[e] = c.aw_ready;
    d.e_w_ready_i[e] = c.w_ready;
    d.e_ar_ready_i[e] = c.ar_ready;
    d.e_b_valid_i[e] = c.b.has_value();
    if (c.b) d.e_b_resp_i[e] = pin8(c.b->resp);
    d.e_r_valid_i[e] = c.r.has_value();
    if (c.r) d.e_r_resp_i[e] = pin8(c.r->resp), d.e_r_data_i[e] = c.r->data[0];
  }
}

// What the other side of each pin shows.
void HostBench::get() {
  const Vchip_host& d = *dut_;
  const auto when = [](bool valid, const auto& make) { return valid ? std::optional(make()) : std::nullopt; };
  Channels& w = win.pins;
  w.aw_ready = d.s_aw_ready_o;
  w.w_ready = d.s_w_ready_o;
  w.ar_ready = d.s_ar_ready_o;
  w.b = when(d.s_b_valid_o, [&] { return Answer{d.s_b_id_o, d.s_b_resp_o, {}, true}; });
  w.r = when(d.s_r_valid_o, [&] { return Answer{d.s_r_id_o, d.s_r_resp_o, word(d.s_r_data_o), d.s_r_last_o != 0}; });
  Channels& r = reg.pins;
  r.aw_ready = d.l_aw_ready_o;
  r.w_ready = d.l_w_ready_o;
  r.ar_ready = d.l_ar_ready_o;
  r.b = when(d.l_b_valid_o, [&] { return Answer{0, d.l_b_resp_o, {}, true}; });
  r.r = when(d.l_r_valid_o, [&] { return Answer{0, d.l_r_resp_o, {d.l_r_data_o}, true}; });
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    Channels& c = tiles[t].pins;
    c.aw = when(d.t_aw_valid_o[t], [&] { return Request{d.t_aw_id_o[t], d.t_aw_len_o[t], d.t_aw_addr_o[t]}; });
    c.ar = when(d.t_ar_valid_o[t], [&] { return Request{d.t_ar_id_o[t], d.t_ar_len_o[t], d.t_ar_addr_o[t]}; });
    c.w = when(d.t_w_valid_o[t], [&] { return Beat{word(d.t_w_data_o[t]), d.t_w_strb_o[t], d.t_w_last_o[t] != 0}; });
    c.b_ready = d.t_b_ready_o[t];
    c.r_ready = d.t_r_ready_o[t];
  }
  for (std::size_t e = 0; e < ends.size(); ++e) {
    Channels& c = ends[e].pins;
    c.aw = when(d.e_aw_valid_o[e], [&] { return Request{0, 0, d.e_aw_addr_o[e]}; });
    c.ar = when(d.e_ar_valid_o[e], [&] { return Request{0, 0, d.e_ar_addr_o[e]}; });
    c.w = when(d.e_w_valid_o[e], [&] { return Beat{{d.e_w_data_o[e]}, d.e_w_strb_o[e], true}; });
    c.b_ready = d.e_b_ready_o[e];
    c.r_ready = d.e_r_ready_o[e];
  }
}

void HostBench::tick() {
  win.drive(rng_);
  reg.drive(rng_);
  for (Slave& s : tiles) s.drive(rng_);
  for (Slave& s : ends) s.drive(rng_);
  put();
  dut_->eval();  // as the edge sees them
  get();
  const auto see = [&](const std::string& s) {
    if (wrong.empty() && !s.empty()) wrong = fmt::format("cycle {}: {}", now_, s);
  };
  see(win.edge(now_));
  see(reg.edge(now_));
  for (Slave& s : tiles) see(s.edge(now_, rng_));
  for (Slave& s : ends) see(s.edge(now_, rng_));
  dut_->clk_i = 1;
  dut_->eval();
  context_->timeInc(1);
  dut_->clk_i = 0;
  dut_->eval();
  context_->timeInc(1);
  ++now_;
  const auto passed = [](const Times& t) { return t.aw.size() + t.w.size() + t.b.size() + t.ar.size() + t.r.size(); };
  const std::size_t count = passed(win.times) + passed(reg.times);
  if (count != passed_ || (win.idle() && reg.idle())) moved_ = now_;
  passed_ = count;
  if (now_ - moved_ > kQuiet) {
    see(fmt::format("{} writes and {} reads of the window, {} and {} of registers are never answered", win.open_writes,
                    win.open_reads, reg.open_writes, reg.open_reads));
  }
}

bool HostBench::drain() {
  while (wrong.empty() && !(win.idle() && reg.idle())) tick();
  for (const std::vector<Slave>* side : {&tiles, &ends}) {
    for (const Slave& s : *side) {
      if (wrong.empty() && !s.idle()) wrong = "a slave still waits for something";
    }
  }
  return wrong.empty();
}

void HostBench::set_irq(std::size_t tile, bool on) { dut_->t_irq_i[tile] = on; }
bool HostBench::irq() const { return dut_->irq_o; }

}  // namespace tepin::tb::testing
