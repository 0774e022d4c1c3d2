// SPDX-License-Identifier: Apache-2.0
#include "sw/support/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "sw/isa/program.h"
#include "sw/support/atomic_file.h"

namespace tepin::support {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "tepin_files_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }
  [[nodiscard]] std::string path(const char* name) const { return (dir_ / name).string(); }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(dir_), fs::directory_iterator());
  }
  fs::path dir_;
};

TEST_F(Files, WhatWasWrittenIsReadBackByEveryReader) {
  const std::string text("a\0b\nc", 5);
  write_file(path("f"), text);
  EXPECT_EQ(read_text(path("f")), text);
  EXPECT_EQ(read_file(path("f")), std::vector<std::uint8_t>({'a', 0, 'b', '\n', 'c'}));
  MappedFile first(path("f"));
  const MappedFile second(std::move(first));
  EXPECT_EQ(second.bytes().size(), 5U);
  EXPECT_EQ(second.bytes()[2], 'b');
}

TEST_F(Files, AnEmptyFileIsReadAsNoBytes) {
  write_file(path("f"), "");
  EXPECT_EQ(read_text(path("f")), "");
  EXPECT_TRUE(MappedFile(path("f")).bytes().empty());
}

TEST_F(Files, WritingReplacesTheOldFileAndLeavesNothingElse) {
  write_file(path("f"), "old and longer");
  write_file(path("f"), "new");
  EXPECT_EQ(read_text(path("f")), "new");
  EXPECT_EQ(entries(), 1);
  struct stat st {};
  ASSERT_EQ(::stat(path("f").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0600U, 0600U);
}

TEST_F(Files, AFailedWriteKeepsTheTargetAndLeavesNothingElse) {
  fs::create_directory(path("d"));
  fs::create_directory(path("d") + "/inner");
  EXPECT_THAT([&] { write_file(path("d"), "x"); },
              ThrowsMessage<isa::InputError>(HasSubstr("/d: cannot be written: ")));
  EXPECT_EQ(entries(), 1);
  EXPECT_THAT([&] { write_file(path("no/f"), "x"); },
              ThrowsMessage<isa::InputError>(HasSubstr("No such file or directory")));
}

TEST_F(Files, ADeviceOrPipeIsWrittenInPlaceAndStays) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(path("pipe"), "through");
  std::string got(7, ' ');
  EXPECT_EQ(::read(reader, got.data(), got.size()), 7);
  EXPECT_EQ(got, "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_EQ(entries(), 1);
  EXPECT_THROW(write_file(dir_.string(), "x"), isa::InputError) << "a folder";
}

TEST_F(Files, ALinkIsFollowedAndStays) {
  write_file(path("real"), "old");
  fs::create_symlink(path("real"), path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_text(path("real")), "new");
}

TEST_F(Files, CheckingWhetherAFileCanBeWrittenChangesNothing) {
  write_file(path("a"), "old");
  check_writable(path("a"));
  check_writable(path("b"));
  EXPECT_EQ(read_text(path("a")), "old");
  EXPECT_EQ(entries(), 1);
  EXPECT_THROW(check_writable(path("none/b")), isa::InputError);
}

TEST_F(Files, MissingFilesAndFoldersAreRefusedByName) {
  EXPECT_THAT([&] { (void)read_file(path("no")); },
              ThrowsMessage<isa::InputError>(HasSubstr("/no: cannot be opened: No such file or directory")));
  EXPECT_THAT([&] { (void)read_text(dir_.string()); },
              ThrowsMessage<isa::InputError>(HasSubstr(": not a regular file")));
  EXPECT_THROW(MappedFile{path("no")}, isa::InputError);
}

}  // namespace
}  // namespace tepin::support
