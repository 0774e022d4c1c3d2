#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes fresh test vectors of the arithmetic, laid out as tests/data/vectors, for `tepin vectors`.

  scripts/gen_vectors.py --seed 7 --out DIR

All arithmetic is on exact rationals, from docs/numerics.md alone: a code is found by search among the values of all codes,
a rounding is Fraction's own round to even. Nothing is shared with the golden model. Needs no package; about five seconds.
"""
import argparse
import array
import json
import random
import sys
from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

NAN32, INF32, SIGN32 = 0x7FC00000, 0x7F800000, 0x80000000
NAN, INF = "nan", "inf"  # of elements; an infinite element is only ever looked at for not being finite
BLOCK = 32


@lru_cache(maxsize=None)
def pow2(e):
    return Fraction(2) ** e


def floor_log2(x):
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if pow2(e) <= x else e - 1


def ceil_log2(x):
    e = floor_log2(x)
    return e if pow2(e) == x else e + 1


class Float:
    """A binary format: all values of codes without sign, in order; `bits` of a code, mantissa bits `man`."""

    def __init__(self, bits, exp, man, bias, special):
        self.bits, self.man, self.sign = bits, man, 1 << (bits - 1)
        self.magnitudes = []  # Fraction, NAN or INF, by code
        for code in range(self.sign):
            e, m = code >> man, code & ((1 << man) - 1)
            v = m * pow2(1 - bias - man) if e == 0 else (m + (1 << man)) * pow2(e - bias - man)
            self.magnitudes.append(special(code, v))
        self.values = [v for v in self.magnitudes if isinstance(v, Fraction)]
        self.largest, self.emax = self.values[-1], floor_log2(self.values[-1])

    def decode(self, code):
        v = self.magnitudes[code & (self.sign - 1)]
        return -v if code & self.sign and isinstance(v, Fraction) else v

    def encode(self, x, negative):
        """Nearest code, ties to the even one, saturating."""
        x = abs(x)
        i = bisect_right(self.values, x) - 1
        if i + 1 < len(self.values):
            middle = (self.values[i] + self.values[i + 1]) / 2
            if x > middle or (x == middle and i % 2 == 1):
                i += 1
        return i | (self.sign if negative else 0)

    def not_finite(self, nan, negative):
        """A lone NaN or infinity, without a scale: NaN where there is one (0x7f), else the largest value."""
        top = 0x7F if nan and NAN in self.magnitudes else len(self.values) - 1
        return top | (self.sign if negative else 0)


class Int8:
    bits, man, emax, largest, sign = 8, 6, 0, Fraction(127, 64), 0x80
    values = [Fraction(i, 64) for i in range(128)]

    def decode(self, code):
        return Fraction(code - 256 if code & 0x80 else code, 64)

    def encode(self, x, negative):
        return max(-127, min(127, round(x * 64))) & 0xFF


ELEMS = {
    "e2m1": Float(4, 2, 1, 1, lambda c, v: v),
    "e4m3": Float(8, 4, 3, 7, lambda c, v: NAN if c == 0x7F else v),
    "int8": Int8(),
    "e5m2": Float(8, 5, 2, 15, lambda c, v: v if c < 0x7C else INF if c == 0x7C else NAN),
    "e2m3": Float(6, 2, 3, 1, lambda c, v: v),
    "e3m2": Float(6, 3, 2, 3, lambda c, v: v),
}
FLOATS = [n for n in ELEMS if n != "int8"]


# --- FP32, BF16, E8M0 -------------------------------------------------------------------------------------------------
def fp32(bits):
    """The value of finite bits."""
    e, m = bits >> 23 & 255, bits & 0x7FFFFF
    v = m * pow2(-149) if e == 0 else (m + (1 << 23)) * pow2(e - 150)
    return -v if bits & SIGN32 else v


def is_nan(bits):
    return bits & 0x7FFFFFFF > INF32


def is_finite(bits):
    return bits & INF32 != INF32


def round_float(x, man):
    """Bits of |x| in a format of 8 exponent bits, bias 127: nearest even, subnormals, overflow to infinity."""
    x = abs(x)
    if x == 0:
        return 0
    e = max(floor_log2(x), -126)
    # `n` counts from the first code of the exponent; a carry runs into the next exponent by itself.
    n = round(x / pow2(e - man))
    return min(((e + 126) << man) + n, 255 << man)


def to_fp32(x):
    return round_float(x, 23) | (SIGN32 if x < 0 else 0)


def to_bf16(bits):
    if is_nan(bits):
        return 0x7FC0
    sign = bits >> 16 & 0x8000
    return sign | (round_float(fp32(bits), 7) if is_finite(bits) else 0x7F80)


def mul32(a, b):
    if is_nan(a) or is_nan(b):
        return NAN32
    sign = (a ^ b) & SIGN32
    if not (is_finite(a) and is_finite(b)):
        return NAN32 if 0 in (a & ~SIGN32, b & ~SIGN32) else sign | INF32
    return sign | round_float(fp32(a) * fp32(b), 23)


def scale_value(byte):
    return None if byte == 0xFF else pow2(byte - 127)


# --- blocks -----------------------------------------------------------------------------------------------------------
def scale_byte(f, largest, rule):
    """Of a block whose largest magnitude is finite (docs/numerics.md, 1)."""
    if largest == 0:
        return 0
    if rule == "floor":
        e = floor_log2(largest) - f.emax
    elif rule == "even":  # half of the element's last place is added; places of FP32 subnormals are those of 2^-126
        e = floor_log2(largest + pow2(max(floor_log2(largest), -126) - f.man - 1)) - f.emax
    elif rule == "rceil":
        e = ceil_log2(largest / f.largest)
    else:
        e = ceil_log2(largest) - f.emax
    return max(-127, min(127, e)) + 127


def quantise(f, bits, values, rule="floor"):
    if values is None:
        return 0xFF, [0] * BLOCK
    s = scale_byte(f, max(map(abs, values)), rule)
    x = pow2(s - 127)
    return s, [f.encode(v / x, bool(b & SIGN32)) for b, v in zip(bits, values)]


def values_of(bits):
    """None if one is not finite."""
    return [fp32(b) for b in bits] if all(map(is_finite, bits)) else None


def dequantise(f, scale, code):
    v = f.decode(code)
    if scale == 0xFF or v == NAN:
        return NAN32
    sign = SIGN32 if code & f.sign else 0
    return sign | (INF32 if v == INF else round_float(v * pow2(scale - 127), 23))


# --- dots -------------------------------------------------------------------------------------------------------------
def operand(elem, block):
    """32 exact values, or None if a scale or an element is not finite."""
    if elem == "nvfp4":
        scales = [ELEMS["e4m3"].decode(s) for s in block["scales"]]
        if NAN in scales:
            return None
        return [ELEMS["e2m1"].decode(c) * scales[i // 16] for i, c in enumerate(block["codes"])]
    if elem == "int4g32":
        bits = int(block["scale_bf16"], 16) << 16
        return [c * fp32(bits) for c in block["codes"]] if is_finite(bits) else None
    s, values = scale_value(block["scale"]), [ELEMS[elem].decode(c) for c in block["codes"]]
    return None if s is None or not all(isinstance(v, Fraction) for v in values) else [v * s for v in values]


def per_block(fa, a, fb, b):
    acc = 0
    for x, y in zip(a, b):
        x, y = operand(fa, x), operand(fb, y)
        if x is None or y is None or is_nan(acc):
            acc = NAN32
        elif is_finite(acc):
            acc = to_fp32(fp32(acc) + sum((p * q for p, q in zip(x, y)), Fraction(0)))
    return acc


class Dots:
    """Cases of one pair of formats. `one` is a code of value 1 under the neutral scale of its format."""

    def __init__(self, rng, fa, fb):
        self.rng, self.fa, self.fb = rng, fa, fb
        self.cases = []

    def code(self, elem):
        """Random, finite."""
        if elem == "int4g32":
            return self.rng.randint(-8, 7)
        f = ELEMS["e2m1" if elem == "nvfp4" else elem]
        while True:
            c = self.rng.randrange(1 << f.bits)
            if isinstance(f.decode(c), Fraction):
                return c

    def block(self, elem, codes=None, scale=None, centre=127, spread=4):
        """scale: E8M0 byte, pair of E4M3 codes or BF16 bits, by format; else random around the centre."""
        codes = codes if codes is not None else [self.code(elem) for _ in range(BLOCK)]
        e = max(0, min(254, centre + self.rng.randint(-spread, spread)))
        if elem == "nvfp4":
            return {"scales": list(scale) if scale else [self.code("e4m3") for _ in "ab"], "codes": codes}
        if elem == "int4g32":
            bits = scale if scale is not None else e << 7 | self.rng.randrange(128) | self.rng.choice((0, 0x8000))
            return {"scale_bf16": f"{bits:04x}", "codes": codes}
        return {"scale": scale if scale is not None else e, "codes": codes}

    def act(self, **kw):
        return self.block(self.fa, **kw)

    def weight(self, **kw):
        return self.block(self.fb, **kw)

    def add(self, name, a, b):
        c = {"name": f"{self.fa}x{self.fb} {name}", "fa": self.fa, "fb": self.fb, "a": a, "b": b}
        c["fp32_per_block"] = f"{(acc := per_block(self.fa, a, self.fb, b)):08x}"
        if self.fb == "nvfp4" and self.rng.random() < 0.8:
            # mostly a plausible tensor scale, sometimes any bits
            ts = self.rng.randrange(1 << 32) if self.rng.random() < 0.3 else 0x38000000 + self.rng.randrange(1 << 27)
            c["tensor_scale"], c["fp32_scaled"] = f"{ts:08x}", f"{mul32(acc, ts):08x}"
        self.cases.append(c)

    def random(self):
        for i, n in enumerate((1, 1, 2, 5, 24, self.rng.randint(25, 90))):
            self.add(f"random {i}", [self.act() for _ in range(n)], [self.weight() for _ in range(n)])
        for i in range(3):
            centre = self.rng.randint(0, 254)
            self.add(f"any scale {i}", [self.act(centre=centre, spread=20) for _ in range(8)],
                     [self.weight(centre=254 - centre, spread=20) for _ in range(8)])
            self.add(f"wide {i}", [self.act(spread=127) for _ in range(9)], [self.weight(spread=127) for _ in range(9)])

    # A weight block of one value 1 (or what is nearest to it for all formats), an activation block alike.
    def unit(self, elem, negative=False, at=0):
        one = {"e2m1": 2, "e2m3": 8, "e3m2": 12, "e4m3": 0x38, "e5m2": 0x3C, "int8": 0x40, "nvfp4": 2, "int4g32": 1}[elem]
        if negative:
            f = ELEMS.get("e2m1" if elem == "nvfp4" else elem)
            one = -1 if f is None else 0xC0 if elem == "int8" else one | f.sign
        return [one if i == at else 0 for i in range(BLOCK)]

    def neutral(self):
        return {"nvfp4": (0x38, 0x38), "int4g32": 0x3F80}.get(self.fb, 127)

    def sums(self, name, terms):
        """Adds sign * 2^e for (sign, e) in turn."""
        w = [self.weight(codes=self.unit(self.fb), scale=self.neutral()) for _ in terms]
        self.add(name, [self.act(codes=self.unit(self.fa, s < 0), scale=127 + e) for s, e in terms], w)

    def roundings(self):
        self.sums("tie to even", [(1, 24), (1, 0)])
        self.sums("tie up", [(1, 24), (1, 1), (1, 0)])
        self.sums("tie of a negative sum", [(-1, 24), (-1, 1), (-1, 0)])
        self.sums("just above a tie", [(1, 24), (1, 1), (1, -20), (1, 0), (1, -23)])
        self.sums("exact zero", [(1, 3), (-1, 3)])
        self.sums("cancels to the last bit", [(1, 23), (1, 0), (-1, 23)])
        self.sums("largest, then half a place", [(1, 127), (1, 102), (-1, 103), (1, 127)])
        self.sums("far below", [(1, 100), (-1, -127), (1, -100)])
        low = self.weight(codes=self.unit(self.fb, True), scale={"nvfp4": (1, 1), "int4g32": 0x0001}.get(self.fb, 0))
        for i, s in enumerate((0, 1, 20, 100, 104, 105, 106, 126)):
            self.add(f"towards zero from below {i}", [self.act(codes=self.unit(self.fa), scale=s)], [low])
        self.add("subnormal sums", [self.act(centre=4) for _ in range(12)],
                 [self.weight(centre=110, spread=12) for _ in range(12)])

    def cancel(self):
        a, b = [self.act(spread=1) for _ in range(3)], [self.weight() for _ in range(3)]
        if self.fa == "int8":
            a = [{**x, "codes": [0x81 if c == 0x80 else c for c in x["codes"]]} for x in a]
        flip = [{**x, "codes": [-c & 0xFF if self.fa == "int8" else c ^ ELEMS[self.fa].sign for c in x["codes"]]} for x in a]
        self.add("block and its negative", [a[0], flip[0]], [b[0], b[0]])
        self.add("sums cancel across blocks", a + flip[::-1], b + b[::-1])
        self.add("remainder after cancellation", [a[0], a[1], flip[0]], [b[0], b[1], b[0]])

    def extremes(self):
        largest = {"int4g32": -8, "int8": 0x80}
        top = lambda e: [largest[e] if e in largest else len(ELEMS["e2m1" if e == "nvfp4" else e].values) - 1] * BLOCK
        huge = {"nvfp4": (0x7E, 0x7E), "int4g32": 0x7F7F}.get(self.fb, 254)
        self.add("largest codes", [self.act(codes=top(self.fa), scale=127)],
                 [self.weight(codes=top(self.fb), scale=self.neutral())])
        self.add("largest against smallest", [self.act(codes=[top(self.fa)[0], 1] * 16, scale=127)],
                 [self.weight(codes=[1, top(self.fb)[0]] * 16, scale=self.neutral())])
        a, b = self.act(codes=top(self.fa), scale=254), self.weight(codes=top(self.fb), scale=huge)
        minus = self.weight(codes=self.unit(self.fb, True), scale=huge)
        self.add("overflow stays", [a, a, self.act()], [b, minus, self.weight()])
        lowest = self.weight(codes=[0xF] * BLOCK, scale=huge) if self.fb == "nvfp4" else minus
        self.add("negative overflow stays", [a, a], [lowest, b])
        self.add("NaN after overflow", [a, self.act(scale=0xFF), a], [b, self.weight(), b])
        least = {"nvfp4": (0x01, 0x81), "int4g32": 0x0001}.get(self.fb, 0)
        self.add("least scales", [self.act(scale=0)] * 2, [self.weight(scale=least)] * 2)

    def specials(self):
        a, b = [self.act() for _ in range(3)], [self.weight() for _ in range(3)]
        self.add("NaN scale of activations", [a[0], self.act(scale=0xFF), a[2]], b)
        bad = {"nvfp4": (0x7F, 0x38), "int4g32": self.rng.choice((0x7F80, 0xFF80, 0x7FC0, 0xFFFF))}.get(self.fb, 0xFF)
        self.add("NaN scale of weights", a, [b[0], b[1], self.weight(scale=bad)])
        if self.fb == "nvfp4":
            self.add("NaN scale of the second half", a[:1], [self.weight(scale=(0x38, 0xFF))])
            for i, s in enumerate(((0x01, 0x7E), (0xFE, 0x01), (0x81, 0x07), (0x00, 0xB8), (0x80, 0x80), (0xC0, 0x40))):
                self.add(f"halves {i}", a, [self.weight(scale=s) for _ in a])
        if self.fb == "int4g32":
            for i, s in enumerate((0x0000, 0x8000, 0x0001, 0x807F, 0x0080, 0xBF80, 0x7F7F, 0x3FFF)):
                self.add(f"scale {i}", a, [self.weight(scale=s) for _ in a])
        for side, elem in (("activation", self.fa), ("weight", self.fb)):
            for code in (0x7C, 0xFC, 0x7D, 0x7F, 0xFF):
                if elem not in ("e4m3", "e5m2") or isinstance(ELEMS[elem].decode(code), Fraction):
                    continue
                x = self.block(elem)
                x["codes"][self.rng.randrange(BLOCK)] = code
                blocks = [x, self.block(elem)]
                other = [self.block(self.fb if side == "activation" else self.fa, codes=[0] * BLOCK) for _ in blocks]
                self.add(f"{side} code {code:#x}", *((blocks, other) if side == "activation" else (other, blocks)))
        self.add("zeros", [self.act(codes=[0] * BLOCK)] * 2, b[:2])

    def all(self):
        self.random()
        self.roundings()
        self.cancel()
        self.extremes()
        self.specials()
        return self.cases


# --- files ------------------------------------------------------------------------------------------------------------
def write_npy(path, kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)


def little32(words):
    a = array.array("I", words)
    if sys.byteorder == "big":
        a.byteswap()
    return a.tobytes()


def write_tables(out):
    rows = ["format,code_hex,fp32_bits_hex"]
    rows += [f"{n},{c:02x},{dequantise(f, 127, c):08x}" for n, f in ELEMS.items() for c in range(1 << f.bits)]
    (out / "elem_decode.csv").write_text("\n".join(rows) + "\n")
    rows = ["code_hex,fp32_bits_hex"] + [f"{s:02x},{NAN32 if s == 255 else to_fp32(pow2(s - 127)):08x}" for s in range(256)]
    (out / "e8m0_decode.csv").write_text("\n".join(rows) + "\n")
    rows = ["scale_hex,code_hex,fp32_bits,bf16_bits_rne"]
    for s in range(256):
        for c in range(16):
            v = dequantise(ELEMS["e2m1"], s, c)
            rows.append(f"{s:02x},{c:x},{v:08x},{to_bf16(v):04x}")
    (out / "mxfp4_dequant_all.csv").write_text("\n".join(rows) + "\n")


def convert(f, bits):
    """Without a scale."""
    return f.encode(fp32(bits), bool(bits & SIGN32)) if is_finite(bits) else f.not_finite(is_nan(bits), bool(bits & SIGN32))


def write_conversions(rng, out):
    rows = ["format,fp32_bits_hex,rne(OCP)"]
    for name in FLOATS:
        f = ELEMS[name]
        points = {to_fp32(v) for v in f.values} | {to_fp32((v + w) / 2) for v, w in zip(f.values, f.values[1:])}
        points |= {to_fp32(f.largest + (f.values[-1] - f.values[-2]) / 2), 1, INF32 - 1}
        near = {p + d for p in points for d in (-1, 0, 1) if 0 <= p + d < INF32}
        near |= {rng.randrange(INF32) for _ in range(40)}
        near |= {to_fp32(f.largest * Fraction(rng.randrange(1, 1 << 20), 1 << 19)) for _ in range(200)}
        rows += [f"{name},{b:08x},{convert(f, b):02x}" for p in sorted(near) for b in (p, p | SIGN32)]
        # All BF16 values.
        half = [convert(f, b << 16) for b in range(0x8000)]
        write_npy(out / f"bf16_to_{name}_rne_sat.npy", "|u1", [65536], bytes(half + [c | f.sign for c in half]))
    (out / "fp32_to_elem_boundaries.csv").write_text("\n".join(rows) + "\n")


def random_bits(rng, exponent, spread, few=False):
    e = max(0, min(254, exponent + rng.randint(-spread, spread)))
    return rng.choice((0, SIGN32)) | e << 23 | (rng.randrange(16) << 19 if few else rng.randrange(1 << 23))


def edge_blocks(rng):
    """(name, 32 FP32 bits)"""
    yield "all zero", [0] * BLOCK
    yield "zeros of both signs", [0, SIGN32] * 16
    yield "ones", [0x3F800000] * BLOCK
    yield "least subnormals", [1, SIGN32 | 1] + [0] * 30
    yield "largest subnormal", [0x7FFFFF] + [rng.randrange(1 << 23) for _ in range(31)]
    yield "largest number", [INF32 - 1, SIGN32 | INF32 - 1] + [random_bits(rng, 240, 14) for _ in range(30)]
    yield "one outlier", [0x4B000000] + [random_bits(rng, 120, 3) for _ in range(31)]
    for name, bad in (("infinity", INF32), ("-infinity", SIGN32 | INF32), ("NaN", NAN32), ("NaN of any payload", 0xFFA00001)):
        x = [random_bits(rng, 127, 3) for _ in range(BLOCK)]
        x[rng.randrange(BLOCK)] = bad
        yield name, x
    for e in (1, 2, 27, 100, 119, 127, 135, 200, 253, 254):
        for bits in (e << 23, (e << 23) - 1, (e << 23) + 1):
            yield f"largest {bits:08x}", [bits] + [rng.randrange(bits + 1) for _ in range(31)]
    for n, f in ELEMS.items():  # about the thresholds of every rule
        k = rng.randint(-100, 100)
        threshold = f.largest + (f.values[-1] - f.values[-2]) / 2
        for v in (f.largest, threshold, pow2(f.emax + 1) - pow2(f.emax - f.man - 1)):
            for d in (-1, 0, 1):
                bits = to_fp32(v * pow2(k)) + d
                yield f"threshold of {n} {bits:08x}", [bits | SIGN32] + [rng.randrange(bits + 1) for _ in range(31)]
    for i in range(30):
        e, spread = rng.randint(0, 254), rng.choice((0, 2, 8, 40))
        yield f"random {i}", [random_bits(rng, e, spread, i % 3 == 0) for _ in range(BLOCK)]


def write_blocks(rng, out):
    cases = []
    for name, x in edge_blocks(rng):
        values, result = values_of(x), {}
        for n, f in ELEMS.items():
            s, codes = quantise(f, x, values)
            o = {"scale": s, "codes": codes, "deq": [f"{dequantise(f, s, c):08x}" for c in codes]}
            if f.bits == 4:
                o["packed_ocp"] = bytes(a | b << 4 for a, b in zip(codes[::2], codes[1::2])).hex()
            largest = max(map(abs, values)) if values else None
            rules = ("floor", "even", "ceil", "rceil")
            o["scale_by_mode"] = {r: scale_byte(f, largest, r) if values else 0xFF for r in rules}
            result[n] = o
        cases.append({"name": name, "x": [f"{b:08x}" for b in x], "out": result})
    (out / "mx_blocks.json").write_text(json.dumps({"cases": cases}))


def write_random(rng, out, blocks=500):
    x = []
    for i in range(blocks):
        e, spread = rng.choice((127, 127, rng.randint(0, 254))), rng.choice((1, 3, 8, 30))
        x.append([random_bits(rng, e, spread, i % 4 == 0) for _ in range(BLOCK)])
        if i % 50 == 0:
            x[-1][rng.randrange(BLOCK)] = rng.choice((INF32, NAN32))
    write_npy(out / "rand_x.npy", "<f4", [blocks, BLOCK], little32(b for row in x for b in row))
    values = [values_of(row) for row in x]
    for n, f in ELEMS.items():
        q = [quantise(f, row, v) for row, v in zip(x, values)]
        write_npy(out / f"rand_{n}_scale.npy", "|u1", [blocks], bytes(s for s, _ in q))
        write_npy(out / f"rand_{n}_codes.npy", "|u1", [blocks, BLOCK], bytes(c for _, codes in q for c in codes))


def write_dots(rng, out):
    cases = [c for fa in ELEMS for fb in (*ELEMS, "nvfp4", "int4g32") for c in Dots(rng, fa, fb).all()]
    (out / "mx_dots.json").write_text(json.dumps({"cases": cases}))


def main():
    p = argparse.ArgumentParser(description="Makes fresh test vectors of the arithmetic for `tepin vectors`.")
    p.add_argument("--seed", type=int, required=True, help="any whole number")
    p.add_argument("--out", type=Path, required=True, help="folder; it is made if it does not exist")
    args = p.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(args.seed)
    write_tables(args.out)
    write_conversions(rng, args.out)
    write_blocks(rng, args.out)
    write_random(rng, args.out)
    write_dots(rng, args.out)


if __name__ == "__main__":
    main()
