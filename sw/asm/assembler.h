// SPDX-License-Identifier: Apache-2.0
// Assembler and disassembler (docs/assembly.md is the manual). For every program p that disassemble() takes,
// assemble(disassemble(p)) is p, bit for bit.
#pragma once

#include <string>
#include <string_view>

#include "sw/isa/program.h"

namespace tepin::assembly {

/// Assembles a source text for a configuration. `filename` stands in errors, and .include is relative to its folder.
/// isa::InputError "file:line:col: expected X, found Y" at the first thing that is wrong; col counts bytes from 1 (in
/// an expanded macro: of the line after substitution). Every instruction that it emits is legal, but for .word.
[[nodiscard]] isa::Program assemble(std::string_view source, const std::string& filename, const isa::Config& cfg);
/// The same from a file.
[[nodiscard]] isa::Program assemble_file(const std::string& path, const isa::Config& cfg);

/// Source text of a program: labels for targets and entries, .word for what no instruction can express. isa::InputError
/// if no source can express the program: no section, a section without instructions or with more than the instruction
/// memory holds, two sections for one tile, a tile outside the mesh, an entry beyond the instruction memory.
/// with_cycles: each engine instruction ends in a comment with its occupancy().
[[nodiscard]] std::string disassemble(const isa::Program& program, const isa::Config& cfg, bool with_cycles = false);

/// Cycles for which a legal instruction occupies its engine with no conflicts and its data present, as a formula of its
/// operands: configuration and formats are filled in, counts in registers stay names. Empty for SEQ's: one cycle.
[[nodiscard]] std::string occupancy(const isa::Word& word, const isa::Config& cfg);

}  // namespace tepin::assembly
