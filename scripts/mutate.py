#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants single faults in a copy of the RTL and checks that the tests notice each: rounding, semaphores, addresses, and more.

mutate.py [--list] [NAME...]   The copy and its build are in build-mutate/; nothing else is touched. Exit code 1 if one survives.
"""
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutate"

# name: (file, text as it stands, text with the fault, ctest expression of the tests that must fail)
MUTANTS = {
    "rounding_tie": ("rtl/mxu/mxu_pkg.sv", "(half[30:0] != '0 || mant[0])", "(half[30:0] != '0)", "rtl_arithmetic|rtl_engines"),
    "sticky_bit": ("rtl/mxu/mxu_pkg.sv", "moved[0] = 1'b1;", "moved[0] = moved[0];", "rtl_arithmetic"),
    "exact_zero_sign": ("rtl/mxu/mxu_pkg.sv", "if (res == '0) r.sign = 1'b0;", "", "rtl_arithmetic"),
    "quantise_tie": ("rtl/vpu/vpu_pkg.sv", "(below[22:0] != '0 || q[0])", "(below[22:0] != '0 || !q[0])", "rtl_arithmetic"),
    "semaphore_take": ("rtl/seq/seq_sems.sv", "if (t && top.sem1 == s)", "if (1'b0 && top.sem1 == s)", "rtl_cells"),
    "semaphore_wait": ("rtl/seq/seq_queue.sv", "out_valid_o  = head_valid && (!needs_wait || granted_q)", "out_valid_o  = head_valid", "rtl_cells"),
    "address_bit": ("rtl/mxu/mxu_fetch.sv", "w_addr_q <= w_addr_q + Rows * 16;", "w_addr_q <= (w_addr_q + Rows * 16) & ~32'h400;", "kernel_test|random_program"),
    "burst_address": ("rtl/dma/dma_gen.sv", "row_q <= row_q + 17'd8;", "row_q <= row_q + 17'd9;", "rtl_cells"),
    "write_order": ("rtl/dma/dma_slots.sv", "overlap = 1'b1;", "overlap = 1'b0;", "rtl_cells"),
    "post_before_response": ("rtl/dma/dma_st.sv", "close[p]      = b_valid_s && !b.id[4];", "close[p]      = w_valid_o[p] && w_ready_i[p] && w_o[p].last;", "random_program|rtl_engines"),
    "join_not_held": ("rtl/noc/noc_up.sv", ": held_q[to[g]])", ": 1'b0)", "rtl_noc_coll"),
}


def run(args, **kw):
    return subprocess.run(args, cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or list(MUTANTS)
    unknown = [n for n in names if n not in MUTANTS]
    if unknown:
        sys.exit(f"mutate.py: no mutant {unknown[0]}; there are {', '.join(MUTANTS)}")
    if "--list" in sys.argv:
        print("\n".join(MUTANTS))
        return
    WORK.mkdir(exist_ok=True)
    for d in ("rtl", "tb", "sw", "tests", "cmake", "scripts", "models"):
        shutil.copytree(ROOT / d, WORK / d, dirs_exist_ok=True)
    shutil.copy(ROOT / "CMakeLists.txt", WORK)
    if not (WORK / ".venv").exists():
        (WORK / ".venv").symlink_to(ROOT / ".venv")
    survivors = 0
    subprocess.run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTEPIN_TESTS=rtl;tb"],
                   cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    for name in names:
        file, old, new, tests = MUTANTS[name]
        text = (ROOT / file).read_text()
        if text.count(old) != 1:
            sys.exit(f"mutate.py: {name}: {file} holds the text {text.count(old)} times, expected once")
        (WORK / file).write_text(text.replace(old, new))
        build = run(["cmake", "--build", "build", "-j", "2"])
        if build.returncode != 0:
            sys.exit(f"mutate.py: {name} does not build:\n{build.stdout[-2000:]}")
        test = run(["ctest", "--test-dir", "build", "-R", tests, "-LE", "regress", "--stop-on-failure", "-j", "2"])
        killed = test.returncode != 0 and "No tests were found" not in test.stdout
        survivors += not killed
        print(f"{name}: {'killed' if killed else 'SURVIVED'} ({tests})", flush=True)
        (WORK / file).write_text(text)
    print(f"{len(names) - survivors} of {len(names)} mutants killed")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
