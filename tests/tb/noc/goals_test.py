#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""goals_test.py TEPIN [--seed N] [--cycles N]: the network's latency and throughput stay at their goals (docs/noc.md).

Cycles, not seconds: the same on every machine. Replay: goals_test.py build/tepin --seed N.
"""
import argparse
import json
import subprocess
import sys

# mesh, flits a packet, flits of buffer a port: zero-load at most; saturation, overload, worst source's share at least.
GOALS = [("4x4", 1, 4, 3.7, .84, .88, .8), ("4x4", 1, 8, 3.7, .88, .92, .8), ("4x4", 8, 4, 11, .54, .66, .8),
         ("4x4", 8, 5, 11, .573, .66, .8), ("4x4", 8, 8, 11, .62, .70, .8), ("8x8", 1, 4, 6.5, .42, .44, .6)]

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("tepin")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--cycles", type=int, default=6000)
options = parser.parse_args()

failures = 0
for mesh, flits, buffer, *goals in GOALS:
    cycles = options.cycles // 4 if mesh == "8x8" else options.cycles
    done = subprocess.run([options.tepin, "bench", "noc", "--mesh", mesh, "--flits", str(flits), "--buffer", str(buffer), "--cycles", str(cycles),
                           "--seed", str(options.seed), "--json"], capture_output=True, text=True, timeout=280)
    if done.returncode != 0:
        sys.exit(f"tepin bench noc: exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    assert report["lost"] == 0 and report["errors"] == 0 and report["delivered"] > 100000
    figures = [report[k] for k in ("zero_load", "saturation", "overload", "overload_worst_share")]
    for what, actual, goal, least in zip(("zero-load", "saturation", "overload", "worst source"), figures, goals, (False, True, True, True)):
        good = actual >= goal if least else actual <= goal
        failures += not good
        print(f"{'ok  ' if good else 'FAIL'} {mesh}, {flits}-flit packets, buffer {buffer}: {what} {actual:.3f}, {'at least' if least else 'at most'} {goal}")
print(f"seed {options.seed}: {failures} miss their goals")
sys.exit(failures != 0)
