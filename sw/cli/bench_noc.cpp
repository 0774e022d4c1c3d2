// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/bench_noc.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sw/cli/bench_allreduce.h"
#include "sw/cli/table.h"
#include "tb/noc/noc_bench.h"

namespace tepin::cli {
namespace {

namespace noc = tb::noc;

/// "4 (256, 512 bit), 5 (256 bit)".
std::string built() {
  std::vector<std::pair<int, std::string>> all;
  for (const noc::Variant& v : noc::mesh_variants()) {
    if (v.checked) continue;
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.first == v.depth; });
    if (at == all.end())
      all.emplace_back(v.depth, std::to_string(v.link_bits));
    else
      at->second += fmt::format(", {}", v.link_bits);
  }
  std::string text;
  for (const auto& [depth, bits] : all) text += fmt::format("{}{} ({} bit)", text.empty() ? "" : ", ", depth, bits);
  return text;
}

}  // namespace

BenchNocCommand::BenchNocCommand(CLI::App& parent)
    : Command(
          parent, "noc",
          "Open-loop traffic on the verilated network: packets are born at each tile by independent draws and wait "
          "in a source queue without bound. Latency of a packet: cycles from its birth to its last flit in the "
          "register of the last router. Figures: zero-load is the mean latency at 0.02 flits a tile and cycle; "
          "saturation the highest offered load whose mean latency is at most three times that; overload what is "
          "accepted when every source offers 1. Every flit is checked: none lost, duplicated, corrupted or reordered",
          "tepin bench noc --mesh 4x4 --pattern uniform --flits 8 --buffer 5\n"
          "  tepin bench noc --mesh 8x8 --pattern transpose --rate 0.3 --cycles 50000 --point",
          false) {
  app().add_option("--mesh", mesh_, "Columns x rows, 1x1 to 8x8")->type_name("WxH")->capture_default_str();
  app()
      .add_option("--pattern", pattern_,
                  "uniform (the sender included), transpose, neighbor (x+1, y+1), hotspot (the corners), tornado, "
                  "complement")
      ->capture_default_str();
  app().add_option("--flits", flits_, "Flits a packet, 1..1000")->check(CLI::Range(1, 1000))->capture_default_str();
  app()
      .add_option("--rate", rate_, "Offered load of the point, flits a tile and cycle, above 0 and up to 1")
      ->capture_default_str();
  app()
      .add_option("--cycles", cycles_, "Measured at each load, after a quarter of them as warm-up; 100..100000000")
      ->check(whole_number(100, 100'000'000))
      ->capture_default_str();
  app()
      .add_option("--buffer", buffer_, "Flits of buffer a router's port, the link's register apart: " + built())
      ->capture_default_str();
  app().add_option("--link-bits", link_bits_, "Payload of a flit, bits: 256, 512")->capture_default_str();
  app()
      .add_option("--source", source_,
                  "split: a source queue for each first hop, the oldest packet that may go goes; fifo: one queue")
      ->check(CLI::IsMember({"split", "fifo"}))
      ->capture_default_str();
  app().add_flag("--point", point_, "Measure the point and zero-load only, not saturation and overload");
}

int BenchNocCommand::run() {
  if (common_.checked_target("rtl") != Target::kRtl)
    throw isa::InputError("--target golden: bench noc measures the verilated network; allowed: rtl");
  noc::BenchOptions o;
  std::tie(o.width, o.height) = parse_mesh(mesh_);
  if (!(rate_ > 0 && rate_ <= 1)) throw isa::InputError(fmt::format("--rate {}: allowed: above 0 and up to 1", rate_));
  o.depth = buffer_;
  o.link_bits = link_bits_;
  o.cycles = cycles_;
  o.traffic.flits = flits_;
  o.traffic.split_source = source_ == "split";
  o.traffic.seed = common_.seed;
  try {
    o.traffic.pattern = noc::parse_pattern(pattern_);
    noc::check_pattern(o.traffic.pattern, o.width, o.height);
  } catch (const std::invalid_argument& e) {
    throw isa::InputError(fmt::format("--{}", e.what()));
  }
  const auto variants = noc::mesh_variants();
  if (std::none_of(variants.begin(), variants.end(), [&](const noc::Variant& v) {
        return !v.checked && v.depth == buffer_ && v.link_bits == link_bits_;
      }))
    throw isa::InputError(fmt::format("--buffer {} --link-bits {}: allowed: {}", buffer_, link_bits_, built()));
  o.progress = [&](const std::string& what) { progress(what); };

  progress(fmt::format("load {:.3f}", rate_));
  const noc::Point p = noc::run_point(o, rate_);
  noc::Characteristics c;
  if (point_) {
    c.zero_load = noc::run_point(o, noc::kZeroLoadRate);
    c.add(c.zero_load);
  } else {
    c = noc::characterise(o);
  }
  c.add(p);
  progress("");
  const auto arrived = [](const noc::Point& q) { return q.packets - q.unfinished; };
  if (arrived(c.zero_load) == 0) {
    throw isa::InputError(
        fmt::format("--cycles {}: no packet of {} flits arrived at load {}, so nothing is measured; "
                    "allowed: more cycles, or fewer --flits",
                    cycles_, flits_, noc::kZeroLoadRate));
  }

  Json result{{"mesh", mesh_},
              {"pattern", pattern_},
              {"flits", flits_},
              {"buffer", buffer_},
              {"link_bits", link_bits_},
              {"source", source_},
              {"cycles", cycles_},
              {"seed", common_.seed},
              {"rate", rate_},
              {"offered", p.offered},
              {"accepted", p.accepted},
              {"avg_latency", arrived(p) != 0 ? Json(p.avg_latency) : Json(nullptr)},
              {"p50_latency", p.p50_latency},
              {"p99_latency", p.p99_latency},
              {"max_latency", p.max_latency},
              {"packets", p.packets},
              {"unfinished", p.unfinished},
              {"zero_load", c.zero_load.avg_latency}};
  if (!point_) {
    result.update(Json{{"saturation", c.saturation},
                       {"overload", c.overload.accepted},
                       {"overload_worst_share", c.overload.worst_share}});
  }
  result.update(Json{{"delivered", c.delivered},
                     {"lost", c.lost},
                     {"errors", c.errors},
                     {"first_error", c.errors == 0 ? Json(nullptr) : Json(c.first_error)}});
  report(result);
  Table table({"load", "offered", "accepted", "avg latency", "p50", "p99", "max", "worst source"}, 1);
  const auto row = [&](const std::string& name, const noc::Point& q) {
    table.add({name, fmt::format("{:.4f}", q.offered), fmt::format("{:.4f}", q.accepted),
               q.unfinished == 0 && q.packets != 0 ? fmt::format("{:.2f}", q.avg_latency) : "-",
               std::to_string(q.p50_latency), std::to_string(q.p99_latency), std::to_string(q.max_latency),
               percent(q.worst_share)});
  };
  row("zero-load", c.zero_load);
  row(fmt::format("{:.3f}", rate_), p);
  if (!point_) row("overload", c.overload);
  print(table.text());
  if (!point_) {
    print(fmt::format("zero-load {:.2f} cycles, saturation {:.3f}, overload {:.3f}, worst source {} of the mean",
                      c.zero_load.avg_latency, c.saturation, c.overload.accepted, percent(c.overload.worst_share)));
  }
  print(fmt::format("{} flits through the network, {} lost, {} errors", grouped(c.delivered), c.lost, c.errors));
  if (c.lost + c.errors == 0) return kOk;
  fmt::print(stderr, "tepin: mismatch: {}\n",
             c.errors != 0 ? c.first_error : fmt::format("{} flits lost: the network does not drain", c.lost));
  return kMismatch;
}

}  // namespace tepin::cli
