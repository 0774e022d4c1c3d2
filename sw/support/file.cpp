// SPDX-License-Identifier: Apache-2.0
#include "sw/support/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sw/isa/program.h"
#include "sw/support/atomic_file.h"

namespace tepin::support {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what) {
  throw isa::InputError(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

/// A file descriptor that closes itself.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Opens a regular file to read and gives its size.
std::size_t open_regular(const std::string& path, int fd) {
  if (fd < 0) fail(path, "cannot be opened");
  struct stat st {};
  if (::fstat(fd, &st) != 0) fail(path, "cannot be examined");
  if (!S_ISREG(st.st_mode)) throw isa::InputError(path + ": not a regular file");
  return static_cast<std::size_t>(st.st_size);
}

template <typename Container>
Container read_all(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Container out;
  out.resize(open_regular(path, fd.get()));
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::read(fd.get(), out.data() + done, out.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot be read");
    if (n == 0) break;  // the file has become shorter
    done += static_cast<std::size_t>(n);
  }
  out.resize(done);
  return out;
}

/// Writes everything; false with errno set if it cannot.
bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path) { return read_all<std::vector<std::uint8_t>>(path); }

std::string read_text(const std::string& path) { return read_all<std::string>(path); }

std::string replaceable_target(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return path;  // new, or a link to nothing: the name itself
  if (!S_ISREG(st.st_mode)) return {};
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) fail(path, "cannot be examined");
  std::string target = real;
  std::free(real);
  return target;
}

namespace {

/// A device or pipe takes the bytes as they come: renaming a file over it would replace it.
void write_in_place(const std::string& path, std::string_view text) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd.get() < 0) fail(path, "cannot be written");
  if (!write_all(fd.get(), text.data(), text.size()) || ::close(fd.release()) != 0) fail(path, "cannot be written");
}

}  // namespace

void check_writable(const std::string& path) {
  const std::string target = replaceable_target(path);
  if (target.empty()) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (fd.get() < 0) fail(path, "cannot be written");
    return;
  }
  std::string temporary = target + ".XXXXXX";
  const Fd fd(::mkstemp(temporary.data()));
  if (fd.get() < 0) fail(path, "cannot be written (no new file in its folder)");
  ::unlink(temporary.c_str());
}

void write_file(const std::string& path, std::string_view text) {
  const std::string target = replaceable_target(path);
  if (target.empty()) return write_in_place(path, text);
  std::string temporary = target + ".XXXXXX";
  Fd fd(::mkstemp(temporary.data()));
  if (fd.get() < 0) fail(path, "cannot be written (no new file in its folder)");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool written = write_all(fd.get(), text.data(), text.size()) && ::fchmod(fd.get(), 0666U & ~mask) == 0 &&
                       ::close(fd.release()) == 0 && ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!written) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    fail(path, "cannot be written");
  }
}

void write_file(const std::string& path, std::span<const std::uint8_t> bytes) {
  write_file(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

MappedFile::MappedFile(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::size_t size = open_regular(path, fd.get());
  if (size == 0) return;
  void* p = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (p == MAP_FAILED) fail(path, "cannot be mapped");
  bytes_ = {static_cast<const std::uint8_t*>(p), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace tepin::support
