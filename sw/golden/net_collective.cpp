// SPDX-License-Identifier: Apache-2.0
// NET's two-sided instructions: a tile starts one and gives its operand; the last to start makes all of them complete.
#include <string>
#include <utility>

#include "sw/golden/fabric.h"

namespace tepin::golden {
namespace {

constexpr isa::Bits kGroup{112, 2};
constexpr isa::Bits kMax{114, 1};
constexpr isa::Bits kBf16{115, 1};
constexpr std::uint64_t kMaxLen = 65535;

}  // namespace

bool Tile::start_collective(const Exec& x) {
  Collective c;
  c.kind = x.at.op;
  c.number = static_cast<std::uint8_t>(x.flag(kGroup));
  if (c.kind != isa::Op::kNbar) {
    c.dst = x.r[0];
    c.src = x.r[1];
    c.len = x.r[2];
    c.max = x.flag(kMax) != 0;  // zero where the instruction has none
    c.bf16 = x.flag(kBf16) != 0;
    check_count(x, "len", c.len, kMaxLen);
    check_aligned(x, "dst", c.dst, kBeat);
    check_aligned(x, "src", c.src, kBeat);
  }
  c.group = group_of(x);
  const bool member = c.member(number);
  if ((c.parts() & bit_of(number)) == 0) {
    fault(x.at, isa::Cause::kBadGroup,
          "the executing tile is " +
              std::string(c.kind == isa::Op::kNrs ? "no member" : "neither a member nor the root") + " of group " +
              std::to_string(c.number));
  }
  const bool gives = member && c.kind != isa::Op::kNbar;
  if (c.kind != isa::Op::kNbar) {
    check_spad(x, "src", c.src, c.given_words() * kBeat);
    check_spad(x, "dst", c.dst, c.taken_words() * kBeat);
  }

  Started& s = started_.emplace(Started{x, c, {}, {}});
  if (san_ != nullptr) s.start = san_->start_collective(x.agent);
  if (gives) {
    const std::uint8_t* data = read_spad(x, c.src, c.given_words() * kBeat);
    s.data.assign(data, data + c.given_words() * kBeat);
  }
  if (fabric_.matched(c)) fabric_.complete(c);
  return false;
}

// Data that come from this tile's own operand may take its place, word for word; any other overlap is a race.
void Tile::take_results(const Results& results) {
  const Started s = std::move(*started_);
  started_.reset();
  const Collective& c = s.what;
  const std::uint64_t piece = std::uint64_t{c.len} * kBeat;
  const std::uint32_t rank = c.rank(number);
  for (std::uint64_t at = 0; at < results.size(); at += piece) {
    bool alias_ok = false;
    switch (c.kind) {
      case isa::Op::kNag:
        alias_ok = at == rank * piece && c.dst + at == c.src;
        break;
      case isa::Op::kNa2a:
        alias_ok = at == rank * piece && c.dst == c.src;
        break;
      case isa::Op::kNrs:
        alias_ok = c.dst == c.src + rank * piece;
        break;
      default:
        alias_ok = c.dst == c.src;
        break;
    }
    write_spad(s.x, c.dst + at, std::span(results).subspan(at, piece), alias_ok);
  }
  finish(s.x);
}

}  // namespace tepin::golden
