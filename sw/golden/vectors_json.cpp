// SPDX-License-Identifier: Apache-2.0
// mx_blocks.json and mx_dots.json.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sw/golden/vectors_files.h"

namespace tepin::golden::detail {
namespace {

using Json = nlohmann::json;

// A value of a JSON file that knows where it stands, so that every complaint can say so.
class Node {
 public:
  Node(const Path& file, const Json& json, std::string where) : file_(file), json_(json), where_(std::move(where)) {}

  [[noreturn]] void bad(const std::string& expected) const { bad_file(file_, where_ + ": expected " + expected); }
  [[nodiscard]] bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  [[nodiscard]] Node at(const char* key) const {
    if (!json_.is_object()) bad("an object");
    if (!json_.contains(key)) bad(std::string("the key '") + key + "'");
    return {file_, json_[key], where_ + "." + key};
  }
  [[nodiscard]] std::vector<Node> list(std::size_t size = 0) const {
    if (!json_.is_array() || (size != 0 && json_.size() != size)) {
      bad(size != 0 ? "a list of " + std::to_string(size) + " entries" : "a list");
    }
    std::vector<Node> out;
    for (std::size_t i = 0; i < json_.size(); ++i)
      out.emplace_back(file_, json_[i], where_ + "[" + std::to_string(i) + "]");
    return out;
  }
  /// A list with at least one entry: an empty one would pass for a file that was checked.
  [[nodiscard]] std::vector<Node> some() const {
    std::vector<Node> out = list();
    if (out.empty()) bad("at least one entry");
    return out;
  }
  [[nodiscard]] std::vector<std::string> keys() const {
    if (!json_.is_object()) bad("an object");
    std::vector<std::string> out;
    for (const auto& item : json_.items()) out.push_back(item.key());
    return out;
  }
  [[nodiscard]] int integer(int min, int max) const {
    const std::string range = "an integer of " + std::to_string(min) + ".." + std::to_string(max);
    if (!json_.is_number_integer()) bad(range);
    const auto v = json_.get<std::int64_t>();
    if (v < min || v > max) bad(range);
    return static_cast<int>(v);
  }
  [[nodiscard]] std::uint8_t byte() const { return static_cast<std::uint8_t>(integer(0, 255)); }
  [[nodiscard]] std::string text() const {
    if (!json_.is_string()) bad("a string");
    return json_.get<std::string>();
  }
  [[nodiscard]] std::uint32_t bits(int width) const { return parse_hex(file_, text(), width, where_); }
  [[nodiscard]] std::array<std::uint32_t, kBlock> fp32_block() const {
    std::array<std::uint32_t, kBlock> out{};
    const auto nodes = list(kBlock);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = nodes[i].bits(32);
    return out;
  }
  [[nodiscard]] std::array<std::uint8_t, kBlock> codes(int bits) const {
    std::array<std::uint8_t, kBlock> out{};
    const auto nodes = list(kBlock);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::uint8_t>(nodes[i].integer(0, (1 << bits) - 1));
    return out;
  }

 private:
  const Path& file_;
  const Json& json_;
  std::string where_;
};

Json load(const Path& file) {
  try {
    return Json::parse(read_text(file));
  } catch (const Json::exception& e) {
    bad_file(file, std::string("is no JSON: ") + e.what());
  }
}

Block mx_block(const Node& n, isa::Format f) { return {n.at("scale").byte(), n.at("codes").codes(elem_info(f).bits)}; }

WeightBlock weight_block(const Node& n, const DotCase& c) {
  if (c.weight == "nvfp4") {
    Nvfp4Block b;
    const auto scales = n.at("scales").list(2);
    for (std::size_t i = 0; i < 2; ++i) b.scales[i] = scales[i].byte();
    b.codes = n.at("codes").codes(4);
    return b;
  }
  if (c.weight == "int4g32") {
    Int4Block b;
    b.scale_bf16 = static_cast<std::uint16_t>(n.at("scale_bf16").bits(16));
    const auto nodes = n.at("codes").list(kBlock);
    for (std::size_t i = 0; i < b.codes.size(); ++i) b.codes[i] = static_cast<std::int8_t>(nodes[i].integer(-8, 7));
    return b;
  }
  return mx_block(n, c.weight_format);
}

std::string packed_hex(isa::Format f, const Block& b) {
  std::array<std::uint8_t, kBlock> packed{};
  pack_codes(f, b.codes, packed.data());
  std::string s;
  for (std::size_t i = 0; i < block_bytes(f); ++i) s += hex(packed[i], 2);
  return s;
}

/// The names that scale rules have in the files.
constexpr std::array<std::pair<std::string_view, ScaleRule>, kNumScaleRules> kRuleNames{{
    {"floor", ScaleRule::kFloor},
    {"even", ScaleRule::kEven},
    {"rceil", ScaleRule::kRoundUp},
    {"ceil", ScaleRule::kCeiling},
}};

/// Whether max|x| over the format's largest value rounds to zero in FP32, in which some sources of `rceil` divide.
bool quotient_vanishes(isa::Format f, std::span<const std::uint32_t, kBlock> x) {
  std::uint64_t largest = 0;
  for (const std::uint32_t v : x) largest = std::max<std::uint64_t>(largest, v & ~kSign32);
  // A quotient of at most 2^-150 does, so the block is subnormal and its bits count multiples of 2^-149.
  const auto limit = static_cast<std::uint64_t>(decode_elem(f, elem_info(f).max_code).value);
  return largest != 0 && largest << (elem_info(f).unit + 1) <= limit;
}

void check_scales(const Node& by_mode, isa::Format f, std::span<const std::uint32_t, kBlock> x, const std::string& what,
                  Backend& backend, Tally& tally) {
  for (const std::string& mode : by_mode.keys()) {
    const auto* rule = std::ranges::find(kRuleNames, mode, &std::pair<std::string_view, ScaleRule>::first);
    if (rule == kRuleNames.end()) by_mode.bad("the keys floor, even, rceil and ceil, found '" + mode + "'");
    if (rule->second == ScaleRule::kRoundUp && quotient_vanishes(f, x)) continue;
    if (const auto got = backend.quantise(f, x, rule->second); !got.value) {
      tally.skip(got.unsupported);
    } else {
      tally.check_bits(got.value->scale, by_mode.at(mode.c_str()).byte(), 2, what + ", scale by " + mode);
    }
  }
}

std::string describe(const DotBits& d) {
  return hex(d.per_block, 8) + (d.scaled ? ", scaled " + hex(*d.scaled, 8) : "");
}

}  // namespace

VectorFileReport run_mx_blocks(const Path& file, Backend& backend) {
  Tally tally(file.filename().string());
  const Json json = load(file);
  for (const Node& c : Node(file, json, "file").at("cases").some()) {
    const auto x = c.at("x").fp32_block();
    const Node out = c.at("out");
    if (out.keys().empty()) out.bad("at least one element format");
    for (const std::string& elem : out.keys()) {
      const Node o = out.at(elem.c_str());
      const isa::Format f = parse_elem(file, elem, c.at("name").text());
      const Block expected = mx_block(o, f);
      const std::string what = c.at("name").text() + " " + elem;
      if (const auto got = backend.quantise(f, x, ScaleRule::kFloor); !got.value) {
        tally.skip(got.unsupported);
      } else {
        const bool packed = !o.has("packed_ocp") || packed_hex(f, *got.value) == o.at("packed_ocp").text();
        tally.check(*got.value == expected && packed, [&] {
          return what + ": scale " + hex(got.value->scale, 2) + ", codes " + packed_hex(f, *got.value) + ", expected " +
                 hex(expected.scale, 2) + ", " + packed_hex(f, expected);
        });
      }
      if (o.has("scale_by_mode")) check_scales(o.at("scale_by_mode"), f, x, what, backend, tally);
      const auto deq = o.at("deq").fp32_block();
      if (const auto got = backend.dequantise(f, expected); !got.value) {
        tally.skip(got.unsupported);
      } else {
        tally.check(*got.value == deq, [&] { return what + ": dequantised values differ"; });
      }
    }
  }
  return tally.take();
}

VectorFileReport run_mx_dots(const Path& file, Backend& backend) {
  Tally tally(file.filename().string());
  const Json json = load(file);
  for (const Node& n : Node(file, json, "file").at("cases").some()) {
    DotCase c;
    c.name = n.at("name").text();
    c.weight = n.at("fb").text();
    c.activation = parse_elem(file, n.at("fa").text(), c.name + ", fa");
    if (c.weight != "nvfp4" && c.weight != "int4g32")
      c.weight_format = parse_elem(file, c.weight, c.name + ", fb (or nvfp4, int4g32)");
    const auto a = n.at("a").list();
    for (const Node& block : a) c.a.push_back(mx_block(block, c.activation));
    for (const Node& block : n.at("b").list(a.size())) c.w.push_back(weight_block(block, c));
    DotBits expected{n.at("fp32_per_block").bits(32), {}};
    // Both or neither: one alone would leave the other unchecked.
    if (n.has("tensor_scale") || n.has("fp32_scaled")) {
      c.tensor_scale = n.at("tensor_scale").bits(32);
      expected.scaled = n.at("fp32_scaled").bits(32);
    }
    if (const auto got = backend.dot(c); !got.value) {
      tally.skip(got.unsupported);
    } else {
      tally.check(*got.value == expected,
                  [&] { return c.name + ": got " + describe(*got.value) + ", expected " + describe(expected); });
    }
  }
  return tally.take();
}

}  // namespace tepin::golden::detail
