// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/vectors.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sw/golden/vectors_files.h"
#include "sw/isa/program.h"

namespace tepin::golden {
namespace detail {
namespace {

VectorFileReport run_elem_decode(const Path& file, Backend& backend) {
  Tally tally(file.filename().string());
  const Csv csv(file, {"format", "code_hex", "fp32_bits_hex"});
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const isa::Format f = parse_elem(file, csv.cell(i, 0), csv.where(i, 0));
    const auto code = static_cast<std::uint8_t>(csv.hex_cell(i, 1, 8));
    const auto got = backend.decode_elem(f, code);
    if (!got.value) {
      tally.skip(got.unsupported);
    } else {
      tally.check_bits(*got.value, csv.hex_cell(i, 2, 32), 8, csv.cell(i, 0) + " code " + csv.cell(i, 1));
    }
  }
  return tally.take();
}

VectorFileReport run_e8m0_decode(const Path& file, Backend& backend) {
  Tally tally(file.filename().string());
  const Csv csv(file, {"code_hex", "fp32_bits_hex"});
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const auto got = backend.decode_scale(static_cast<std::uint8_t>(csv.hex_cell(i, 0, 8)));
    if (!got.value) {
      tally.skip(got.unsupported);
    } else {
      tally.check_bits(*got.value, csv.hex_cell(i, 1, 32), 8, "scale " + csv.cell(i, 0));
    }
  }
  return tally.take();
}

VectorFileReport run_mxfp4_dequant(const Path& file, Backend& backend) {
  Tally tally(file.filename().string());
  const Csv csv(file, {"scale_hex", "code_hex", "fp32_bits", "bf16_bits_rne"});
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    Block b;
    b.scale = static_cast<std::uint8_t>(csv.hex_cell(i, 0, 8));
    b.codes[0] = static_cast<std::uint8_t>(csv.hex_cell(i, 1, 4));
    const std::string what = "scale " + csv.cell(i, 0) + ", code " + csv.cell(i, 1);
    const auto fp32 = backend.dequantise(isa::Format::kMxfp4, b);
    if (!fp32.value) {
      tally.skip(fp32.unsupported, 2);
      continue;
    }
    tally.check_bits((*fp32.value)[0], csv.hex_cell(i, 2, 32), 8, what + " as FP32");
    const auto bf16 = backend.to_bf16((*fp32.value)[0]);
    if (!bf16.value) {
      tally.skip(bf16.unsupported);
    } else {
      tally.check_bits(*bf16.value, csv.hex_cell(i, 3, 16), 4, what + " as BF16");
    }
  }
  return tally.take();
}

VectorFileReport run_boundaries(const Path& file, Backend& backend) {
  Tally tally(file.filename().string());
  const Csv csv(file, {"format", "fp32_bits_hex", "rne(OCP)"});
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const isa::Format f = parse_elem(file, csv.cell(i, 0), csv.where(i, 0));
    const std::array<std::uint32_t, 1> in{csv.hex_cell(i, 1, 32)};
    const auto got = backend.convert(f, in);
    if (!got.value) {
      tally.skip(got.unsupported);
    } else {
      tally.check_bits(got.value->at(0), csv.hex_cell(i, 2, 8), 2, csv.cell(i, 1) + " to " + csv.cell(i, 0));
    }
  }
  return tally.take();
}

VectorFileReport run_bf16_to_elem(const Path& file, isa::Format f, Backend& backend) {
  Tally tally(file.filename().string());
  const Npy expected = read_npy(file, "|u1", {65536});
  std::vector<std::uint32_t> in(65536);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i << 16;  // BF16 patterns as FP32, NaN payloads kept
  const auto got = backend.convert(f, in);
  if (!got.value) {
    tally.skip(got.unsupported, in.size());
    return tally.take();
  }
  for (std::uint32_t i = 0; i < in.size(); ++i)
    tally.check_bits(got.value->at(i), expected.bytes[i], 2, "BF16 " + hex(i, 4));
  return tally.take();
}

// rand_x.npy is quantised once a file: the cost is small and the two reports stay independent.
VectorFileReport run_random(const Path& file, bool scales, isa::Format f, Backend& backend) {
  Tally tally(file.filename().string());
  const Path inputs = file.parent_path() / "rand_x.npy";
  if (!std::filesystem::exists(inputs)) {
    tally.skip(
        "rand_x.npy is missing",
        read_npy(file, "|u1", scales ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, kBlock}).shape[0]);
    return tally.take();
  }
  const Npy x = read_npy(inputs, "<f4", {0, kBlock});
  const std::size_t blocks = x.shape[0];
  const Npy expected = scales ? read_npy(file, "|u1", {blocks}) : read_npy(file, "|u1", {blocks, kBlock});
  for (std::size_t b = 0; b < blocks; ++b) {
    std::array<std::uint32_t, kBlock> in{};
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::uint8_t* p = &x.bytes[(b * kBlock + i) * 4];
      in[i] = std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
    }
    const auto got = backend.quantise(f, in, ScaleRule::kFloor);
    const std::string what = "block " + std::to_string(b);
    if (!got.value) {
      tally.skip(got.unsupported);
    } else if (scales) {
      tally.check_bits(got.value->scale, expected.bytes[b], 2, what);
    } else {
      const std::uint8_t* codes = &expected.bytes[b * kBlock];
      tally.check(std::equal(codes, codes + kBlock, got.value->codes.begin()), [&] { return what + ": codes differ"; });
    }
  }
  return tally.take();
}

// The element name in prefix<elem>suffix, empty if the file is called otherwise.
std::string elem_in_name(const std::string& name, const std::string& prefix, const std::string& suffix) {
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix)) return {};
  return name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
}

std::optional<VectorFileReport> run_file(const Path& file, Backend& backend) {
  const std::string name = file.filename().string();
  if (name == "elem_decode.csv") return run_elem_decode(file, backend);
  if (name == "e8m0_decode.csv") return run_e8m0_decode(file, backend);
  if (name == "mxfp4_dequant_all.csv") return run_mxfp4_dequant(file, backend);
  if (name == "fp32_to_elem_boundaries.csv") return run_boundaries(file, backend);
  if (name == "mx_blocks.json") return run_mx_blocks(file, backend);
  if (name == "mx_dots.json") return run_mx_dots(file, backend);
  if (const auto elem = elem_in_name(name, "bf16_to_", "_rne_sat.npy"); !elem.empty()) {
    return run_bf16_to_elem(file, parse_elem(file, elem, "file name"), backend);
  }
  for (const bool scales : {false, true}) {
    const auto elem = elem_in_name(name, "rand_", scales ? "_scale.npy" : "_codes.npy");
    if (elem.empty()) continue;
    return run_random(file, scales, parse_elem(file, elem, "file name"), backend);
  }
  return std::nullopt;
}

}  // namespace
}  // namespace detail

VectorReport run_vectors(const std::filesystem::path& dir, Backend& backend) {
  if (!std::filesystem::is_directory(dir))
    throw isa::InputError(dir.string() + ": is no folder; a folder of vector files is expected");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  VectorReport report;
  for (const auto& file : files) {
    auto r = detail::run_file(file, backend);
    if (!r) continue;
    report.cases += r->cases;
    report.mismatches += r->mismatches;
    report.skipped += r->skipped;
    report.files.push_back(std::move(*r));
  }
  return report;
}

Answer<std::uint32_t> GoldenBackend::decode_elem(isa::Format f, std::uint8_t code) { return elem_to_fp32(f, code); }
Answer<std::uint32_t> GoldenBackend::decode_scale(std::uint8_t scale) { return scale_to_fp32(scale); }
Answer<std::uint16_t> GoldenBackend::to_bf16(std::uint32_t fp32) { return fp32_to_bf16(fp32); }
Answer<std::array<std::uint32_t, kBlock>> GoldenBackend::dequantise(isa::Format f, const Block& b) {
  return golden::dequantise(f, b);
}
Answer<Block> GoldenBackend::quantise(isa::Format f, std::span<const std::uint32_t, kBlock> fp32, ScaleRule rule) {
  return golden::quantise(f, fp32, rule);
}
Answer<std::vector<std::uint8_t>> GoldenBackend::convert(isa::Format f, std::span<const std::uint32_t> fp32) {
  std::vector<std::uint8_t> out;
  for (const std::uint32_t x : fp32) out.push_back(fp32_to_elem(f, x));
  return out;
}
Answer<DotBits> GoldenBackend::dot(const DotCase& c) {
  DotBits r;
  for (std::size_t i = 0; i < c.a.size(); ++i) {
    BlockSum s;
    if (const auto* mx = std::get_if<Block>(&c.w[i])) s = golden::dot(c.weight_format, *mx, c.activation, c.a[i]);
    if (const auto* nv = std::get_if<Nvfp4Block>(&c.w[i])) s = golden::dot(*nv, c.activation, c.a[i]);
    if (const auto* i4 = std::get_if<Int4Block>(&c.w[i])) s = golden::dot(*i4, c.activation, c.a[i]);
    r.per_block = accumulate(r.per_block, s);
  }
  if (c.tensor_scale) r.scaled = fp32_mul(r.per_block, *c.tensor_scale);
  return r;
}

}  // namespace tepin::golden
