// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/session.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sw/support/atomic_file.h"

namespace tepin::cli {
namespace {

std::string unfinished(const std::string& file) { return file + ".part"; }

}  // namespace

Session::Session(const Common& common) : Session(common, 1, 1, 1) {}

Session::Session(const Common& common, std::uint32_t mesh_x, std::uint32_t mesh_y, unsigned threads)
    : config_(common.configuration()), target_(common.checked_target()), timeline_file_(common.timeline) {
  if (target_ != Target::kRtl) return;
  tb::SimOptions options;
  options.hbm = common.memory == "hbm4";
  if (mesh_x * mesh_y != 1) {
    if (!common.trace.empty())
      throw isa::InputError(
          fmt::format("--trace {}: waves are of a tile alone; allowed: with --mesh 1x1", common.trace));
    if (!timeline_file_.empty()) support::check_writable(timeline_file_);
    chip_ = std::make_unique<tb::ChipSim>(mesh_x, mesh_y, options, threads);
    if (!timeline_file_.empty()) chip_->record_timeline();
    return;
  }
  if (!common.trace.empty()) {
    // The verilated model does not say when it cannot write its waves, and it needs a file of its own.
    support::check_writable(common.trace);
    trace_ = support::replaceable_target(common.trace);
    if (trace_.empty()) throw isa::InputError(fmt::format("{}: is no regular file; waves need one", common.trace));
    options.fst_file = unfinished(trace_);
  }
  if (!timeline_file_.empty()) {
    support::check_writable(timeline_file_);
    timeline_ = std::make_unique<tb::Timeline>();
  }
  sim_ = std::make_unique<tb::TileSim>(options);
}

Session::~Session() {
  sim_.reset();
  std::error_code ignored;
  if (!trace_.empty()) std::filesystem::remove(unfinished(trace_), ignored);
}

void Session::finish() {
  if (chip_ && !timeline_file_.empty()) support::write_file(timeline_file_, chip_->take_timeline());
  chip_.reset();
  if (timeline_) support::write_file(timeline_file_, timeline_->json(sim_->now()));
  sim_.reset();
  if (trace_.empty()) return;
  std::error_code error;
  std::filesystem::rename(unfinished(trace_), trace_, error);
  if (error) throw isa::InputError(fmt::format("{}: cannot be written: {}", trace_, error.message()));
  trace_.clear();
}

}  // namespace tepin::cli
