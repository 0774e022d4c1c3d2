// SPDX-License-Identifier: Apache-2.0
#include "sw/isa/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace tepin::isa {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

Word word(Op op) {
  Word w;
  set(w, kBitsOpcode, static_cast<std::uint32_t>(op));
  return w;
}

/// Bit by bit, independent of zlib: IEEE 802.3, reflected.
std::uint32_t slow_crc(const std::vector<std::uint8_t>& bytes, std::size_t n) {
  std::uint32_t c = 0xffffffffU;
  for (std::size_t i = 0; i < n; ++i) {
    c ^= bytes[i];
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? c >> 1 ^ 0xedb88320U : c >> 1;
  }
  return ~c;
}

/// Makes the last four bytes the right checksum again after a test has changed something.
std::vector<std::uint8_t> resealed(std::vector<std::uint8_t> b) {
  const std::uint32_t c = slow_crc(b, b.size() - 4);
  for (std::size_t i = 0; i < 4; ++i) b[b.size() - 4 + i] = static_cast<std::uint8_t>(c >> (8 * i));
  return b;
}

Program sample() {
  Program p;
  p.sections.resize(2);
  p.sections[0].entry[0] = 0;
  p.sections[0].code = {word(Op::kSync), word(Op::kHalt)};
  p.sections[1].x = 1;
  p.sections[1].y = 0;
  p.sections[1].entry[3] = 1;
  p.sections[1].code = {Word{0x0123456789abcdefU, 0xfedcba9876543210U}, word(Op::kHalt), Word{}};
  return p;
}

TEST(Program, FileHasTheDocumentedBytes) {
  Program p;
  p.sections.resize(1);
  p.sections[0].entry[1] = 5;
  p.sections[0].code = {Word{0x0807060504030201U, 0x100f0e0d0c0b0a09U}};
  const auto b = encode_program(p);
  std::vector<std::uint8_t> expected{0x54, 0x50, 0x4e, 0x01, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  for (const std::uint32_t v : {0xffffffffU, 0xffffffffU, 0xffffffffU, 5U, 0xffffffffU, 0xffffffffU, 1U}) {
    for (int i = 0; i < 4; ++i) expected.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
  }
  for (std::uint8_t i = 1; i <= 16; ++i) expected.push_back(i);
  const std::uint32_t crc = slow_crc(expected, expected.size());
  for (int i = 0; i < 4; ++i) expected.push_back(static_cast<std::uint8_t>(crc >> (8 * i)));
  EXPECT_EQ(b, expected);
}

TEST(Program, DecodeReturnsWhatWasEncoded) {
  EXPECT_EQ(decode_program(encode_program(sample()), "x"), sample());
  EXPECT_EQ(decode_program(encode_program(Program{}), "x"), Program{});
}

TEST(Program, EveryTruncationIsAnError) {
  const auto b = encode_program(sample());
  for (std::size_t n = 0; n < b.size(); ++n) {
    EXPECT_THROW((void)decode_program({b.begin(), b.begin() + static_cast<std::ptrdiff_t>(n)}, "x"), InputError) << n;
  }
}

TEST(Program, EverySingleBitFlipIsAnError) {
  const auto b = encode_program(sample());
  for (std::size_t i = 0; i < b.size() * 8; ++i) {
    auto c = b;
    c[i / 8] = static_cast<std::uint8_t>(c[i / 8] ^ (1U << (i % 8)));
    EXPECT_THROW((void)decode_program(c, "x"), InputError) << i;
  }
}

TEST(Program, MutationsWithARightChecksumAreDecodedOrRefusedNeverACrash) {
  std::mt19937_64 rng(1);
  const auto b = encode_program(sample());
  int decoded = 0;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    auto c = b;
    for (std::uint64_t k = 0; k <= rng() % 3; ++k) {
      const std::size_t at = rng() % (c.size() - 4);
      c[at] = static_cast<std::uint8_t>(rng());
    }
    if (rng() % 4 == 0) c.resize(4 + rng() % c.size());
    try {
      (void)decode_program(resealed(c), "x");
      ++decoded;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_EQ(decoded + refused, 20000);
  EXPECT_GT(decoded, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(Program, ErrorsNameFileFoundAndAllowed) {
  const auto good = encode_program(sample());
  const auto with = [&](std::size_t at, std::uint8_t v) {
    auto b = good;
    b[at] = v;
    return error_of([&] { (void)decode_program(resealed(b), "f.tpn"); });
  };
  EXPECT_EQ(error_of([] { (void)decode_program({}, "f.tpn"); }),
            "f.tpn: not a program file; expected it to start with the bytes 54 50 4e (TPN)");
  EXPECT_EQ(with(0, 0x55), "f.tpn: not a program file; expected it to start with the bytes 54 50 4e (TPN)");
  EXPECT_EQ(with(3, 2), "f.tpn: file version 2; allowed: 1");
  EXPECT_EQ(with(4, 9), "f.tpn: instruction set version 9; allowed: 1");
  EXPECT_EQ(with(12, 1), "f.tpn: reserved word at byte 12 is 0x00000001; expected 0");
  EXPECT_EQ(with(8, 200), "f.tpn: 200 sections, but 136 bytes of 156 are left for them");
  EXPECT_THAT(with(8, 3), HasSubstr("section 2 at byte 152: 0 bytes left, expected at least 28"));
  EXPECT_EQ(with(8, 1), "f.tpn: 76 bytes beyond the last section at byte 76; expected none");
  EXPECT_THAT(with(16, 1), HasSubstr("section 0: tile 0xffffff01, 0xffffffff; expected two numbers"));
  EXPECT_THAT(with(40, 99), HasSubstr("section 0: 99 instructions need 1584 bytes, 108 are left"));
  Program twice = sample();
  twice.sections[0].x = 1;
  twice.sections[0].y = 0;
  EXPECT_EQ(error_of([&] { (void)decode_program(encode_program(twice), "f.tpn"); }),
            "f.tpn: section 1: a second one for tile 1,0, the first is section 0; expected one a tile");
  twice.sections[0] = twice.sections[1] = Section{};
  EXPECT_EQ(error_of([&] { (void)decode_program(encode_program(twice), "f.tpn"); }),
            "f.tpn: section 1: a second one for every tile, the first is section 0; expected one a tile");
  auto bad = good;
  bad.back() ^= 1U;
  EXPECT_THAT(error_of([&] { (void)decode_program(bad, "f.tpn"); }), HasSubstr("f.tpn: checksum 0x"));
}

TEST(Legality, EveryOpcodeIsLegalOrUnknown) {
  int known = 0;
  for (std::uint32_t op = 0; op < 256; ++op) {
    Word w;
    set(w, kBitsOpcode, op);
    const Instr* instr = find_instr(static_cast<std::uint8_t>(op));
    if (instr == nullptr) {
      EXPECT_THAT(why_illegal(w, kNano), HasSubstr("is not defined"));
      continue;
    }
    ++known;
    EXPECT_EQ(find_instr(instr->name), instr);
    for (const Field& f : instr->fields) {
      if (f.kind == FieldKind::kInt) set(w, f.bits, f.min);
    }
    EXPECT_EQ(why_illegal(w, kNano), "") << instr->name;
  }
  EXPECT_EQ(known, static_cast<int>(kInstrs.size()));
  EXPECT_EQ(find_instr("nop"), nullptr);
}

TEST(Legality, EveryUnusedBitMustBeZero) {
  for (const Instr& instr : kInstrs) {
    Word good = word(instr.op);
    for (const Field& f : instr.fields) {
      if (f.kind == FieldKind::kInt) set(good, f.bits, f.min);
    }
    for (unsigned bit = 0; bit < 128; ++bit) {
      const bool used = ((bit < 64 ? instr.used_lo : instr.used_hi) >> (bit % 64) & 1U) != 0;
      if (used) continue;
      Word w = good;
      (bit < 64 ? w.lo : w.hi) |= std::uint64_t{1} << (bit % 64);
      EXPECT_NE(why_illegal(w, kJalapeno), "") << instr.name << " bit " << bit;
    }
  }
}

TEST(Legality, SemaphoresFormatsAndCountsAreChecked) {
  Word w = word(Op::kSync);
  set(w, kBitsWait0Sem, 3);
  EXPECT_EQ(why_illegal(w, kNano), "sync: wait0: semaphore 3 with count 0; expected count 1..255");
  set(w, kBitsWait0Cnt, 1);
  EXPECT_EQ(why_illegal(w, kNano), "");
  set(w, kBitsWait1Sem, 3);
  set(w, kBitsWait1Cnt, 2);
  EXPECT_EQ(why_illegal(w, kNano), "sync: wait: semaphore 3 twice; expected two different ones");
  w = word(Op::kSync);
  set(w, kBitsPost1Sem, 32);
  set(w, kBitsPost1Cnt, 1);
  EXPECT_EQ(why_illegal(w, kNano), "");
  EXPECT_EQ(why_illegal(w, kFpga), "sync: post1: semaphore 32, allowed on fpga: 0..31");
  w = word(Op::kSpost);
  set(w, kBitsImm, 64);
  EXPECT_EQ(why_illegal(w, kNano), "spost: imm: semaphore 64, allowed on nano: 0..63");
  w = word(Op::kLd);
  EXPECT_EQ(why_illegal(w, kNano), "ld: npc: 0, allowed: 1..15");
  w = word(Op::kMm);
  set(w, Bits{112, 4}, 6);
  EXPECT_EQ(why_illegal(w, kNano),
            "mm: fa: format number 6, allowed: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2");
  w = word(Op::kMm);
  set(w, Bits{116, 4}, 3);
  EXPECT_EQ(why_illegal(w, kNano),
            "mm: fw: format number 3, allowed: mxfp4, mxfp8_e4m3, mxint8, mxfp6_e2m3, mxfp6_e3m2, nvfp4, int4g32, "
            "mxint8x2");
  set(w, Bits{116, 4}, 9);
  EXPECT_THAT(why_illegal(w, kNano), HasSubstr("fw: format number 9, allowed: mxfp4"));
  w = word(Op::kVqnt);
  set(w, Bits{112, 4}, 6);
  EXPECT_THAT(why_illegal(w, kNano), HasSubstr("format number 6, allowed: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2"));
}

TEST(Legality, OnlyAPostWithACountGoesToAnotherTile) {
  Word w = word(Op::kVsync);
  set(w, kBitsPost1Remote, 1);
  EXPECT_EQ(why_illegal(w, kNano), "vsync: post1: remote with count 0; expected count 1..255");
  set(w, kBitsPost1Cnt, 255);
  set(w, kBitsPost1Tile, 63);  // whether the tile exists is no matter of legality
  EXPECT_EQ(why_illegal(w, kFpga), "");
  set(w, kBitsPost0Cnt, 1);  // the same semaphore here and there
  EXPECT_EQ(why_illegal(w, kFpga), "");
  set(w, kBitsWait0Cnt, 1);
  set(w, kBitsWait1Cnt, 1);
  EXPECT_EQ(why_illegal(w, kFpga), "vsync: wait: semaphore 0 twice; expected two different ones");
  w = word(Op::kVsync);
  set(w, kBitsPost1Cnt, 1);
  set(w, kBitsPost1Tile, 5);
  EXPECT_EQ(why_illegal(w, kNano), "vsync: post1: tile 5 of a post that is not remote; expected 0");
  set(w, kBitsPost1Tile, 0);
  set(w, kBitsPost0Cnt, 1);
  EXPECT_EQ(why_illegal(w, kNano), "vsync: post: semaphore 0 twice; expected two different ones");
}

TEST(Config, UnknownNameListsTheAllowedOnes) {
  EXPECT_EQ(&find_config("fpga"), &kConfigs[1]);
  EXPECT_EQ(error_of([] { (void)find_config("big"); }),
            "configuration 'big' does not exist; allowed: nano, fpga, jalapeno");
}

}  // namespace
}  // namespace tepin::isa
