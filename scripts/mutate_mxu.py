#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate_mxu.py [--count 220] [--seed N] [--list] [--only ID...]: samples single faults of rtl/mxu and runs the unit's tests on each.

A fault is an operator, a constant, a condition or an assignment that goes. All sampled faults are compiled into one copy of
the sources, each behind a number that the environment variable TEPIN_MUTANT selects when the model starts, so six
builds serve all of them (docs/verification.md). Builds and report: build-mutate/mxu/. Exit code 1 if fewer than 95 % are killed.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutate/mxu"
SEED = 20261
FILES = ["cell_pkg", "pkg", "fa", "xnor", "csa", "dot", "acc", "array", "fetch", "store", ""]
SWAP = {"&&": "||", "||": "&&", "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+", "*": "+",
        "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "<<<": ">>>", "%": "/", "/": "%", "!": "", "~": ""}
OPERATOR = re.compile(r"<<<|>>>|<<|>>|&&|\|\||==|!=|<=|>=|\+:|-:|[<>+\-*/%&|^!~]")
NUMBER = re.compile(r"(?<![\w'])(\d*)'(s?[bdh])([0-9a-f_]+)\b|'[01](?!\w)|(?<![\w'.])\d+(?![\w'])")

# Builds: top, prefix, arguments for Verilator, for the compiler, sources of the test, environment.
ARRAY = ["tb/vector_dut.cpp", "tests/rtl/mxu/mxu_array_test.cpp", "tests/rtl/mxu/mxu_dots_test.cpp"]
SMALL = ["-GRows=2", "-GCols=2", "-GGroups=2"]
CELL = "+define+TEPIN_MXU_STRUCTURAL"
BUILDS = {
    "array": ("tb/vector_top.sv", "Vvector_unit", SMALL, [], ARRAY),
    "gates": ("tb/vector_top.sv", "Vvector_unit", [*SMALL, CELL], [], ARRAY),
    "ops16": ("tests/rtl/mxu/mxu_ops_top.sv", "Vmxu_ops", ["-GRows=16"], ["-DTEPIN_OPS_ROWS=16"], ["tests/rtl/mxu/mxu_ops_test.cpp"]),
    "ops4": ("tests/rtl/mxu/mxu_ops_top.sv", "Vmxu_ops", ["-GRows=4"], ["-DTEPIN_OPS_ROWS=4"], ["tests/rtl/mxu/mxu_ops_test.cpp"]),
    "dot": ("tests/rtl/mxu/mxu_dot_top.sv", "Vmxu_dot", [CELL], [], ["tests/rtl/mxu/mxu_dot_test.cpp"]),
    "acc": ("tests/rtl/mxu/mxu_acc_top.sv", "Vmxu_acc", [CELL], [], ["tests/rtl/mxu/mxu_acc_test.cpp"]),
}
ORDER = {  # the builds that a file's faults can reach, the likeliest to notice first
    "cell_pkg": ["gates", "dot"], "pkg": ["array", "gates", "ops16"], "fa": ["gates", "dot"], "xnor": ["gates"],
    "csa": ["gates", "dot"], "dot": ["gates", "dot"], "acc": ["gates", "acc"], "array": ["array", "ops16", "gates", "ops4"],
    "fetch": ["ops16", "ops4"], "store": ["ops16", "ops4"], "": ["ops16", "ops4"],
}
PACKAGE = """package mxu_mutant_pkg;
  import "DPI-C" function int tepin_mutant();
  int id = tepin_mutant();
endpackage
"""
SELECT = '#include <cstdlib>\nextern "C" int tepin_mutant() { const char* t = std::getenv("TEPIN_MUTANT"); return t ? std::atoi(t) : 0; }\n'
ID = "mxu_mutant_pkg::id"


def close(text, at):
    """Index after the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        if depth == 0:
            return i + 1
    sys.exit("mutate_mxu.py: unbalanced brackets")


def mask(text):
    """The text with everything blank that is no run-time expression; same length."""
    out = list(text)

    def blank(a, b):
        for i in range(a, b):
            if out[i] != "\n":
                out[i] = " "

    for m in re.finditer(r"//[^\n]*|/\*.*?\*/|\"[^\"]*\"|^\s*`[a-z]+[^\n]*", text, re.S | re.M):
        blank(m.start(), m.end())
    for pattern in (r"`ASSERT\w*\s*\(", r"\bfor\s*\(", r"#\s*\("):
        for m in re.finditer(pattern, "".join(out)):
            blank(m.start(), close("".join(out), m.end() - 1))
    for m in re.finditer(r"\bif\s*\(", "".join(out)):
        end = close("".join(out), m.end() - 1)
        if re.match(r"\s*begin\s*:\s*gen_", text[end:]):
            blank(m.start(), end)
    for pattern in (r"\bmodule\b.*?\)\s*;", r"\btypedef\b[^;{]*(\{[^}]*\})?[^;]*;", r"\bfunction\b[^;]*;", r"\b(?:localparam|genvar|import)\b[^;]*;",
                    r"(?m)^\s*(?:logic|int|bit|\w+_t|\w+_e)\b(?!\s*')[^;(=]*;"):
        for m in re.finditer(pattern, "".join(out), re.S):
            blank(m.start(), m.end())
    return "".join(out)


def other(number):
    """A neighbouring value in the same notation."""
    if number in ("'0", "'1"):
        return "'1" if number == "'0" else "'0"
    if "'" not in number:
        n = int(number)
        return str(n - 1 if n > 0 else 1)
    size, rest = number.split("'")
    sign = rest.startswith("s")
    base = rest[1 if sign else 0]
    n = int(rest[2 if sign else 1:].replace("_", ""), {"b": 2, "d": 10, "h": 16}[base])
    n = n - 1 if n > 0 else 1
    return f"{size}'{'s' if sign else ''}{base}{n:{'b' if base == 'b' else 'd' if base == 'd' else 'x'}}"


def end_of(m, at):
    """End of the expression from `at` to the semicolon; None if a comma or an assignment pattern is in the way."""
    depth = 0
    for i in range(at, len(m)):
        if m[i] in "([{":
            depth += 1
        elif m[i] in ")]}":
            depth -= 1
        elif depth == 0 and m[i] in ";,":
            return i if m[i] == ";" else None
    return None


def constant_select(m, at):
    """Whether the number at `at` stands where the language wants a constant: [a:b], after +:, before {, in a replication."""
    if re.search(r"[+-]:\s*[\w\s*]*$", m[max(0, at - 30):at]):
        return True
    depth = 0
    for i in range(at - 1, max(0, at - 200), -1):
        if m[i] in ")]}":
            depth += 1
        elif m[i] in "([{":
            if depth == 0 and m[i] == "[":
                inner = m[i:close(m, i)]
                return re.search(r"(?<![+\-?]):", inner) is not None and "?" not in inner
            depth -= depth > 0
        elif m[i] in ";":
            break
    return re.match(r"\d+\s*\{", m[at:]) is not None


def sites(name):
    """Faults of a file: (line, kind, first, last, text for [first, last), what, group) - group: the expression it is a copy of."""
    text = (ROOT / f"rtl/mxu/mxu{'_' if name else ''}{name}.sv").read_text()
    m = mask(text)
    if name == "csa":  # its functions are evaluated when the design is elaborated
        for f in re.finditer(r"\bfunction\b.*?\bendfunction\b", text, re.S):
            m = m[:f.start()] + re.sub(r"[^\n]", " ", m[f.start():f.end()]) + m[f.end():]
    found = []

    def line(at):
        return text.count("\n", 0, at) + 1

    def copies(first, last, with_condition):
        expr = m[first:last]
        if "'{" in expr or not expr.strip():
            return
        group = (first, last)
        if with_condition:
            found.append((line(first), "condition", first, last, f"!({expr})", "negated", group))
            found.append((line(first), "condition", first, last, "1'b1", "true", group))
            found.append((line(first), "condition", first, last, "1'b0", "false", group))
        for o in OPERATOR.finditer(expr):
            op = o[0]
            if op not in SWAP:
                continue
            before = expr[:o.start()].rstrip()
            unary = not before or before[-1] in "([{,?:&|^=<>+-*/%!~" or before.endswith("inside")
            if unary != (op in "!~") and not (op in "&|" and unary):
                continue
            if unary and op in "&|" and op + "x" in SWAP:
                continue
            new = expr[:o.start()] + SWAP[op] + expr[o.end():]
            found.append((line(first + o.start()), "operator", first, last, new, f"{op} -> {SWAP[op] or 'none'}", group))

    statement = re.compile(r"(?:(?<=[;):])|(?<=\bbegin)|(?<=\bend)|(?<=\belse)|(?<=\bassign)|(?<=\balways_comb))\s+"
                           r"(?!if\b|for\b|begin\b|end\b|else\b|return\b|assign\b|case\b|unique\b|automatic\b)"
                           r"(\{[^{}=;]*\}|[a-z_]\w*(?:\[[^;=<]*?\]|\.\w+)*)\s*(<=|=)(?!=)\s*")
    for s in statement.finditer(m):
        last = end_of(m, s.end())
        if last is None:
            continue
        copies(s.end(), last, False)
        assigned = re.search(r"\bassign$", m[:s.start()].rstrip()) or re.search(r"\bassign\s*$", m[max(0, s.start() - 8):s.start(1)])
        if not assigned:
            found.append((line(s.start(1)), "statement", s.start(1), last + 1, None, "no " + " ".join(m[s.start(1):last].split())[:60], None))
    for s in re.finditer(r"\breturn\s+|\bautomatic\s+[\w\s\[\]:]*?\w+\s*=\s*", m):
        last = end_of(m, s.end())
        if last is not None:
            copies(s.end(), last, False)
    for s in re.finditer(r"\bif\s*\(", m):
        copies(s.end(), close(m, s.end() - 1) - 1, True)
    for s in re.finditer(r"\.\w+_i\s*\(", m):
        copies(s.end(), close(m, s.end() - 1) - 1, False)
    for n in NUMBER.finditer(m):
        if re.search(r"gen_\w+\[$", m[:n.start()]):  # a generated instance's number
            continue
        if n[0].strip() and not constant_select(m, n.start()) and not re.match(r"'[({]", m[n.end():]):
            found.append((line(n.start()), "constant", n.start(), n.end(), other(n[0]), f"{n[0]} -> {other(n[0])}", None))
    return [(name, *f) for f in found]


def apply(text, m, chosen):
    """The text with all chosen faults of its file behind their numbers: expressions outside in, so that copies hold copies."""
    edits = {}
    for number, f in chosen:
        edits.setdefault((f[3], f[4]) if f[2] != "statement" else ("s", f[3], f[4]), []).append((number, f))
    inserts = {}  # position: text put there, by nesting

    def insert(at, s, first):
        inserts.setdefault(at, [])
        inserts[at].insert(0, s) if first else inserts[at].append(s)

    replace = {}
    for key, items in sorted(edits.items(), key=lambda e: e[0][-1] - e[0][-2]):  # inner ones first
        if key[0] == "s":
            a, b = key[1], key[2]
            insert(a, f"begin if ({ID} != {items[0][0]}) ", True)
            insert(b, " end", False)
        elif items[0][1][2] == "constant":
            a, b = key
            new = " : ".join(f"{ID} == {n} ? {f[5]}" for n, f in items)
            replace[a] = (b, f"({new} : {text[a:b]})")
        else:
            a, b = key
            one = "".join(f"{ID} == {n} ? ({' '.join(f[5].split())}) : " for n, f in items)
            insert(a, f"({one}(", True)
            insert(b, "))", False)
    out, i = [], 0
    while i <= len(text):
        # What closes at i comes before what opens at i.
        here = inserts.get(i, [])
        out += [s for s in here if s in (" end", "))")]
        out += [s for s in here if s not in (" end", "))")]
        if i == len(text):
            break
        if i in replace:
            b, s = replace[i]
            out.append(s)
            for k in range(i + 1, b):
                assert k not in inserts
            i = b
            continue
        out.append(text[i])
        i += 1
    return "".join(out)


def verilate(name, work):
    """Verilator's complaint, or None."""
    top, prefix, vargs, _, _ = BUILDS[name]
    venv = next((ROOT / ".venv/lib").glob("python3*/site-packages/verilator"))
    rtl = [f for f in (ROOT / "rtl/tepin.f").read_text().split("\n") if re.match(r"rtl/(common|mxu|vpu/vpu_pkg)", f)]
    out = WORK / name
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    done = subprocess.run([str(venv / "bin/verilator_bin"), "--cc", "--prefix", prefix, "--top-module", Path(top).stem, "-O3", "--x-assign",
                           "fast", "--x-initial", "fast", "--no-assert", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--output-split", "30000",
                           "-Mdir", str(out), "+incdir+.", *vargs, "scripts/lint/verilator.vlt", "mxu_mutant_pkg.sv", *rtl, top],
                          cwd=work, env=dict(os.environ, VERILATOR_ROOT=str(venv)), capture_output=True, text=True, timeout=300, check=False)
    return done.stderr if done.returncode else None


def compile_build(name, flags=("-O1",)):
    _, _, _, cflags, tests = BUILDS[name]
    venv = next((ROOT / ".venv/lib").glob("python3*/site-packages/verilator"))
    out = WORK / name
    (out / "mutant_select.cpp").write_text(SELECT)
    objects = []
    sources = [*sorted(out.glob("*.cpp")), *(venv / f"include/verilated{s}.cpp" for s in ("", "_threads", "_dpi")),
               *(ROOT / t for t in tests)]
    for source in sources:
        obj = out / (source.stem + ".o")
        done = subprocess.run([*(["ccache"] if shutil.which("ccache") else []), "g++", "-std=c++20", *flags, "-w", f"-I{ROOT}", f"-I{out}", f"-I{venv}/include",
                               f"-I{venv}/include/vltstd", f'-DTEPIN_VECTORS_DIR="{ROOT}/tests/data/vectors"', *cflags, "-c", str(source),
                               "-o", str(obj)], capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            sys.exit(f"mutate_mxu.py: {source} does not compile:\n{done.stderr[-3000:]}")
        objects.append(str(obj))
    libs = [str(ROOT / f"build/sw/{n}/libtepin_{n}.a") for n in ("golden", "support", "isa")]
    subprocess.run(["g++", *objects, *libs, "-lgtest", "-lgtest_main", "-lfmt", "-lz", "-pthread", "-o", str(out / "test")], check=True,
                   timeout=300)


def passes(name, number, rounds, seconds):
    env = dict(os.environ, TEPIN_MUTANT=str(number))
    if rounds:
        env["TEPIN_ARRAY_ROUNDS"] = str(rounds)
    try:
        return subprocess.run([str(WORK / name / "test"), "--gtest_fail_fast", "--gtest_brief=1"], env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=seconds, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=220)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", type=int, nargs="+")
    args = parser.parse_args()
    begin = time.time()
    faults = [f for name in FILES for f in sites(name)]
    random.Random(args.seed).shuffle(faults)
    print(f"mutate_mxu.py: {len(faults)} faults in rtl/mxu; seed {args.seed}, {args.count} sampled", flush=True)
    chosen, spare, illegal = dict(enumerate(faults[:args.count], 1)), faults[args.count:], []

    def text_of(n):
        name, line, kind, *_, what, _ = chosen[n]
        return f"{n}: rtl/mxu/mxu{'_' if name else ''}{name}.sv:{line}: {kind}: {what}"

    if args.list:
        for n in chosen:
            print(text_of(n))
        return
    work = WORK / "src"
    shutil.rmtree(work, ignore_errors=True)
    for d in ("rtl", "tb", "tests/rtl", "scripts/lint"):
        shutil.copytree(ROOT / d, work / d)
    (work / "mxu_mutant_pkg.sv").write_text(PACKAGE)

    def write():
        for name in FILES:
            path = f"rtl/mxu/mxu{'_' if name else ''}{name}.sv"
            text = (ROOT / path).read_text()
            (work / path).write_text(apply(text, mask(text), [(n, f) for n, f in chosen.items() if f[0] == name]))

    write()
    for name in BUILDS:
        for _ in range(40):
            error = verilate(name, work)
            if error is None:
                break
            at = re.findall(r"%Error[^:\n]*: (?:\S*/)?rtl/mxu/mxu_?(\w*)\.sv:(\d+):", error)
            hit = [n for n, f in chosen.items() if any(f[0] == a and abs(f[1] - int(b)) <= 0 for a, b in at)]
            if not hit:
                hit = [n for n, f in chosen.items() if any(f[0] == a and f[1] <= int(b) <= f[1] + 12 for a, b in at)][:1]
            if not hit:
                sys.exit(f"mutate_mxu.py: {name} does not verilate:\n{error[:3000]}")
            for n in hit:
                illegal.append(text_of(n))
                chosen[n] = spare.pop(0)
            write()
        else:
            sys.exit(f"mutate_mxu.py: {name}: too many faults do not verilate:\n{error[:2000]}")
    # Replaced faults may trouble an earlier build.
    for name in BUILDS:
        error = verilate(name, work) if illegal else None
        if error:
            sys.exit(f"mutate_mxu.py: {name} does not verilate:\n{error[:2000]}")
        compile_build(name)
        if not passes(name, 0, 10, 300):
            sys.exit(f"mutate_mxu.py: {name}: the tests fail without a fault")
        print(f"mutate_mxu.py: {name} built, passes without a fault ({time.time() - begin:.0f} s)", flush=True)
    survivors, by_build = [], {}
    for n in args.only or chosen:
        for name, rounds in [*((b, 10) for b in ORDER[chosen[n][0]]), *((b, 100) for b in ORDER[chosen[n][0]] if b == "array")]:
            if not passes(name, n, rounds, 60):
                by_build[name] = by_build.get(name, 0) + 1
                break
        else:
            survivors.append(n)
            print(f"survives: {text_of(n)}", flush=True)
    total = len(args.only or chosen)
    lines = [f"{total - len(survivors)} of {total} faults killed ({100 * (total - len(survivors)) / total:.1f} %), seed {args.seed}, "
             f"{time.time() - begin:.0f} s; by " + ", ".join(f"{k} {v}" for k, v in by_build.items())]
    lines += [f"survives: {text_of(n)}" for n in survivors] + [f"no legal design: {t}" for t in illegal]
    (WORK / "report.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    sys.exit(0 if len(survivors) <= total * 0.05 else 1)


if __name__ == "__main__":
    main()
