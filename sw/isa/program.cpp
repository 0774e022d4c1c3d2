// SPDX-License-Identifier: Apache-2.0
#include "sw/isa/program.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <span>

namespace tepin::isa {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic{0x54, 0x50, 0x4e, 0x01};
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kSectionBytes = 28;
constexpr std::size_t kWordBytes = 16;
constexpr std::size_t kCrcBytes = 4;

/// IEEE 802.3, reflected. zlib takes at most 4 GiB - 1 bytes a call.
std::uint32_t crc(std::span<const std::uint8_t> bytes) {
  uLong c = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const std::size_t n = std::min<std::size_t>(bytes.size(), std::size_t{1} << 30);
    c = crc32(c, bytes.data(), static_cast<uInt>(n));
    bytes = bytes.subspan(n);
  }
  return static_cast<std::uint32_t>(c);
}

void put(std::vector<std::uint8_t>& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// Reads little-endian numbers; the caller has checked that they are there.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t take(std::size_t n) {
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < n; ++i) v |= std::uint64_t{bytes_[pos_ + i]} << (8 * i);
    pos_ += n;
    return v;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(take(4)); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - pos_; }
  [[nodiscard]] std::size_t pos() const { return pos_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t pos_ = 0;
};

/// What is wrong with one side (waits or posts); empty if nothing.
std::string why_sync_illegal(const Word& w, const Config& cfg, std::string_view side, const std::array<Bits, 4>& bits) {
  const std::uint32_t sem[2] = {get(w, bits[0]), get(w, bits[2])};
  const std::uint32_t cnt[2] = {get(w, bits[1]), get(w, bits[3])};
  for (int i = 0; i < 2; ++i) {
    if (cnt[i] == 0 && sem[i] != 0)
      return fmt::format("{}{}: semaphore {} with count 0; expected count 1..255", side, i, sem[i]);
    if (sem[i] >= cfg.sems)
      return fmt::format("{}{}: semaphore {}, allowed on {}: 0..{}", side, i, sem[i], cfg.name, cfg.sems - 1);
  }
  const bool remote = side == "post" && get(w, kBitsPost1Remote) != 0;
  if (sem[0] == sem[1] && cnt[0] != 0 && cnt[1] != 0 && !remote)
    return fmt::format("{}: semaphore {} twice; expected two different ones", side, sem[0]);
  return {};
}

/// What is wrong with the tile of post1; empty if nothing. Whether the tile exists is for the run to say: any mesh may
/// run a program.
std::string why_remote_illegal(const Word& w) {
  const std::uint32_t tile = get(w, kBitsPost1Tile);
  if (get(w, kBitsPost1Remote) == 0)
    return tile == 0 ? "" : fmt::format("post1: tile {} of a post that is not remote; expected 0", tile);
  return get(w, kBitsPost1Cnt) != 0 ? "" : "post1: remote with count 0; expected count 1..255";
}

std::string why_field_illegal(const Word& w, const Config& cfg, const Field& f) {
  const std::uint32_t v = get(w, f.bits);
  switch (f.kind) {
    case FieldKind::kSem:
      if (v >= cfg.sems)
        return fmt::format("{}: semaphore {}, allowed on {}: 0..{}", f.name, v, cfg.name, cfg.sems - 1);
      break;
    case FieldKind::kFormat:
      if ((f.allow >> v & 1U) == 0) {
        std::string names;
        for (std::size_t i = 0; i < kFormats.size(); ++i) {
          if ((f.allow >> i & 1U) != 0) names += fmt::format("{}{}", names.empty() ? "" : ", ", kFormats[i].name);
        }
        return fmt::format("{}: format number {}, allowed: {}", f.name, v, names);
      }
      break;
    case FieldKind::kInt:
      if (v < f.min || v > f.max) return fmt::format("{}: {}, allowed: {}..{}", f.name, v, f.min, f.max);
      break;
    case FieldKind::kTarget:
      if (v > kMaxPc) return fmt::format("{}: target {}, allowed: 0..{}", f.name, v, kMaxPc);
      break;
    case FieldKind::kReg:
    case FieldKind::kValue:
    case FieldKind::kBool:
      break;
  }
  return {};
}

}  // namespace

const Instr* find_instr(std::uint8_t opcode) {
  const auto* it =
      std::ranges::find_if(kInstrs, [&](const Instr& i) { return static_cast<std::uint8_t>(i.op) == opcode; });
  return it == kInstrs.end() ? nullptr : it;
}

const Instr* find_instr(std::string_view name) {
  const auto* it = std::ranges::find(kInstrs, name, &Instr::name);
  return it == kInstrs.end() ? nullptr : it;
}

std::string why_illegal(const Word& w, const Config& cfg) {
  const auto opcode = static_cast<std::uint8_t>(get(w, kBitsOpcode));
  const Instr* instr = find_instr(opcode);
  if (instr == nullptr) return fmt::format("opcode 0x{:02x} is not defined", opcode);
  const Word stray{w.lo & ~instr->used_lo, w.hi & ~instr->used_hi};
  if (stray != Word{}) {
    return fmt::format("{}: bits that must be 0 are set: 0x{:016x}_{:016x}", instr->name, stray.hi, stray.lo);
  }
  std::string why = why_sync_illegal(w, cfg, "wait", {kBitsWait0Sem, kBitsWait0Cnt, kBitsWait1Sem, kBitsWait1Cnt});
  if (why.empty()) why = why_sync_illegal(w, cfg, "post", {kBitsPost0Sem, kBitsPost0Cnt, kBitsPost1Sem, kBitsPost1Cnt});
  if (why.empty()) why = why_remote_illegal(w);
  for (const Field& f : instr->fields) {
    if (!why.empty()) break;
    why = why_field_illegal(w, cfg, f);
  }
  return why.empty() ? why : fmt::format("{}: {}", instr->name, why);
}

const Config& find_config(std::string_view name) {
  const auto* it = std::ranges::find(kConfigs, name, &Config::name);
  if (it != kConfigs.end()) return *it;
  std::string names;
  for (const Config& c : kConfigs) names += fmt::format("{}{}", names.empty() ? "" : ", ", c.name);
  throw InputError(fmt::format("configuration '{}' does not exist; allowed: {}", name, names));
}

std::vector<std::uint8_t> encode_program(const Program& p) {
  std::vector<std::uint8_t> out(kMagic.begin(), kMagic.end());
  put(out, kIsaVersion, 4);
  put(out, p.sections.size(), 4);
  put(out, 0, 4);
  for (const Section& s : p.sections) {
    put(out, s.x, 4);
    put(out, s.y, 4);
    for (const std::uint32_t e : s.entry) put(out, e, 4);
    put(out, s.code.size(), 4);
    for (const Word& w : s.code) {
      put(out, w.lo, 8);
      put(out, w.hi, 8);
    }
  }
  put(out, crc(out), 4);
  return out;
}

Program decode_program(const std::vector<std::uint8_t>& bytes, const std::string& name) {
  const auto fail = [&name](const std::string& what) { throw InputError(name + ": " + what); };
  if (bytes.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.begin() + 3, bytes.begin())) {
    fail("not a program file; expected it to start with the bytes 54 50 4e (TPN)");
  }
  if (bytes[3] != kMagic[3]) fail(fmt::format("file version {}; allowed: {}", bytes[3], kMagic[3]));
  if (bytes.size() < kHeaderBytes + kCrcBytes) {
    fail(fmt::format("{} bytes; a program file has at least {} (truncated?)", bytes.size(), kHeaderBytes + kCrcBytes));
  }
  const std::span<const std::uint8_t> body(bytes.data(), bytes.size() - kCrcBytes);
  const std::uint32_t stored = Reader(std::span(bytes).last(kCrcBytes)).u32();
  const std::uint32_t actual = crc(body);
  if (stored != actual)
    fail(fmt::format("checksum 0x{:08x}, expected 0x{:08x}; the file is damaged or truncated", stored, actual));

  Reader in(body);
  in.take(kMagic.size());
  const std::uint32_t version = in.u32();
  if (version != kIsaVersion) fail(fmt::format("instruction set version {}; allowed: {}", version, kIsaVersion));
  const std::uint32_t sections = in.u32();
  const std::uint32_t zero = in.u32();
  if (zero != 0) fail(fmt::format("reserved word at byte 12 is 0x{:08x}; expected 0", zero));
  if (sections > in.left() / kSectionBytes) {
    fail(fmt::format("{} sections, but {} bytes of {} are left for them", sections, in.left(), bytes.size()));
  }
  Program p;
  p.sections.resize(sections);
  for (std::uint32_t i = 0; i < sections; ++i) {
    Section& s = p.sections[i];
    if (in.left() < kSectionBytes)
      fail(fmt::format("section {} at byte {}: {} bytes left, expected at least {}", i, in.pos(), in.left(),
                       kSectionBytes));
    s.x = in.u32();
    s.y = in.u32();
    if ((s.x == kEveryTile) != (s.y == kEveryTile)) {
      fail(fmt::format("section {}: tile 0x{:x}, 0x{:x}; expected two numbers, or twice 0xffffffff for every tile", i,
                       s.x, s.y));
    }
    for (std::uint32_t j = 0; j < i; ++j) {
      if (p.sections[j].x != s.x || p.sections[j].y != s.y) continue;
      const std::string tile = s.x == kEveryTile ? "every tile" : fmt::format("tile {},{}", s.x, s.y);
      fail(fmt::format("section {}: a second one for {}, the first is section {}; expected one a tile", i, tile, j));
    }
    for (std::uint32_t& e : s.entry) e = in.u32();
    const std::uint32_t count = in.u32();
    if (count > in.left() / kWordBytes) {
      fail(fmt::format("section {}: {} instructions need {} bytes, {} are left", i, count,
                       std::uint64_t{count} * kWordBytes, in.left()));
    }
    s.code.resize(count);
    for (Word& w : s.code) {
      w.lo = in.take(8);
      w.hi = in.take(8);
    }
  }
  if (in.left() != 0)
    fail(fmt::format("{} bytes beyond the last section at byte {}; expected none", in.left(), in.pos()));
  return p;
}

std::string tiles_of_mesh(std::uint32_t mesh_x, std::uint32_t mesh_y) {
  return mesh_x == 1 && mesh_y == 1 ? "0,0" : fmt::format("0,0..{},{}", mesh_x - 1, mesh_y - 1);
}

std::vector<const Section*> place_sections(const Program& p, std::uint32_t mesh_x, std::uint32_t mesh_y,
                                           const std::string& name) {
  if (p.sections.empty()) throw InputError(fmt::format("{}: has no section", name));
  const Section* every = nullptr;
  std::vector<const Section*> sections(std::size_t{mesh_x} * mesh_y);
  for (const Section& s : p.sections) {
    const bool all = s.x == kEveryTile && s.y == kEveryTile;
    const std::string tile = all ? "every tile" : fmt::format("tile {},{}", s.x, s.y);
    if (!all && (s.x >= mesh_x || s.y >= mesh_y)) {
      throw InputError(fmt::format("{}: has a section for {}, the mesh is {}x{}; allowed: {} or every tile", name, tile,
                                   mesh_x, mesh_y, tiles_of_mesh(mesh_x, mesh_y)));
    }
    const Section*& place = all ? every : sections[std::size_t{s.y} * mesh_x + s.x];
    if (place != nullptr) throw InputError(fmt::format("{}: a second section for {}; expected one a tile", name, tile));
    place = &s;
  }
  std::replace(sections.begin(), sections.end(), static_cast<const Section*>(nullptr), every);
  return sections;
}

}  // namespace tepin::isa
