#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""goals_test.py TEPIN [--seed N]: the controller's bandwidth and latency on the generator's traces stay at their goals (docs/hbm.md).

Clocks, not seconds: the same on every machine. Replay: goals_test.py build/tepin --seed N.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Fraction of the pins at 8 Gb/s with two stack IDs, at 10 Gb/s with three.
GOALS = {"a_seq_read": (.99, .99), "b_seq_w10": (.96, .95), "b_seq_w50": (.87, .83), "d_rand32": (.23, .18), "d_rand64": (.46, .36),
         "e_rand256": (.88, .81), "e_rand512": (.95, .92), "g_llm_decode": (.965, .94)}
DECODE_P99_NS, DECODE_P99_80_NS = 460, 400

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("tepin")
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()


def bench(folder, names, *arguments):
    traces = [a for n in names for a in ("--trace", f"{folder}/{n}.trace")]
    done = subprocess.run([options.tepin, "bench", "hbm", *traces, "--json", *arguments], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"tepin bench hbm: exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    return report.get("rows", [report])


failures = 0


def check(what, actual, bound, least):
    global failures
    good = actual >= bound if least else actual <= bound
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {what}: {actual:.3f}, {'at least' if least else 'at most'} {bound}")


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, str(ROOT / "scripts/gen_traces.py"), folder, "100000", str(options.seed)], check=True)
    for column, speed in enumerate(("8000", "10000")):
        for name, row in zip(GOALS, bench(folder, GOALS, "--speed", speed)):
            check(f"{speed} {name}", row["bandwidth_frac"], GOALS[name][column], True)
            assert row["violations"] == 0 and row["data_mismatches"] == 0 and row["requests"] == 100000
            if name == "g_llm_decode" and speed == "8000":
                check("8000 g_llm_decode p99, ns", row["p99_ns"], DECODE_P99_NS, False)
                rate = .8 * 32 * row["bandwidth_frac"] * row["clock_ghz"]
    row = bench(folder, ["g_llm_decode"], "--arrival", f"{rate:.3f}")[0]
    check("8000 g_llm_decode p99 at 80 % of its rate, ns", row["p99_ns"], DECODE_P99_80_NS, False)
print(f"seed {options.seed}: {failures} below their goals")
sys.exit(failures != 0)
