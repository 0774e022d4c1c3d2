// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/bench_allreduce.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sw/cli/table.h"
#include "tb/net/collective_bench.h"

namespace tepin::cli {

BenchAllreduceCommand::BenchAllreduceCommand(CLI::App& parent)
    : Command(
          parent, "allreduce",
          "All-reduce of every tile's values, from scratchpad to scratchpad, summed in the routers of the verilated "
          "network; "
          "cycles from the first word read to the last one written and posted. Bound: a flit a cycle and the mesh's "
          "diameter twice. Beside it a multicast from a corner to all others, a write to the farthest tile, a barrier. "
          "Every value of the all-reduce is checked against the documented order of the sums",
          "tepin bench allreduce --mesh 4x4 --elements 7168 --dtype bf16", false) {
  app().add_option("--mesh", mesh_, "Columns x rows, 1x1 to 8x8")->type_name("WxH")->capture_default_str();
  app()
      .add_option("--elements", elements_, "Values of each tile, 1..32768 (fp32: 16384)")
      ->check(CLI::Range(1, 32768))
      ->capture_default_str();
  app()
      .add_option("--dtype", dtype_, "On the wire and in the scratchpads")
      ->check(CLI::IsMember({"fp32", "bf16"}))
      ->capture_default_str();
  app()
      .add_option("--link-bits", link_bits_, "Data of a flit: 256, 512")
      ->check(CLI::IsMember({256, 512}))
      ->capture_default_str();
  app()
      .add_option("--bytes", bytes_, "Of the multicast, a multiple of 32, 32..65536")
      ->check(CLI::Range(32, 65536))
      ->capture_default_str();
}

int BenchAllreduceCommand::run() {
  if (common_.checked_target("rtl") != Target::kRtl)
    throw isa::InputError("--target golden: bench allreduce measures the verilated network; allowed: rtl");
  const auto [x, y] = parse_mesh(mesh_);
  if (bytes_ % 32 != 0) throw isa::InputError(fmt::format("--bytes {}: allowed: multiples of 32", bytes_));
  const bool bf16 = dtype_ == "bf16";
  tb::net::CollectiveFigures f;
  try {
    const auto mesh = tb::net::make_net_mesh(x, y, link_bits_);
    f = tb::net::measure_collectives(*mesh, elements_, bf16, bytes_, common_.seed);
  } catch (const std::invalid_argument& e) {
    throw isa::InputError(e.what());
  }
  const auto bits = static_cast<std::uint64_t>(link_bits_);
  const auto hops = static_cast<std::uint64_t>(x - 1 + y - 1);
  const std::uint64_t flits = (std::uint64_t{elements_} * (bf16 ? 16 : 32) + bits - 1) / bits;
  const std::uint64_t beats = (std::uint64_t{bytes_} * 8 + bits - 1) / bits;
  const Json result{{"mesh", mesh_},
                    {"elements", elements_},
                    {"dtype", dtype_},
                    {"link_bits", link_bits_},
                    {"seed", common_.seed},
                    {"cycles", f.allreduce},
                    {"bound_cycles", flits + 2 * hops},
                    {"multicast_cycles", f.multicast},
                    {"multicast_beats_and_hops", beats + hops},
                    {"write_cycles", f.unicast},
                    {"barrier_cycles", f.barrier},
                    {"checked_values", f.checked},
                    {"mismatches", f.mismatches}};
  report(result);
  Table table({"collective", "size", "cycles", "bound"}, 2);
  table.add({"all-reduce", fmt::format("{} {}", elements_, dtype_), std::to_string(f.allreduce),
             std::to_string(flits + 2 * hops)});
  table.add({"multicast to all others", fmt::format("{} bytes", bytes_), std::to_string(f.multicast),
             std::to_string(beats + hops)});
  table.add({"write to the farthest", fmt::format("{} bytes", bytes_), std::to_string(f.unicast),
             std::to_string(std::uint64_t{bytes_} / 32 + hops)});
  table.add({"barrier", "-", std::to_string(f.barrier), std::to_string(2 * hops)});
  print(table.text());
  print(fmt::format("{} values checked, {} mismatches", grouped(f.checked), f.mismatches));
  return f.mismatches == 0 ? kOk : kMismatch;
}

}  // namespace tepin::cli
