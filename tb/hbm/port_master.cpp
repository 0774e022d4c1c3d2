// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/port_master.h"

#include <fmt/format.h>

namespace tepin::tb::hbm {

void ResponseRules::fail(std::uint64_t clock, const std::string& what) const {
  throw ProtocolError(fmt::format("{}, clock {}: {}", port_, clock, what));
}

void ResponseRules::check(const AxiOut& out, const AxiIn& in, std::uint64_t clock) {
  if (r_waits_) {
    if (!out.r_valid) fail(clock, fmt::format("R: valid fell before ready (ID {})", held_.r_id));
    if (out.r_id != held_.r_id || out.r_resp != held_.r_resp || out.r_last != held_.r_last ||
        out.r_data != held_.r_data) {
      fail(clock, fmt::format("R: the payload changed before ready (ID {}, now ID {})", held_.r_id, out.r_id));
    }
  }
  if (b_waits_) {
    if (!out.b_valid) fail(clock, fmt::format("B: valid fell before ready (ID {})", held_.b_id));
    if (out.b_id != held_.b_id || out.b_resp != held_.b_resp)
      fail(clock, fmt::format("B: the payload changed before ready (ID {}, now ID {})", held_.b_id, out.b_id));
  }
  r_waits_ = out.r_valid && !in.r_ready;
  b_waits_ = out.b_valid && !in.b_ready;
  if (r_waits_ || b_waits_) held_ = out;
}

Word burst_data(std::uint64_t seed, std::uint32_t address, std::uint32_t version) {
  Rng rng{seed * 0xd1342543de82ef95U ^ (std::uint64_t{address} << 32 | version)};
  rng.next();
  Word word;
  for (std::size_t i = 0; i < word.size(); i += 2) {
    const std::uint64_t v = rng.next();
    word[i] = static_cast<std::uint32_t>(v);
    word[i + 1] = static_cast<std::uint32_t>(v >> 32);
  }
  return word;
}

std::string word_text(const Word& word) {
  std::string text = "0x";
  for (std::size_t i = word.size(); i-- > 0;) text += fmt::format("{:08x}", word[i]);
  return text;
}

}  // namespace tepin::tb::hbm
