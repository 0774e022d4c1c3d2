# SPDX-License-Identifier: Apache-2.0
"""synth_coll.py: area (Yosys, OSU018) of the collective routers by part and width, and critical paths (OpenSTA); part of UNIT=noc.

A part is mapped alone at two widths, between and beyond which its area is a line; what contains it has it as a black box. Everything is mapped,
buffers to flip-flops. The paths are those of netlists mapped for delay part by part, put together at 256 bit (the adders from slices of 32 bit,
which are independent), with ideal wires and ports at time 0. kGE: 1000 NAND2 of 24 area units; paths in FO4.
"""

import json
import re
import shutil

from synth import LIBERTY, NAND2, OUT, ROOT
from synth_hbm import FAST, FF, fo4, split, sta, yosys

PACKAGES = ["rtl/noc/noc_pkg.sv", "rtl/noc/noc_coll_pkg.sv", "rtl/common/common_fp_pkg.sv"]
PARTS = {  # module: (files, black boxes, how often it is in its router, widths that are mapped)
    "noc_up_pool": (["noc/noc_up_pool"], [], 5, (128, 256)),
    "noc_up_join": (["noc/noc_up_join"], [], 1, (32, 64)),
    "noc_up": (["common/common_arbiter", "noc/noc_up_sender", "noc/noc_up_pool", "noc/noc_up_choice", "noc/noc_up_join", "noc/noc_up"],
               ["noc_up_pool", "noc_up_join"], 1, (256, 512)),
    "noc_dn_fifo": (["noc/noc_dn_fifo"], [], 5, (128, 256)),
    "noc_dn": (["common/common_arbiter", "noc/noc_dn_sender", "noc/noc_dn_fifo", "noc/noc_dn"], ["noc_dn_fifo"], 1, (256, 512)),
}
WIDTHS = (256, 512)
SLICE = 32
LABEL = {"noc_up_pool": "inputs: pools of 8 slots", "noc_up_join": "adders", "noc_up": "choice, credits, output registers",
         "noc_dn_fifo": "inputs: fifos of 4 slots", "noc_dn": "choice, credits, output registers"}


def mapped(module, width, fast):
    files, boxes, _, _ = PARTS[module]
    work = OUT / "work" / f"{module}_w{width}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "rtl/common").mkdir(parents=True)
    shutil.copy(ROOT / "rtl/common/assert.svh", work / "rtl/common")
    sources = [*PACKAGES, *(f"rtl/{f}.sv" for f in files)]
    for source in [*sources, *(f"scripts/synth/{m}.v" for m in ("mux", "inv"))]:
        shutil.copy(ROOT / source, work)
    shutil.copy(LIBERTY, work / "osu018.lib")
    (work / "fast.scr").write_text(FAST)
    (work / "constr").write_text("set_driving_cell INVX4\nset_load 20\n")
    box = "".join(f" --blackboxed-module {b}" for b in boxes)
    yosys(work, "coarse", [
        f"read_slang --threads 1 --no-implicit-memories{box} -I . --top {module} -GWidth={width} "
        + " ".join(s.rsplit("/", 1)[1] for s in sources),
        "delete t:$check t:$print", f"synth -noshare -flatten -top {module}", "dfflibmap -liberty osu018.lib", "write_rtlil coarse.il"], 590)
    yosys(work, "area", ["read_rtlil coarse.il", "abc -liberty osu018.lib", "techmap -map mux.v", "opt_merge", "techmap -map inv.v",
                         "opt_clean -purge", "tee -q -o stat.json stat -json -liberty osu018.lib"], 590)
    stat = json.loads((work / "stat.json").read_text())["modules"]["\\" + module]
    cells = {c: int(v["count"] if isinstance(v, dict) else v) for c, v in stat["num_cells_by_type"].items()}
    areas = {m[1]: float(m[2]) for m in re.finditer(r"^cell \((\w+)\) \{.*?^\s*area : ([\d.]+);", LIBERTY.read_text(), re.M | re.S)}
    result = {"module": module, "width": width, "kge": sum(areas.get(c, 0) * n for c, n in cells.items()) / NAND2 / 1000,
              "ff_kge": sum(areas[f] * cells.get(f, 0) for f in FF) / NAND2 / 1000, "ffs": sum(cells.get(f, 0) for f in FF)}
    if fast:
        yosys(work, "fast", [
            "read_rtlil coarse.il", "abc -liberty osu018.lib -constr constr -script fast.scr", "opt_clean -purge", "delete t:$scopeinfo",
            "splitnets", "opt_clean", "write_verilog -noattr -noexpr fast.v"], 590)
        split(work / "fast.v")
    return result, work


def widened(netlist):
    """noc_up_join at 256 bit from slices: one gives what all of them have, the data by slice."""
    text = netlist.read_text().replace("module noc_up_join(", "module noc_up_join_slice(")
    ports = re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\w+);", text, re.M)
    count, lines = WIDTHS[0] // SLICE, []
    lines.append("module noc_up_join(" + ", ".join(name for _, _, name in ports) + ");")
    for kind, top, name in ports:
        width = (int(top or 0) + 1) * (count if name in ("data_i", "res_o") else 1)
        lines.append(f"  {kind} {f'[{width - 1}:0] ' if width > 1 else ''}{name};")
    for k in range(count):
        pins = []
        for kind, _, name in ports:
            if name == "data_i":
                at = ", ".join(f"{name}[{p * WIDTHS[0] + (k + 1) * SLICE - 1}:{p * WIDTHS[0] + k * SLICE}]" for p in reversed(range(5)))
                pins.append(f".{name}({{{at}}})")
            elif name == "res_o":
                pins.append(f".{name}({name}[{(k + 1) * SLICE - 1}:{k * SLICE}])")
            else:
                pins.append(f".{name}({name if kind == 'input' or k == 0 else ''})")
        lines.append(f"  noc_up_join_slice u_slice{k} (" + ", ".join(pins) + ");")
    return text + "\n".join([*lines, "endmodule", ""])


def path(router, works):
    """The slowest path through a router and its parts."""
    work, reads = works[router], ["fast.v"]
    for part in PARTS[router][1]:
        source = works[part] / "fast.v"
        (work / f"{part}.v").write_text(widened(source) if part == "noc_up_join" else source.read_text())
        reads.insert(0, f"{part}.v")
    found = sta(work, router, reads)
    return {**found, "fo4": found["ns"] / fo4(work)}


def measure(done):
    """Rows of the table, and paths by module."""
    runs, works = {}, {}
    for module, (_, _, _, widths) in PARTS.items():
        pair = []
        for width in widths:
            fast = width == (SLICE if module == "noc_up_join" else WIDTHS[0])
            run, work = mapped(module, width, fast)
            pair.append(run)
            if fast:
                works[module] = work
        done(module)
        runs[module] = {w: {k: pair[0][k] + (pair[1][k] - pair[0][k]) * (w - widths[0]) / (widths[1] - widths[0]) for k in ("kge", "ff_kge", "ffs")}
                        for w in WIDTHS}
    rows = [{"router": router, "module": part, "times": PARTS[part][2], "widths": runs[part]}
            for router in ("noc_up", "noc_dn") for part in [*PARTS[router][1], router]]
    return rows, {m: path(m, works) for m in ("noc_up", "noc_up_join", "noc_dn")}


def show(rows, paths):
    print(f"\n{'':44} " + " ".join(f"{f'kGE at {w}':>11} {'flops':>7} {'logic':>7} {'number':>7}" for w in WIDTHS))
    for router in ("noc_up", "noc_dn"):
        total = {w: [0, 0, 0] for w in WIDTHS}
        for r in (r for r in rows if r["router"] == router):
            times = f", {r['times']} x" if r["times"] > 1 else ""
            line = f"{router + ', ' + LABEL[r['module']] + times:44}"
            for w in WIDTHS:
                kge, ff, ffs = (r["times"] * r["widths"][w][k] for k in ("kge", "ff_kge", "ffs"))
                total[w] = [a + b for a, b in zip(total[w], (kge, ff, ffs))]
                line += f" {kge:11.1f} {ff:7.1f} {kge - ff:7.1f} {ffs:7.0f}"
            print(line)
        print(f"{router:44}" + "".join(f" {total[w][0]:11.1f} {total[w][1]:7.1f} {total[w][0] - total[w][1]:7.1f} {total[w][2]:7.0f}" for w in WIDTHS))
    join = next(r for r in rows if r["module"] == "noc_up_join")
    print("adders, a pair of lanes (one FP32 value or two BF16; four joins, one rounding): " +
          f"{(join['widths'][512]['kge'] - join['widths'][256]['kge']) / 8:.2f} kGE")
    for name, p in paths.items():
        print(f"{name:12} {p['ns']:6.2f} ns {p['fo4']:5.0f} FO4  {p['Start']} -> {p['End']}")
