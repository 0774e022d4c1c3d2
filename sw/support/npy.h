// SPDX-License-Identifier: Apache-2.0
// Arrays in NumPy's .npy files, versions 1.0 and 2.0: C order, little-endian, of the types below. Anything else is an
// isa::InputError that names the file, what it holds and what is allowed; no input makes the reader crash.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tepin::support {

enum class NpyType : std::uint8_t { kUint8, kInt8, kUint16, kInt32, kUint32, kFloat32 };

struct NpyTypeDesc {
  std::string_view name;
  std::string_view descr;  // as NumPy writes it
  std::size_t bytes;
};
/// Indexed by NpyType.
inline constexpr std::array<NpyTypeDesc, 6> kNpyTypes{{
    {"uint8", "|u1", 1},
    {"int8", "|i1", 1},
    {"uint16", "<u2", 2},
    {"int32", "<i4", 4},
    {"uint32", "<u4", 4},
    {"float32", "<f4", 4},
}};

template <typename T>
inline constexpr NpyType kNpyTypeOf = [] {
  static_assert(sizeof(T) == 0, "not a type of NpyType");
  return NpyType::kUint8;
}();
template <>
inline constexpr NpyType kNpyTypeOf<std::uint8_t> = NpyType::kUint8;
template <>
inline constexpr NpyType kNpyTypeOf<std::int8_t> = NpyType::kInt8;
template <>
inline constexpr NpyType kNpyTypeOf<std::uint16_t> = NpyType::kUint16;
template <>
inline constexpr NpyType kNpyTypeOf<std::int32_t> = NpyType::kInt32;
template <>
inline constexpr NpyType kNpyTypeOf<std::uint32_t> = NpyType::kUint32;
template <>
inline constexpr NpyType kNpyTypeOf<float> = NpyType::kFloat32;

struct NpyArray {
  NpyType type = NpyType::kUint8;
  std::vector<std::uint64_t> shape;  // empty: one element
  std::vector<std::uint8_t> data;    // row-major, elements little-endian; as many bytes as shape and type say
  friend bool operator==(const NpyArray&, const NpyArray&) = default;

  /// The elements; std::logic_error if T is not the array's type.
  template <typename T>
  [[nodiscard]] std::vector<T> values() const {
    if (kNpyTypeOf<T> != type) throw std::logic_error("NpyArray::values: another type than the array's");
    std::vector<T> out(data.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), data.data(), out.size() * sizeof(T));
    return out;
  }
};

/// An array from elements; their number must be the product of the shape (std::logic_error).
template <typename T>
[[nodiscard]] NpyArray make_npy(std::span<const T> values, std::vector<std::uint64_t> shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t d : shape) count *= d;
  if (count != values.size()) throw std::logic_error("make_npy: shape and number of elements differ");
  NpyArray a{kNpyTypeOf<T>, std::move(shape), std::vector<std::uint8_t>(values.size_bytes())};
  if (!values.empty()) std::memcpy(a.data.data(), values.data(), values.size_bytes());
  return a;
}

/// Parses the bytes of a file; `name` is used in errors.
[[nodiscard]] NpyArray decode_npy(std::span<const std::uint8_t> bytes, const std::string& name);
[[nodiscard]] NpyArray read_npy(const std::string& path);
/// The bytes of a version 1.0 file as NumPy would write them; std::logic_error if the header exceeds 65,535 bytes.
[[nodiscard]] std::vector<std::uint8_t> encode_npy(const NpyArray& array);
/// Writes the file whole or not at all.
void write_npy(const std::string& path, const NpyArray& array);

}  // namespace tepin::support
