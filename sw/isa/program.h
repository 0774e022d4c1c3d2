// SPDX-License-Identifier: Apache-2.0
// Instruction words and the .tpn program file (docs/architecture.md, section 4).
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/isa/configs.h"
#include "sw/isa/isa.h"

namespace tepin::isa {

/// Bad input from a user: what() is one line that names the file, line or field, what is wrong and what is allowed.
/// Exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One 128-bit instruction, lo = bits 63..0.
struct Word {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  friend bool operator==(const Word&, const Word&) = default;
};

/// Value of a field of at most 32 bits that does not cross bit 64.
[[nodiscard]] constexpr std::uint32_t get(const Word& w, Bits b) {
  const std::uint64_t half = b.lsb < 64 ? w.lo >> b.lsb : w.hi >> (b.lsb - 64);
  return static_cast<std::uint32_t>(half & ((std::uint64_t{1} << b.width) - 1));
}

/// Sets a field; value must fit in b.width bits.
constexpr void set(Word& w, Bits b, std::uint32_t value) {
  std::uint64_t& half = b.lsb < 64 ? w.lo : w.hi;
  const unsigned shift = b.lsb < 64 ? b.lsb : b.lsb - 64U;
  const std::uint64_t mask = ((std::uint64_t{1} << b.width) - 1) << shift;
  half = (half & ~mask) | ((std::uint64_t{value} << shift) & mask);
}

/// The table entry of an opcode, nullptr if there is none.
[[nodiscard]] const Instr* find_instr(std::uint8_t opcode);
/// The table entry of a mnemonic, nullptr if there is none.
[[nodiscard]] const Instr* find_instr(std::string_view name);
/// Empty if the word is legal on the configuration (the same rules as isa_legal in the generated package), else what is
/// wrong.
[[nodiscard]] std::string why_illegal(const Word& w, const Config& cfg);
/// The configuration of a name; InputError naming the allowed ones.
[[nodiscard]] const Config& find_config(std::string_view name);

inline constexpr std::uint32_t kMaxPc = 0xffff;         // program counters have 16 bits
inline constexpr std::uint32_t kNoEntry = 0xffffffffU;  // thread not started
inline constexpr std::uint32_t kEveryTile = 0xffffffffU;
inline constexpr std::uint32_t kMaxMesh = 8;  // columns and rows of the largest mesh; a tile's number is 8*y + x

struct Section {
  std::uint32_t x = kEveryTile;
  std::uint32_t y = kEveryTile;
  std::array<std::uint32_t, 4> entry{kNoEntry, kNoEntry, kNoEntry, kNoEntry};
  std::vector<Word> code;
  friend bool operator==(const Section&, const Section&) = default;
};

struct Program {
  std::vector<Section> sections;
  friend bool operator==(const Program&, const Program&) = default;
};

/// Bytes of the .tpn file.
[[nodiscard]] std::vector<std::uint8_t> encode_program(const Program& p);
/// Parses the bytes of a .tpn file; `name` is used in errors. InputError on anything corrupt (magic, version, sizes,
/// CRC).
[[nodiscard]] Program decode_program(const std::vector<std::uint8_t>& bytes, const std::string& name);

/// The section of each tile of a mesh, row by row: its own, else the one for every tile, else nullptr. `name` is used
/// in errors. InputError if there is none at all, two are for one tile, or one is for a tile that the mesh does not
/// have.
[[nodiscard]] std::vector<const Section*> place_sections(const Program& p, std::uint32_t mesh_x, std::uint32_t mesh_y,
                                                         const std::string& name);
/// "0,0..1,1", or "0,0": the tiles of a mesh, for errors.
[[nodiscard]] std::string tiles_of_mesh(std::uint32_t mesh_x, std::uint32_t mesh_y);

}  // namespace tepin::isa
