// SPDX-License-Identifier: Apache-2.0
// Reader of safetensors checkpoints: u64 length of the header (little-endian), header in JSON, then the tensors' bytes,
// row-major, little-endian, one behind the other. Whatever else a file holds is an isa::InputError that names the file,
// the tensor and what is allowed; no input makes the reader crash or allocate more than a few times the size of the
// header.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sw/support/file.h"

namespace tepin::model {

enum class Dtype : std::uint8_t {
  kBool,
  kU8,
  kI8,
  kF8E5m2,
  kF8E4m3,
  kF8E8m0,
  kI16,
  kU16,
  kF16,
  kBf16,
  kI32,
  kU32,
  kF32,
  kI64,
  kU64,
  kF64
};

struct DtypeDesc {
  std::string_view name;  // in the header
  std::uint64_t bytes;
};
/// Indexed by Dtype.
inline constexpr std::array<DtypeDesc, 16> kDtypes{{{"BOOL", 1},
                                                    {"U8", 1},
                                                    {"I8", 1},
                                                    {"F8_E5M2", 1},
                                                    {"F8_E4M3", 1},
                                                    {"F8_E8M0", 1},
                                                    {"I16", 2},
                                                    {"U16", 2},
                                                    {"F16", 2},
                                                    {"BF16", 2},
                                                    {"I32", 4},
                                                    {"U32", 4},
                                                    {"F32", 4},
                                                    {"I64", 8},
                                                    {"U64", 8},
                                                    {"F64", 8}}};

struct Tensor {
  std::string name;
  Dtype dtype = Dtype::kU8;
  std::vector<std::uint64_t> shape;    // empty: one element
  std::span<const std::uint8_t> data;  // valid while the bytes that were parsed are
};

struct SafetensorsContents {
  std::vector<Tensor> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// Parses the bytes of a whole file; `name` is used in errors. Checked besides the grammar: header at most
/// kMaxHeaderBytes and within the file; no key or tensor twice; known element types; offsets that are multiples of the
/// element size, begin where the tensor before ended, give exactly shape x element size bytes, and together cover all
/// bytes behind the header.
[[nodiscard]] SafetensorsContents parse_safetensors(std::span<const std::uint8_t> file, const std::string& name);

/// A checkpoint file, mapped; tensors point into the mapping and live as long as the object.
class Safetensors {
 public:
  explicit Safetensors(const std::string& path);
  [[nodiscard]] const std::vector<Tensor>& tensors() const { return contents_.tensors; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return contents_.metadata; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// nullptr if there is none of that name.
  [[nodiscard]] const Tensor* find(std::string_view name) const;
  /// InputError if there is none, naming a few that there are.
  [[nodiscard]] const Tensor& at(std::string_view name) const;

 private:
  std::string path_;
  support::MappedFile file_;
  SafetensorsContents contents_;
  std::map<std::string_view, std::size_t> index_;
};

}  // namespace tepin::model
