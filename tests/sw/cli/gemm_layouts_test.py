#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products with weights of every layout that `tepin gemm` takes, compared bit for bit with exact rationals.

  tests/sw/cli/gemm_layouts_test.py build/tepin [--seed N] [TEST...]

A checkpoint is written byte by byte as its publisher defines it; what its numbers mean, how X and floating point weights are
quantised (scripts/gen_vectors.py, by docs/numerics.md) and each rounding of the product are computed here. Nothing is shared
with the program.
"""
import json
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
sys.dont_write_bytecode = True
import gen_vectors as gv  # noqa: E402

TEPIN = ""
SEED = 1
RULES = {"floor": "floor", "even": "even", "round-up": "rceil", "ceiling": "ceiling"}
ELEM = {"mxfp4": "e2m1", "mxfp6_e2m3": "e2m3", "mxfp6_e3m2": "e3m2", "mxfp8_e4m3": "e4m3", "mxfp8_e5m2": "e5m2",
        "mxint8": "int8"}
ONE = 0x3F800000
checked = 0


# --- files ------------------------------------------------------------------------------------------------------------
def write_safetensors(path, tensors):
    """tensors: {name: (dtype, shape, bytes)}. The header's length is odd: numbers begin at any byte."""
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (1 - len(text) % 2)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def words(size, values):
    return b"".join(v.to_bytes(size, "little") for v in values)


def nibbles(codes):
    return bytes(codes[i] | codes[i + 1] << 4 for i in range(0, len(codes), 2))


def write_x(path, rows):
    gv.write_npy(path, "<f4", [len(rows), len(rows[0])], words(4, [b for row in rows for b in row]))


def read_y(path):
    raw = path.read_bytes()
    begin = 10 + int.from_bytes(raw[8:10], "little")
    return list(struct.unpack(f"<{(len(raw) - begin) // 4}I", raw[begin:]))


# --- meaning ----------------------------------------------------------------------------------------------------------
def f16(bits):
    e, m = bits >> 10 & 31, bits & 1023
    v = m * gv.pow2(-24) if e == 0 else (m + 1024) * gv.pow2(e - 25)
    return -v if bits & 0x8000 else v


def blocks_of(bits):
    return [bits[i:i + 32] for i in range(0, len(bits), 32)]


def quantised(fmt, bits, rule="floor"):
    """Exact values of the quantised blocks of FP32 bits; None where a block is NaN."""
    f, out = gv.ELEMS[ELEM[fmt]], []
    for block in blocks_of(bits):
        s, codes = gv.quantise(f, block, gv.values_of(block), RULES.get(rule, rule))
        out.append(None if s == 0xFF else [f.decode(c) * gv.pow2(s - 127) for c in codes])
    return out


def pairs(bits):
    """mxint8x2: coarse, fine, coarse, fine, ..."""
    out = []
    for block in blocks_of(bits):
        coarse = quantised("mxint8", block)[0]
        rest = [v - c for v, c in zip(gv.values_of(block), coarse)]
        fine_bits = [gv.to_fp32(r) for r in rest]
        assert [gv.fp32(b) for b in fine_bits] == rest
        out += [coarse, quantised("mxint8", fine_bits)[0]]
    return out


def accumulate(acc, w, a):
    if w is None or a is None or gv.is_nan(acc):
        return gv.NAN32
    return gv.to_fp32(gv.fp32(acc) + sum((x * y for x, y in zip(w, a)), Fraction(0)))


def fma(p, g, acc):
    if gv.is_nan(p) or gv.is_nan(g) or gv.is_nan(acc):
        return gv.NAN32
    return gv.to_fp32(gv.fp32(p) * gv.fp32(g) + gv.fp32(acc))


def product(rows, columns, tensor_scale=ONE, block_scale=None):
    """rows: of W, blocks of exact values; columns: of X, likewise. block_scale(row, group of 4 blocks): FP32 bits."""
    y = []
    for a in columns:
        for m, w in enumerate(rows):
            parts, acc, p = len(w) // len(a), 0, 0
            for i, block in enumerate(w):
                if block_scale is None:
                    acc = accumulate(acc, block, a[i // parts])
                    continue
                p = accumulate(0 if i % 4 == 0 else p, block, a[i])
                if i % 4 == 3 or i + 1 == len(w):
                    acc = fma(p, block_scale(m, i // 4), acc)
            y.append(acc if tensor_scale == ONE else gv.mul32(acc, tensor_scale))
    return y


class Layouts(unittest.TestCase):
    def setUp(self):
        self.rng = random.Random(f"{SEED} {self.id()}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    # Random data.
    def fp32(self, spread=3):
        return gv.random_bits(self.rng, 125, spread)

    def bf16(self, spread=3):
        return self.fp32(spread) >> 16

    def x_rows(self, n, k):
        return [[self.fp32() for _ in range(k)] for _ in range(n)]

    def e4m3(self):
        return self.rng.choice([c for c in range(256) if c & 0x7F != 0x7F])

    # The program.
    def gemm(self, arguments, x, code=0):
        write_x(self.dir / "x.npy", x)
        y = self.dir / "y.npy"
        y.unlink(missing_ok=True)
        r = subprocess.run([TEPIN, "gemm", "--weights", "w.safetensors", "--in", "x.npy", "--out-npy", "y.npy", "--json",
                            *arguments.split()], cwd=self.dir, capture_output=True, text=True, timeout=250)
        self.assertEqual(r.returncode, code, r.stdout + r.stderr)
        return json.loads(r.stdout), read_y(y) if code == 0 else None

    def check(self, arguments, x, expected, **keys):
        """On both targets: Y and some keys of the report."""
        global checked
        for target in ("golden", "rtl"):
            with self.subTest(arguments=arguments, target=target):
                report, y = self.gemm(f"{arguments} --target {target}", x)
                self.assertEqual(len(y), len(expected))
                wrong = [i for i, (v, e) in enumerate(zip(y, expected)) if v != e]
                if wrong:
                    i = wrong[0]
                    self.fail(f"{len(wrong)} of {len(y)} values; first: {i}: expected {expected[i]:08x}, actual {y[i]:08x}")
                self.assertEqual(report["mismatches"], 0)
                self.assertGreaterEqual(report["checked_values"], len(expected))
                for key, value in keys.items():
                    self.assertEqual(report[key], value, key)
                checked += len(y)

    def faults(self, arguments, x):
        for target in ("golden", "rtl"):
            with self.subTest(target=target):
                report, _ = self.gemm(f"{arguments} --target {target}", x, code=3)
                self.assertIn("NaN", report["fault"])
                self.assertEqual(report["mismatches"], 0)

    # --- MXFP4, gpt-oss -----------------------------------------------------------------------------------------------
    def test_mxfp4_blocks_of_experts_in_both_spellings(self):
        e, m, kb = 3, 9, 2
        codes = [[[[self.rng.randrange(16) for _ in range(32)] for _ in range(kb)] for _ in range(m)] for _ in range(e)]
        scales = [[[self.rng.randint(120, 130) for _ in range(kb)] for _ in range(m)] for _ in range(e)]
        raw = b"".join(nibbles(b) for x in codes for r in x for b in r)
        raw_scales = bytes(s for x in scales for r in x for s in r)
        x = self.x_rows(5, kb * 32)
        for dot in (".", "_"):
            write_safetensors(self.dir / "w.safetensors", {
                f"l.w{dot}blocks": ("U8", [e, m, kb, 16], raw), f"l.w{dot}scales": ("U8", [e, m, kb], raw_scales)})
            for i in range(e):
                rows = [[[gv.ELEMS["e2m1"].decode(c) * gv.pow2(s - 127) for c in b] for b, s in zip(*r)]
                        for r in zip(codes[i], scales[i])]
                self.check(f"--tensor l.w{dot if i == 1 else ''}{'scales' if i == 1 else ''} --index {i} --act mxint8", x,
                           product(rows, [quantised("mxint8", r) for r in x]),
                           tensor="l.w", layout="mxfp4_blocks", weights="mxfp4", rule=None, k=kb * 32, m=m, n=5)

    # --- NVFP4 --------------------------------------------------------------------------------------------------------
    def nvfp4(self, m, k):
        codes = [[self.rng.randrange(16) for _ in range(k)] for _ in range(m)]
        scales = [[self.e4m3() for _ in range(k // 16)] for _ in range(m)]
        rows = [blocks_of([gv.ELEMS["e2m1"].decode(c) * gv.ELEMS["e4m3"].decode(s[i // 16]) for i, c in enumerate(r)])
                for r, s in zip(codes, scales)]
        return b"".join(map(nibbles, codes)), b"".join(map(bytes, scales)), rows

    def test_nvfp4_of_modelopt_multiplies_by_the_scale_of_the_tensor(self):
        m, k, scale = 20, 96, 0x3A9D_1234
        raw, scales, rows = self.nvfp4(m, k)
        write_safetensors(self.dir / "w.safetensors", {
            "q.weight": ("U8", [m, k // 2], raw), "q.weight_scale": ("F8_E4M3", [m, k // 16], scales),
            "q.weight_scale_2": ("F32", [], words(4, [scale])), "q.input_scale": ("F32", [], bytes(4))})
        for name, act, n in (("q", "mxint8", 5), ("q.weight", "mxfp8_e5m2", 2), ("q.weight_scale", "mxfp4", 33)):
            x = self.x_rows(n, k)
            self.check(f"--tensor {name} --act {act}", x, product(rows, [quantised(act, r) for r in x], scale),
                       layout="nvfp4_modelopt", weights="nvfp4", rule=None)

    def test_nvfp4_of_compressed_tensors_divides_by_the_global_scale(self):
        m, k = 9, 64
        raw, scales, rows = self.nvfp4(m, k)
        x = self.x_rows(3, k)
        for scale in (0x4560_0000, 0xC512_3457, 0x0080_0001, 0x7F7F_FFFF, gv.INF32, 1):
            write_safetensors(self.dir / "w.safetensors", {
                "q.weight_packed": ("U8", [m, k // 2], raw), "q.weight_scale": ("F8_E4M3", [m, k // 16], scales),
                "q.weight_global_scale": ("F32", [1], words(4, [scale]))})
            inverse = {gv.INF32: 0, 1: gv.INF32}.get(scale)
            if inverse is None:
                inverse = gv.to_fp32(1 / gv.fp32(scale))
            self.check("--tensor q --act mxfp6_e2m3", x, product(rows, [quantised("mxfp6_e2m3", r) for r in x], inverse),
                       layout="nvfp4_compressed_tensors", weights="nvfp4")

    def test_nvfp4_experts_have_a_scale_each_or_one_for_all(self):
        e, m, k = 2, 8, 32
        experts = [self.nvfp4(m, k) for _ in range(e)]
        x = self.x_rows(2, k)
        for each in (False, True):
            scales = [0x3B12_3456, 0x3C00_0001] if each else [0x3B12_3456]
            write_safetensors(self.dir / "w.safetensors", {
                "q.weight": ("U8", [e, m, k // 2], b"".join(x[0] for x in experts)),
                "q.weight_scale": ("F8_E4M3", [e, m, k // 16], b"".join(x[1] for x in experts)),
                "q.weight_scale_2": ("F32", [len(scales)], words(4, scales))})
            for i in range(e):
                self.check(f"--tensor q --index {i} --act mxint8", x,
                           product(experts[i][2], [quantised("mxint8", r) for r in x], scales[i if each else 0]))

    # --- INT4 ---------------------------------------------------------------------------------------------------------
    def int4(self, m, k, dtype="BF16"):
        values = [[self.rng.randint(-8, 7) for _ in range(k)] for _ in range(m)]
        if dtype == "F16":  # those that BF16 holds: 8 significant bits; subnormals too
            scales = [[self.rng.choice((0, 0x8000)) | self.rng.randrange(30) << 10 | self.rng.randrange(128) << 3
                       for _ in range(k // 32)] for _ in range(m)]
            exact = f16
        else:
            scales = [[self.bf16() for _ in range(k // 32)] for _ in range(m)]
            exact = lambda b: gv.fp32(b << 16)  # noqa: E731
        packed = [sum((v + 8) << 4 * i for i, v in enumerate(r[j:j + 8])) for r in values for j in range(0, k, 8)]
        rows = [[[v * exact(s) for v in b] for b, s in zip(blocks_of(r), t)] for r, t in zip(values, scales)]
        size, shift = (4, 16) if dtype == "F32" else (2, 0)
        return words(4, packed), words(size, [s << shift for r in scales for s in r]), rows

    def test_int4_groups_of_32_with_scales_that_bf16_holds(self):
        m, k = 20, 96
        for dtype, shape in (("BF16", "I32"), ("F16", "I64"), ("F32", None)):
            raw, scales, rows = self.int4(m, k, dtype)
            tensors = {"q.weight_packed": ("I32", [m, k // 8], raw), "q.weight_scale": (dtype, [m, k // 32], scales)}
            if shape:
                tensors["q.weight_shape"] = (shape, [2], words(4 if shape == "I32" else 8, [m, k]))
            write_safetensors(self.dir / "w.safetensors", tensors)
            for act, n in (("mxint8", 5), ("mxfp8_e4m3", 1)):
                x = self.x_rows(n, k)
                self.check(f"--tensor q --act {act}", x, product(rows, [quantised(act, r) for r in x]),
                           layout="int4_pack_quantized", weights="int4g32", rule=None)

    def test_int4_experts(self):
        e, m, k = 3, 5, 64
        experts = [self.int4(m, k) for _ in range(e)]
        x = self.x_rows(2, k)
        write_safetensors(self.dir / "w.safetensors", {
            "q.weight_packed": ("I32", [e, m, k // 8], b"".join(x[0] for x in experts)),
            "q.weight_scale": ("BF16", [e, m, k // 32], b"".join(x[1] for x in experts))})
        for i in range(e):
            self.check(f"--tensor q.weight_packed --index {i} --act mxfp4", x,
                       product(experts[i][2], [quantised("mxfp4", r) for r in x]))

    # --- FP8 under 128 x 128 scales -----------------------------------------------------------------------------------
    def test_fp8_under_scales_of_128_by_128(self):
        e, m, k, groups = 2, 136, 160, 2
        codes = [[[self.e4m3() for _ in range(k)] for _ in range(m)] for _ in range(e)]
        for dtype in ("F32", "BF16"):
            scales = [[[gv.random_bits(self.rng, 115, 4) & (0xFFFF0000 if dtype == "BF16" else 0xFFFFFFFF)
                        for _ in range(groups)] for _ in range(2)] for _ in range(e)]
            flat = [s for x in scales for r in x for s in r]
            write_safetensors(self.dir / "w.safetensors", {
                "q.weight": ("F8_E4M3", [e, m, k], b"".join(bytes(r) for x in codes for r in x)),
                "q.weight_scale_inv": (dtype, [e, 2, groups],
                                       words(4, flat) if dtype == "F32" else words(2, [s >> 16 for s in flat]))})
            x = self.x_rows(3, k)
            for i in range(e):
                rows = [blocks_of([gv.ELEMS["e4m3"].decode(c) for c in r]) for r in codes[i]]
                self.check(f"--tensor q --index {i} --act mxint8", x,
                           product(rows, [quantised("mxint8", r) for r in x],
                                   block_scale=lambda row, group: scales[i][row // 128][group]),
                           layout="fp8_block_scales", weights="fp8_128x128", rule=None)

    # --- quantised on import ------------------------------------------------------------------------------------------
    def plain(self, dtype, count):
        """Raw bytes and what they are as FP32 bits; a block of zeros, one with subnormals and one far away."""
        if dtype == "F16":
            raw = [self.rng.randrange(0x7C00) | self.rng.choice((0, 0x8000)) for _ in range(count)]
            return words(2, raw), [gv.to_fp32(f16(b)) for b in raw]
        bits = [self.fp32(9) for _ in range(count)]
        bits[:32] = [0] * 32
        bits[32:64] = [self.rng.randrange(1 << 27) for _ in range(32)]
        bits[64:96] = [gv.random_bits(self.rng, 240, 9) for _ in range(32)]
        if dtype == "BF16":
            bits = [b & 0xFFFF0000 for b in bits]
            return words(2, [b >> 16 for b in bits]), bits
        return words(4, bits), bits

    def test_plain_weights_are_quantised_by_each_rule(self):
        m, k = 9, 64
        x = self.x_rows(2, k)
        columns = [quantised("mxint8", r) for r in x]
        for dtype in ("BF16", "F16", "F32"):
            raw, bits = self.plain(dtype, m * k)
            write_safetensors(self.dir / "w.safetensors", {"q.weight": (dtype, [m, k], raw)})
            rows = [bits[i * k:(i + 1) * k] for i in range(m)]
            for i, fmt in enumerate(("mxfp4", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp8_e4m3", "mxint8")):
                for rule in RULES if dtype == "BF16" else [list(RULES)[i % 4]]:
                    self.check(f"--tensor q --quantise {fmt} --rule {rule} --act mxint8", x,
                               product([quantised(fmt, r, rule) for r in rows], columns), weights=fmt, rule=rule,
                               layout=f"plain_{dtype.lower()}")
            self.check("--tensor q --act mxint8", x, product([quantised("mxfp4", r) for r in rows], columns),
                       weights="mxfp4", rule="floor")
            for name in ("mxint8x2", "bf16"):
                self.check(f"--tensor q.weight --quantise {name} --act mxint8", x,
                           product([pairs(r) for r in rows], columns), weights="mxint8x2", rule="floor")

    def test_plain_experts_without_an_ending(self):
        e, m, k = 2, 3, 96
        raw, bits = self.plain("BF16", e * m * k)
        write_safetensors(self.dir / "w.safetensors", {"up_proj": ("BF16", [e, m, k], raw)})
        x = self.x_rows(5, k)
        for i in range(e):
            rows = [bits[(i * m + r) * k:(i * m + r + 1) * k] for r in range(m)]
            self.check(f"--tensor up_proj --index {i} --quantise mxfp8_e4m3 --act mxfp6_e3m2", x,
                       product([quantised("mxfp8_e4m3", r) for r in rows], [quantised("mxfp6_e3m2", r) for r in x]))

    # --- activations --------------------------------------------------------------------------------------------------
    def one_weight(self, m, k):
        bits = [self.fp32() for _ in range(m * k)]
        write_safetensors(self.dir / "w.safetensors", {"q": ("F32", [m, k], words(4, bits))})
        return [quantised("mxfp4", bits[i * k:(i + 1) * k]) for i in range(m)]

    def test_activations_of_every_format_by_every_rule(self):
        rows = self.one_weight(8, 64)
        x = self.x_rows(3, 64)
        for fmt in ELEM:
            for rule in RULES:
                self.check(f"--tensor q --act {fmt} --act-rule {rule}", x,
                           product(rows, [quantised(fmt, r, rule) for r in x]), act=fmt, act_format=fmt, act_rule=rule)

    def as_bf16(self, row):
        return [gv.to_bf16(b) << 16 for b in row]

    def test_bf16_activations_are_rounded_then_quantised_by_the_vector_unit(self):
        rows = self.one_weight(8, 96)
        ties = [0x3F80_8000, 0x3F81_8000, 0x3F80_8001, 0xBF80_8000, 0x7F7F_7FFF, 0, 0x8000_0000, 1]
        x = self.x_rows(5, 96)
        x[0][:8] = ties[:4] * 2
        x[1][:3] = ties[5:]
        for fmt, rule in [("mxint8", "floor"), *((f, r) for f in ELEM for r in list(RULES)[1:])]:
            to = "" if fmt == "mxint8" else f"--bf16-to {fmt} "
            self.check(f"--tensor q --act bf16 {to}--act-rule {rule}", x,
                       product(rows, [quantised(fmt, self.as_bf16(r), rule) for r in x]),
                       act="bf16", act_format=fmt, act_rule=rule, launches=2)

    def test_bf16_activations_take_a_launch_for_each_32_tokens_and_piece_of_k(self):
        for n, k, launches in ((33, 64, 3), (33, 3552, 5)):
            rows = self.one_weight(1, k)
            x = self.x_rows(n, k)
            self.check("--tensor q --act bf16", x, product(rows, [quantised("mxint8", self.as_bf16(r)) for r in x]),
                       launches=launches)

    def test_cycles_and_values_of_the_vector_unit_are_counted(self):
        # With a memory whose timing does not depend on what went before.
        self.one_weight(8, 64)
        x = self.x_rows(4, 64)
        both, _ = self.gemm("--tensor q --act bf16 --memory flat", x)
        alone, _ = self.gemm("--tensor q --act mxint8 --memory flat", x)
        self.assertGreater(both["quantise_cycles"], 0)
        self.assertIsNone(alone["quantise_cycles"])
        self.assertEqual(both["cycles"], alone["cycles"] + both["quantise_cycles"])
        panel = 2 * (4 * 32 + 32)
        self.assertGreaterEqual(both["checked_values"], alone["checked_values"] + panel)
        for key, per_cycle in (("mac_util", 1024), ("mac_util_abs", 1024)):
            self.assertAlmostEqual(both[key], 8 * 64 * 4 / (both["cycles"] * per_cycle))

    # --- what is not a number -----------------------------------------------------------------------------------------
    def test_nan_scales_and_elements_are_data_that_stops_the_hardware(self):
        m, k = 8, 32
        x = self.x_rows(2, k)
        raw, scales, _ = self.nvfp4(m, k)
        write_safetensors(self.dir / "w.safetensors", {
            "q.weight": ("U8", [m, k // 2], raw), "q.weight_scale": ("F8_E4M3", [m, 2], scales[:-1] + b"\x7f"),
            "q.weight_scale_2": ("F32", [], words(4, [ONE]))})
        self.faults("--tensor q --act mxint8", x)
        raw, scales, _ = self.int4(m, k)
        write_safetensors(self.dir / "w.safetensors", {
            "q.weight_packed": ("I32", [m, k // 8], raw), "q.weight_scale": ("BF16", [m, 1], b"\x81\x7f" + scales[2:])})
        self.faults("--tensor q --act mxint8", x)
        write_safetensors(self.dir / "w.safetensors", {
            "q.weight": ("F8_E4M3", [m, k], bytes(m * k - 1) + b"\xff"),
            "q.weight_scale_inv": ("F32", [1, 1], words(4, [ONE]))})
        self.faults("--tensor q --act mxint8", x)
        for dtype, bad in (("BF16", b"\x80\x7f"), ("F16", b"\x00\xfe"), ("F32", b"\x00\x00\x80\xff")):
            write_safetensors(self.dir / "w.safetensors", {"q": (dtype, [1, k], bad + bytes((k - 1) * len(bad)))})
            for fmt in ("mxfp4", "mxint8x2"):
                self.faults(f"--tensor q --quantise {fmt} --act mxint8", x)
        self.one_weight(m, k)
        x[1][7] = 0x7FC1_2345
        self.faults("--tensor q --act bf16", x)
        x[1][7] = 0x7F7F_FFFF  # rounds to an infinite BF16
        self.faults("--tensor q --act bf16", x)

    def test_nan_scales_of_a_tensor_or_of_128_by_128_give_nan(self):
        m, k = 8, 32
        x = self.x_rows(2, k)
        raw, scales, _ = self.nvfp4(m, k)
        for name in ("q.weight_scale_2", "q.weight_global_scale"):
            write_safetensors(self.dir / "w.safetensors", {
                "q.weight": ("U8", [m, k // 2], raw), "q.weight_scale": ("F8_E4M3", [m, 2], scales),
                name: ("F32", [1], words(4, [0xFFA0_0001]))})
            self.check("--tensor q --act mxint8", x, [gv.NAN32] * (2 * m))
        write_safetensors(self.dir / "w.safetensors", {
            "q.weight": ("F8_E4M3", [m, k], bytes(m * k)), "q.weight_scale_inv": ("F32", [1, 1], words(4, [0xFFA0_0001]))})
        self.check("--tensor q --act mxint8", x, [gv.NAN32] * (2 * m))


if __name__ == "__main__":
    args = sys.argv[1:]
    if "--seed" in args:
        at = args.index("--seed")
        SEED = int(args[at + 1])
        del args[at:at + 2]
    if not args:
        sys.exit("usage: gemm_layouts_test.py build/tepin [--seed N] [TEST...]")
    TEPIN = str(Path(args[0]).resolve())
    print(f"again: tests/sw/cli/gemm_layouts_test.py {args[0]} --seed {SEED}")
    result = unittest.main(argv=[sys.argv[0], *args[1:]], exit=False).result
    print(f"{checked} values of Y compared")
    if not result.wasSuccessful() or (len(args) == 1 and checked < 8000):
        sys.exit("gemm_layouts_test.py: failed, or compared fewer than 8000 values")
