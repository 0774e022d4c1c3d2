#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verilates one top into a fixed set of C++ files, changing on disk only what differs (cmake/TepinVerilate.cmake calls it).

  OUT/include/*.h, OUT/src/*.cpp       Verilator's files
  OUT/fast_K.cpp, OUT/slow_K.cpp       units that include them, each with the SHA-256 of all that it includes
  OUT/runtime/NAME.cpp                 includes Verilator's runtime file NAME.cpp if this model needs it, else is empty
  OUT/verilate.d, OUT/verilate.stamp   dependency file and the output that is always renewed

The number and names of the units do not depend on the design, so the build system knows them before Verilator has run.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

# Runtime files that every model of a kind needs; the build system compiles them itself.
ALWAYS = {"verilated", "verilated_threads", "verilated_fst_c", "verilated_cov"}
DESIGN = ["verilated_dpi", "verilated_random", "verilated_timing", "verilated_probdist"]


def write_if_changed(path, data):
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def units(files, count):
    """Deals files to `count` units, the largest first to the smallest unit."""
    deal = [[] for _ in range(count)]
    size = [0] * count
    for f in sorted(files, key=lambda f: (-f.stat().st_size, f.name)):
        k = size.index(min(size))
        deal[k].append(f)
        size[k] += f.stat().st_size
    return [sorted(d) for d in deal]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--root", required=True, help="VERILATOR_ROOT: the folder that holds bin/verilator_bin")
    p.add_argument("--out", required=True, type=Path)
    p.add_argument("--prefix", required=True)
    p.add_argument("--fast-units", type=int, default=6)
    p.add_argument("--slow-units", type=int, default=2)
    p.add_argument("rest", nargs="+", help="arguments and sources for verilator_bin, after --")
    a = p.parse_args()

    root = Path(a.root).resolve()
    scratch = a.out / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    for f in scratch.iterdir():
        f.unlink()
    cmd = [str(root / "bin/verilator_bin"), "--cc", "--MMD", "--make", "json", "--quiet", "--prefix", a.prefix,
           "-Mdir", str(scratch), *a.rest]
    run = subprocess.run(cmd, env=dict(os.environ, VERILATOR_ROOT=str(root)))
    if run.returncode != 0:
        sys.exit(f"verilate.py: verilating {a.prefix} failed; the command was: {' '.join(cmd)}")
    info = json.loads((scratch / f"{a.prefix}.json").read_text())
    src = info["sources"]

    # Headers and sources, those that are gone removed.
    want = {}
    for f in scratch.iterdir():
        if f.suffix in (".h", ".cpp"):
            want[a.out / ("include" if f.suffix == ".h" else "src") / f.name] = f
    for folder in ("include", "src"):
        (a.out / folder).mkdir(exist_ok=True)
        for old in (a.out / folder).iterdir():
            if old not in want:
                old.unlink()
    for path, f in want.items():
        write_if_changed(path, f.read_bytes())

    headers = hashlib.sha256()
    for f in sorted(scratch.glob("*.h")):
        headers.update(f.name.encode() + f.read_bytes())
    for kind, count in (("fast", a.fast_units), ("slow", a.slow_units)):
        files = [scratch / Path(f).name for f in src.get(f"classes_{kind}", []) + src.get(f"support_{kind}", [])]
        for k, unit in enumerate(units(files, count)):
            h = headers.copy()
            for f in unit:
                h.update(f.name.encode() + f.read_bytes())
            lines = [f"// Unit {k} ({kind}) of {a.prefix}, SHA-256 of what it includes: {h.hexdigest()}"]
            lines += [f'#include "src/{f.name}"' for f in unit]
            write_if_changed(a.out / f"{kind}_{k}.cpp", ("\n".join(lines) + "\n").encode())
    needed = {Path(f).stem for f in src["global"]}
    unknown = needed - ALWAYS - set(DESIGN)
    if unknown:
        sys.exit(f"verilate.py: {a.prefix} needs runtime files that this script does not know: {sorted(unknown)}")
    for name in DESIGN:
        text = f"#include <{name}.cpp>\n" if name in needed else f"// {a.prefix} does not need {name}.cpp.\n"
        write_if_changed(a.out / "runtime" / f"{name}.cpp", text.encode())

    stamp = a.out / "verilate.stamp"
    words = [str(stamp) + ":"] + [d for d in src["deps"] if not d.startswith("/proc/")]
    (a.out / "verilate.d").write_text(" ".join(w.replace(" ", "\\ ") for w in words) + "\n")
    stamp.write_text("")


if __name__ == "__main__":
    main()
