# SPDX-License-Identifier: Apache-2.0
"""synth_coll.py: area (Yosys, OSU018) of the collective routers by part and width, and critical paths (OpenSTA); part of UNIT=noc.

A part is mapped alone at two widths, between and beyond which its area is a line; what contains it has it as a black box. Everything is mapped,
buffers to flip-flops. Control is what does not grow with the width, less what a router of plain unicast needs as well: its control bits beside the
payload (PLAIN_BITS), an arbiter and a counter of credits an output. The paths are those of netlists mapped for delay part by part, put together at 256 bit (the adders from slices of 32 bit,
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
PLAIN = {"common_arbiter": (["common/common_arbiter"], "-GNum=5 -GLevelW=1"), "noc_dn_sender": (["noc/noc_dn_sender"], "-GDepth=4")}
# Of a flit, bits that unicast has too: on up all of up_ctl_t (the group is a virtual channel); on dn a destination for the mask of 64 bits.
PLAIN_BITS = {"noc_up": 4, "noc_dn": 53 + 6}
SLICE = 32
LABEL = {"noc_up_pool": "inputs: pools of 8 slots", "noc_up_join": "adders", "noc_up": "choice, credits, output registers",
         "noc_dn_fifo": "inputs: fifos of 4 slots", "noc_dn": "choice, credits, output registers"}


def mapped(module, width, fast):
    files, boxes, _, _ = PARTS[module]
    return mapped_with(module, files, boxes, f"-GWidth={width}", width, fast)


def mapped_with(module, files, boxes, parameters, width=0, fast=False):
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
        f"read_slang --threads 1 --no-implicit-memories{box} -I . --top {module} {parameters} "
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
    plain = sum(5 * mapped_with(m, files, [], parameters)[0]["kge"] for m, (files, parameters) in PLAIN.items())
    return rows, [control(r, rows, plain) for r in PLAIN_BITS], {m: path(m, works) for m in ("noc_up", "noc_up_join", "noc_dn")}


def control(router, rows, plain):
    """What collectives cost a router beside its adders, kGE, and its share of the router without these."""
    area = {w: sum(r["times"] * r["widths"][w]["kge"] for r in rows if r["router"] == router and r["module"] != "noc_up_join") for w in WIDTHS}
    a_bit = (area[WIDTHS[1]] - area[WIDTHS[0]]) / (WIDTHS[1] - WIDTHS[0])
    kge = area[WIDTHS[0]] - a_bit * (WIDTHS[0] + PLAIN_BITS[router]) - plain
    return {"router": router, "kge": kge, "plain_kge": plain, "ge_a_bit": 1000 * a_bit, "area": area, "share": {w: kge / area[w] for w in WIDTHS}}


def show(rows, controls, paths, unicast):
    """unicast: kGE of noc_router with four slots, by width."""
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
          f"{(join['widths'][512]['kge'] - join['widths'][256]['kge']) / 8:.2f} kGE; in all {join['widths'][256]['kge']:.1f} at 256 bit, {join['widths'][512]['kge']:.1f} at 512")
    for c in controls:
        print(f"{c['router']} without adders: {c['ge_a_bit']:.0f} GE a bit; control of collectives {c['kge']:.1f} kGE: " +
              "; ".join(f"{100 * c['share'][w]:.1f} % of {c['area'][w]:.1f} kGE at {w} bit" for w in WIDTHS))
    both = sum(c["kge"] for c in controls)
    print(f"control of both: {both:.1f} kGE: " + "; ".join(
        f"{100 * both / sum(c['area'][w] for c in controls):.1f} % of the two, {100 * both / (2 * unicast[w]):.1f} % of two unicast routers, at {w} bit"
        for w in WIDTHS))
    for name, p in paths.items():
        print(f"{name:12} {p['ns']:6.2f} ns {p['fo4']:5.0f} FO4  {p['Start']} -> {p['End']}")
