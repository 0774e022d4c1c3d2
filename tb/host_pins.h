// SPDX-License-Identifier: Apache-2.0
// Copies the pins of host ports between a verilated class (s_*, l_* with _i and _o) and structs with the names of
// TileIn and TileOut (dut.h). Included by the files that name such classes.
#pragma once

#include <cstddef>

namespace tepin::tb {

/// 32 bytes between a verilated vector and an array of words, either way.
template <class To, class From>
void copy_word(To& to, const From& from) {
  for (std::size_t i = 0; i < 8; ++i) to[i] = from[i];
}

/// AXI4-Lite registers; all four bytes of what is written count.
template <class Model, class In>
void drive_registers(Model& m, const In& in) {
  m.l_aw_valid_i = in.l_aw_valid;
  m.l_aw_addr_i = in.l_aw_addr;
  m.l_w_valid_i = in.l_w_valid;
  m.l_w_data_i = in.l_w_data;
  m.l_w_strb_i = 15;
  m.l_b_ready_i = in.l_b_ready;
  m.l_ar_valid_i = in.l_ar_valid;
  m.l_ar_addr_i = in.l_ar_addr;
  m.l_r_ready_i = in.l_r_ready;
}
template <class Model, class Out>
void sample_registers(const Model& m, Out& out) {
  out.l_aw_ready = m.l_aw_ready_o;
  out.l_w_ready = m.l_w_ready_o;
  out.l_b_valid = m.l_b_valid_o;
  out.l_b_resp = m.l_b_resp_o;
  out.l_ar_ready = m.l_ar_ready_o;
  out.l_r_valid = m.l_r_valid_o;
  out.l_r_resp = m.l_r_resp_o;
  out.l_r_data = m.l_r_data_o;
}

/// The AXI4 window. Data are copied only while they are valid.
template <class Model, class In>
void drive_window(Model& m, const In& in) {
  m.s_aw_valid_i = in.s_aw_valid;
  m.s_aw_id_i = in.s_aw_id;
  m.s_aw_addr_i = in.s_aw_addr;
  m.s_aw_len_i = in.s_aw_len;
  m.s_w_valid_i = in.s_w_valid;
  m.s_w_strb_i = in.s_w_strb;
  m.s_w_last_i = in.s_w_last;
  if (in.s_w_valid) copy_word(m.s_w_data_i, in.s_w_data);
  m.s_b_ready_i = in.s_b_ready;
  m.s_ar_valid_i = in.s_ar_valid;
  m.s_ar_id_i = in.s_ar_id;
  m.s_ar_addr_i = in.s_ar_addr;
  m.s_ar_len_i = in.s_ar_len;
  m.s_r_ready_i = in.s_r_ready;
}
template <class Model, class Out>
void sample_window(const Model& m, Out& out) {
  out.s_aw_ready = m.s_aw_ready_o;
  out.s_w_ready = m.s_w_ready_o;
  out.s_b_valid = m.s_b_valid_o;
  out.s_b_id = m.s_b_id_o;
  out.s_b_resp = m.s_b_resp_o;
  out.s_ar_ready = m.s_ar_ready_o;
  out.s_r_valid = m.s_r_valid_o;
  out.s_r_id = m.s_r_id_o;
  out.s_r_resp = m.s_r_resp_o;
  out.s_r_last = m.s_r_last_o;
  if (out.s_r_valid) copy_word(out.s_r_data, m.s_r_data_o);
}

}  // namespace tepin::tb
