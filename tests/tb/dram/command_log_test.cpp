// SPDX-License-Identifier: Apache-2.0
// The command log's text, and the statistics.
#include "tb/dram/command_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench.h"

namespace tepin::tb::dram::testing {
namespace {

std::string text_of(const std::filesystem::path& p) {
  std::ostringstream s;
  s << std::ifstream(p).rdbuf();
  return s.str();
}

class Files {
 public:
  Files() : folder_(std::filesystem::path(::testing::TempDir()) / "tepin_command_log_test") {
    std::filesystem::create_directories(folder_);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path log() const { return folder_ / "run.cmd"; }
  [[nodiscard]] std::filesystem::path log_of_pc1() const { return folder_ / "run.cmd.pc1"; }

 private:
  std::filesystem::path folder_;
};

TEST(CommandLog, IsALineACommandAndAFileAPseudoChannel) {
  const Files files;
  {
    CommandLog log(files.log());
    Bench b(ready_config(8000, 3));
    b.device.set_log(&log);
    const Bank a{2, 1, 7}, c{0, 0, 3};
    b.act(a, 12287, 2);
    b.after(2);
    b.act(c, 5, 0, 1);
    b.after(20);
    b.read(a, 31);
    b.write(c, 9, {}, 1);
    b.after(2);
    b.read(a, 30, 0, true);
    b.write(c, 10, {}, 1, true);
    b.to(100);
    b.row(RowOp::kPre, a, 3);
    b.row(RowOp::kPreA, {}, 1);
    b.after(20);
    b.row(RowOp::kRefPb, a, 1);
    b.after(8);
    b.row(RowOp::kRfmPb, c, 1);
    b.after(300);
    b.row(RowOp::kRefAb, {}, 0);
    b.row(RowOp::kRfmAb, {}, 1, 0, 1);
    b.after(600);
    b.row(RowOp::kSelfEnter);
    b.after(100);
    b.row(RowOp::kSelfExit);
    b.after(100);
    EXPECT_EQ(b.lines(), "");
    b.device.finish();
    EXPECT_EQ(b.device.statistics().count(0, Kind::kRda), 1U);
    EXPECT_EQ(b.device.statistics().count(1, Kind::kWra), 1U);
    EXPECT_EQ(b.device.statistics().count(1, Kind::kRd), 0U);
    EXPECT_EQ(b.device.statistics().count(0, Kind::kSelfExit), 1U);
    EXPECT_EQ(b.device.statistics().count(1, Kind::kRfmAb), 1U);
  }
  EXPECT_EQ(text_of(files.log()),
            "0 ACT 2 1 7 12287 -1 2\n"
            "22 RD 2 1 7 -1 31 -1\n"
            "24 RDA 2 1 7 -1 30 -1\n"
            "100 PREA -1 -1 -1 -1 -1 1\n"
            "100 PRE 2 1 7 -1 -1 3\n"
            "120 REFpb 2 1 7 -1 -1 1\n"
            "128 RFMpb 0 0 3 -1 -1 1\n"
            "428 REFab -1 -1 -1 -1 -1 0\n");
  EXPECT_EQ(text_of(files.log_of_pc1()),
            "2 ACT 0 0 3 5 -1 0\n"
            "22 WR 0 0 3 -1 9 -1\n"
            "24 WRA 0 0 3 -1 10 -1\n"
            "428 RFMab -1 -1 -1 -1 -1 1\n");
}

TEST(CommandLog, SaysWhichFileItCannotWrite) {
  try {
    const CommandLog log("/nonexistent_folder/run.cmd");
    FAIL() << "opened";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "/nonexistent_folder/run.cmd: cannot be written");
  }
}

}  // namespace
}  // namespace tepin::tb::dram::testing
