// SPDX-License-Identifier: Apache-2.0
#include "sw/model/safetensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/isa/program.h"
#include "sw/model/safetensors_header.h"

namespace tepin::model {
namespace {

constexpr std::size_t kLengthBytes = 8;

[[noreturn]] void fail(const std::string& file, const std::string& what) { throw isa::InputError(file + ": " + what); }

Dtype parse_dtype(const HeaderEntry& e, const std::string& file) {
  const auto* it = std::ranges::find(kDtypes, std::string_view(*e.dtype), &DtypeDesc::name);
  if (it != kDtypes.end()) return static_cast<Dtype>(it - kDtypes.begin());
  std::string names;
  for (const DtypeDesc& d : kDtypes) names += fmt::format("{}{}", names.empty() ? "" : ", ", d.name);
  fail(file, fmt::format("tensor {}: element type {}; allowed: {}", printable(e.name), printable(*e.dtype), names));
}

/// Bytes of a shape; nullopt beyond 2^64-1.
std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, std::uint64_t element_bytes) {
  if (std::ranges::count(shape, 0U) > 0) return 0;
  std::uint64_t n = element_bytes;
  for (const std::uint64_t d : shape) {
    if (__builtin_mul_overflow(n, d, &n)) return std::nullopt;
  }
  return n;
}

Tensor make_tensor(const HeaderEntry& e, std::span<const std::uint8_t> data, const std::string& file) {
  const std::string who = "tensor " + printable(e.name);
  for (const auto& [missing, key] : {std::pair{!e.dtype, "dtype"}, {!e.shape, "shape"}, {!e.offsets, "data_offsets"}}) {
    if (missing) fail(file, fmt::format("{}: no {}; expected dtype, shape and data_offsets", who, key));
  }
  if (e.offsets->size() != 2) {
    fail(file, fmt::format("{}: {} data_offsets; expected two, begin and end", who, e.offsets->size()));
  }
  const Dtype dtype = parse_dtype(e, file);
  const std::uint64_t begin = (*e.offsets)[0];
  const std::uint64_t end = (*e.offsets)[1];
  if (begin > end || end > data.size()) {
    fail(file, fmt::format("{}: data_offsets {}..{}; allowed: ascending, within the {} bytes behind the header", who,
                           begin, end, data.size()));
  }
  const DtypeDesc& desc = kDtypes[static_cast<std::size_t>(dtype)];
  if (begin % desc.bytes != 0) {
    fail(file, fmt::format("{}: begins at byte {}; expected a multiple of {}, the size of {}", who, begin, desc.bytes,
                           desc.name));
  }
  const std::optional<std::uint64_t> need = bytes_of(*e.shape, desc.bytes);
  if (!need || *need != end - begin) {
    fail(file, fmt::format("{}: shape [{}] of {} needs {} bytes, data_offsets give {}", who, fmt::join(*e.shape, ", "),
                           desc.name, need ? std::to_string(*need) : "more than 2^64", end - begin));
  }
  return {e.name, dtype, *e.shape, data.subspan(begin, end - begin)};
}

}  // namespace

SafetensorsContents parse_safetensors(std::span<const std::uint8_t> file, const std::string& name) {
  if (file.size() < kLengthBytes)
    fail(name, fmt::format("{} bytes; a safetensors file has at least {}", file.size(), kLengthBytes));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) length |= std::uint64_t{file[i]} << (8 * i);
  const std::uint64_t left = file.size() - kLengthBytes;
  if (length > kMaxHeaderBytes)
    fail(name,
         fmt::format("header of {} bytes; allowed: at most {} (is it a safetensors file?)", length, kMaxHeaderBytes));
  if (length > left)
    fail(name, fmt::format("header of {} bytes, but {} bytes follow; the file is truncated", length, left));
  const std::string_view json(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
  if (!json.starts_with('{'))
    fail(name, fmt::format("header begins with {}; expected '{{'", printable(json.substr(0, 1))));

  Header header = parse_header(json, name);
  const std::span<const std::uint8_t> data = file.subspan(kLengthBytes + length);
  SafetensorsContents out;
  out.metadata = std::move(header.metadata);
  out.tensors.reserve(header.entries.size());
  for (const HeaderEntry& e : header.entries) out.tensors.push_back(make_tensor(e, data, name));
  std::ranges::stable_sort(out.tensors, [](const Tensor& a, const Tensor& b) {
    return std::pair(a.data.data(), a.data.size()) < std::pair(b.data.data(), b.data.size());
  });
  // Every byte behind the header belongs to exactly one tensor.
  std::uint64_t expected = 0;
  for (const Tensor& t : out.tensors) {
    const auto begin = static_cast<std::uint64_t>(t.data.data() - data.data());
    if (begin != expected) {
      fail(name, fmt::format("tensor {}: begins at byte {}, {}; expected {}, where the one before ends",
                             printable(t.name), begin, begin < expected ? "inside another" : "after a gap", expected));
    }
    expected += t.data.size();
  }
  if (expected != data.size()) {
    fail(name, fmt::format("{} bytes behind the last tensor; expected none", data.size() - expected));
  }
  return out;
}

Safetensors::Safetensors(const std::string& path)
    : path_(path), file_(path), contents_(parse_safetensors(file_.bytes(), path)) {
  for (std::size_t i = 0; i < contents_.tensors.size(); ++i) index_.emplace(contents_.tensors[i].name, i);
}

const Tensor* Safetensors::find(std::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &contents_.tensors[it->second];
}

const Tensor& Safetensors::at(std::string_view name) const {
  if (const Tensor* t = find(name)) return *t;
  std::string some;
  for (std::size_t i = 0; i < std::min<std::size_t>(contents_.tensors.size(), 5); ++i) {
    some += fmt::format("{}{}", i == 0 ? "" : ", ", printable(contents_.tensors[i].name));
  }
  if (contents_.tensors.size() > 5) some += fmt::format(", ... ({} in all)", contents_.tensors.size());
  fail(path_, fmt::format("no tensor {}; it holds {}", printable(name), some.empty() ? "none" : some));
}

}  // namespace tepin::model
