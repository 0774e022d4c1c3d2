// SPDX-License-Identifier: Apache-2.0
// tepin disasm: a program file to source text that assembles to the same bits.
#include <fmt/format.h>

#include "sw/asm/assembler.h"
#include "sw/cli/commands.h"
#include "sw/support/atomic_file.h"
#include "sw/support/file.h"

namespace tepin::cli {

std::string disassemble_file(const isa::Program& program, const std::string& file, const isa::Config& cfg) {
  try {
    return assembly::disassemble(program, cfg);
  } catch (const isa::InputError& e) {
    throw isa::InputError(fmt::format("{}: {}", file, e.what()));
  }
}

DisasmCommand::DisasmCommand(CLI::App& parent)
    : Command(parent, "disasm", "Disassembles a program", "tepin disasm copy.tpn -o copy.s", false) {
  app().add_option("program", program_, "Program file")->type_name("F.tpn")->required();
  app().add_option("-o,--output", output_, "Source text; default: standard output")->type_name("F.s");
}

int DisasmCommand::run() {
  check_distinct({{"the program", program_}}, {{"--output", output_}});
  const std::vector<std::uint8_t> bytes = support::read_file(program_);
  const isa::Program program = isa::decode_program(bytes, program_);
  const std::string source = disassemble_file(program, program_, common_.configuration());
  std::uint64_t instructions = 0;
  for (const isa::Section& s : program.sections) instructions += s.code.size();
  if (!output_.empty()) support::write_file(output_, source);
  Json j{{"file", program_},
         {"instructions", instructions},
         {"bytes", bytes.size()},
         {"sections", program.sections.size()}};
  if (output_.empty()) j["source"] = source;
  report(j);
  print(output_.empty() ? source.substr(0, source.find_last_not_of('\n') + 1)
                        : fmt::format("{}: {} instructions", output_, instructions));
  return kOk;
}

}  // namespace tepin::cli
