// SPDX-License-Identifier: Apache-2.0
// Builds sections instruction by instruction, by the names of isa.toml, for tests that need no assembler.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sw/isa/program.h"

namespace tepin::golden::testing {

using Fields = std::initializer_list<std::pair<std::string_view, std::uint32_t>>;

class Builder {
 public:
  /// Thread t starts at the next instruction.
  Builder& thread(int t) {
    section_.entry.at(static_cast<std::size_t>(t)) = pc();
    return *this;
  }
  [[nodiscard]] std::uint32_t pc() const { return static_cast<std::uint32_t>(section_.code.size()); }

  /// One instruction; fields as encoded (register numbers, immediates, flags), those not named are 0.
  Builder& raw(std::string_view name, Fields fields = {}) {
    const isa::Instr& instr = find(name);
    isa::Word w;
    isa::set(w, isa::kBitsOpcode, static_cast<std::uint32_t>(instr.op));
    for (const auto& [field, value] : fields) isa::set(w, bits(instr, field), value);
    section_.code.push_back(w);
    return *this;
  }
  Builder& li(std::uint32_t rd, std::uint32_t value) { return raw("li", {{"rd", rd}, {"imm", value}}); }
  /// An engine's instruction: operands are given as values, which r1, r2, ... are loaded with first; flags as they are.
  Builder& engine(std::string_view name, Fields fields = {}) {
    const isa::Instr& instr = find(name);
    isa::Word w;
    isa::set(w, isa::kBitsOpcode, static_cast<std::uint32_t>(instr.op));
    std::uint32_t reg = 1;
    for (const auto& [field, value] : fields) {
      const isa::Field& f =
          *std::find_if(instr.fields.begin(), instr.fields.end(), [&](const isa::Field& g) { return g.name == field; });
      (void)bits(instr, field);
      if (f.kind == isa::FieldKind::kReg) {
        li(reg, value);
        isa::set(w, f.bits, reg++);
      } else {
        isa::set(w, f.bits, value);
      }
    }
    section_.code.push_back(w);
    return *this;
  }
  /// A wait or post of the last instruction; the second call fills the second slot.
  Builder& wait(std::uint32_t sem, std::uint32_t count = 1) {
    return sync(sem, count, isa::kBitsWait0Sem, isa::kBitsWait0Cnt, isa::kBitsWait1Sem, isa::kBitsWait1Cnt);
  }
  Builder& post(std::uint32_t sem, std::uint32_t count = 1) {
    return sync(sem, count, isa::kBitsPost0Sem, isa::kBitsPost0Cnt, isa::kBitsPost1Sem, isa::kBitsPost1Cnt);
  }
  /// A post of the last instruction to a semaphore of another tile.
  Builder& post_to(std::uint32_t tile, std::uint32_t sem, std::uint32_t count = 1) {
    isa::Word& w = section_.code.back();
    isa::set(w, isa::kBitsPost1Sem, sem);
    isa::set(w, isa::kBitsPost1Cnt, count);
    isa::set(w, isa::kBitsPost1Remote, 1);
    isa::set(w, isa::kBitsPost1Tile, tile);
    return *this;
  }
  Builder& halt() { return raw("halt"); }
  /// Changes a field of an instruction that is already there (forward branches).
  Builder& patch(std::uint32_t at, isa::Bits field, std::uint32_t value) {
    isa::set(section_.code.at(at), field, value);
    return *this;
  }
  [[nodiscard]] const isa::Section& section() const { return section_; }

 private:
  static const isa::Instr& find(std::string_view name) {
    const isa::Instr* instr = isa::find_instr(name);
    if (instr == nullptr) throw std::logic_error("no instruction " + std::string(name));
    return *instr;
  }
  static isa::Bits bits(const isa::Instr& instr, std::string_view field) {
    for (const isa::Field& f : instr.fields) {
      if (f.name == field) return f.bits;
    }
    throw std::logic_error(std::string(instr.name) + " has no field " + std::string(field));
  }
  Builder& sync(std::uint32_t sem, std::uint32_t count, isa::Bits sem0, isa::Bits cnt0, isa::Bits sem1,
                isa::Bits cnt1) {
    isa::Word& w = section_.code.back();
    const bool second = isa::get(w, cnt0) != 0;
    isa::set(w, second ? sem1 : sem0, sem);
    isa::set(w, second ? cnt1 : cnt0, count);
    return *this;
  }

  isa::Section section_;
};

}  // namespace tepin::golden::testing
