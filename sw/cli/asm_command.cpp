// SPDX-License-Identifier: Apache-2.0
// tepin asm: source text to a program file.
#include <fmt/format.h>

#include "sw/asm/assembler.h"
#include "sw/cli/commands.h"
#include "sw/support/atomic_file.h"

namespace tepin::cli {

AsmCommand::AsmCommand(CLI::App& parent)
    : Command(parent, "asm", "Assembles a program", "tepin asm sw/kernels/copy.s -o copy.tpn", false) {
  app().add_option("source", source_, "Source text (docs/assembly.md)")->type_name("F.s")->required();
  app().add_option("-o,--output", output_, "Program file")->type_name("F.tpn")->required();
  app()
      .add_option("--listing", listing_,
                  "Write the program with each engine instruction's occupancy in cycles (- for standard output)")
      ->type_name("F")
      ->check(not_empty());
}

int AsmCommand::run() {
  check_distinct({{"the source", source_}}, {{"--output", output_}, {"--listing", listing_ == "-" ? "" : listing_}});
  const isa::Program program = assembly::assemble_file(source_, common_.configuration());
  const std::vector<std::uint8_t> bytes = isa::encode_program(program);
  std::uint64_t instructions = 0;
  for (const isa::Section& s : program.sections) instructions += s.code.size();
  if (listing_ == "-" && common_.json)
    throw isa::InputError("--listing -: standard output has the JSON; allowed: a file");
  if (!listing_.empty() && listing_ != "-")
    support::write_file(listing_, assembly::disassemble(program, common_.configuration(), true));
  support::write_file(output_, bytes);
  report(Json{{"file", output_},
              {"instructions", instructions},
              {"bytes", bytes.size()},
              {"sections", program.sections.size()}});
  if (listing_ == "-") print(assembly::disassemble(program, common_.configuration(), true));
  print(fmt::format("{}: {} instructions, {} bytes", output_, instructions, bytes.size()));
  return kOk;
}

}  // namespace tepin::cli
