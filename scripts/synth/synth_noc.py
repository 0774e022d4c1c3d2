# SPDX-License-Identifier: Apache-2.0
"""synth_noc.py: area (Yosys, OSU018) of the mesh's router by depth and width of payload, and its critical path (OpenSTA); then those of
the collective routers (synth_coll.py).

make synth UNIT=noc. Prints tables and writes out/synth/noc.json. kGE: 1000 NAND2 of 24 area units; everything is mapped, buffers to
flip-flops. Between two widths the area is a line: so many kGE and so many GE a bit of payload. The path comes from a second netlist, mapped for
delay, buffered and sized, with ideal wires and ports at time 0; it is told in FO4.
"""

import json
import re
import shutil
import sys

import synth_coll
from synth import LIBERTY, NAND2, OUT, ROOT, run
from synth_hbm import FAST, FF, YOSYS, fo4, split, sta

FILES = ["rtl/noc/noc_pkg.sv", "rtl/common/common_arbiter.sv", "rtl/noc/noc_pool.sv", "rtl/noc/noc_output.sv", "rtl/noc/noc_router.sv"]
WIDTHS = (32, 128)
DEPTHS = (2, 4, 8)
HEADER = 19


def mapped(depth, width, fast=False):
    work = OUT / "work" / f"noc_d{depth}_w{width}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "rtl/common").mkdir(parents=True)
    shutil.copy(ROOT / "rtl/common/assert.svh", work / "rtl/common")
    for source in [*FILES, *(f"scripts/synth/{m}.v" for m in ("cells", "mux", "inv"))]:
        shutil.copy(ROOT / source, work)
    shutil.copy(LIBERTY, work / "osu018.lib")
    (work / "fast.scr").write_text(FAST)
    (work / "constr").write_text("set_driving_cell INVX4\nset_load 20\n")
    files = " ".join(f.rsplit("/", 1)[1] for f in FILES)
    (work / "coarse.ys").write_text("\n".join([
        f"read_slang --threads 1 --no-implicit-memories -I . --top noc_router -GDepth={depth} -GWidth={width} {files}",
        "check -assert", "delete t:$check t:$print", "synth -noshare -flatten -top noc_router", "dfflibmap -liberty osu018.lib",
        "write_rtlil coarse.il"]) + "\n")
    run([YOSYS, "-q", "coarse.ys"], work, 590)
    (work / "area.ys").write_text("\n".join([
        "read_rtlil coarse.il", "abc -liberty osu018.lib", "techmap -map mux.v", "opt_merge", "techmap -map inv.v",
        "opt_clean -purge", "tee -q -o stat.json stat -json -liberty osu018.lib"]) + "\n")
    run([YOSYS, "-q", "area.ys"], work, 590)
    stat = json.loads((work / "stat.json").read_text())["modules"]["\\noc_router"]
    cells = {c: int(v["count"] if isinstance(v, dict) else v) for c, v in stat["num_cells_by_type"].items()}
    areas = {m[1]: float(m[2]) for m in re.finditer(r"^cell \((\w+)\) \{.*?^\s*area : ([\d.]+);", LIBERTY.read_text(), re.M | re.S)}
    unknown = [c for c in cells if c not in areas and not c.startswith("$")]
    if unknown:
        sys.exit(f"synth: cells that are not mapped: {unknown}")
    result = {"depth": depth, "width": width, "kge": sum(areas.get(c, 0) * n for c, n in cells.items()) / NAND2 / 1000,
              "ff_kge": sum(areas[f] * cells.get(f, 0) for f in FF) / NAND2 / 1000, "ffs": sum(cells.get(f, 0) for f in FF)}
    if fast:
        (work / "fast.ys").write_text("\n".join([
            "read_rtlil coarse.il", "abc -liberty osu018.lib -constr constr -script fast.scr", "opt_clean -purge",
            "delete t:$scopeinfo", "splitnets -ports", "opt_clean", "write_verilog -noattr -noexpr fast.v"]) + "\n")
        run([YOSYS, "-q", "fast.ys"], work, 590)
        split(work / "fast.v")
        path = sta(work, "noc_router", ["fast.v"])
        result.update(ns=path["ns"], fo4=path["ns"] / fo4(work), start=path["Start"], end=path["End"])
    return result


def main():
    if not LIBERTY.exists() or shutil.which("sta") is None:
        sys.exit("synth: needs the Debian packages qflow-tech-osu018 and opensta; run scripts/setup.sh")
    OUT.mkdir(parents=True, exist_ok=True)
    rows = []
    for depth in DEPTHS:
        pair = [mapped(depth, w, fast=w == WIDTHS[0]) for w in WIDTHS]
        slope = (pair[1]["kge"] - pair[0]["kge"]) * 1000 / (WIDTHS[1] - WIDTHS[0])
        rows.append({"depth": depth, "runs": pair, "ge_per_bit": slope, "kge_fixed": pair[0]["kge"] - slope * WIDTHS[0] / 1000})
        print(f"synth: depth {depth}", file=sys.stderr, flush=True)
    version = run([YOSYS, "-V"], ROOT, 60).strip()
    print(f"{version}; OSU018; router of five ports; header of {HEADER} bits in the fixed part")
    print(f"{'slots a port':>12} {'fixed kGE':>10} {'GE a bit':>9} {'kGE at 256':>11} {'kGE at 512':>11} {'flops at ' + str(WIDTHS[0]):>12} "
          f"{'path ns':>8} {'FO4':>5}  path")
    for r in rows:
        p = r["runs"][0]
        print(f"{r['depth']:12d} {r['kge_fixed']:10.2f} {r['ge_per_bit']:9.1f} {r['kge_fixed'] + r['ge_per_bit'] * .256:11.1f} "
              f"{r['kge_fixed'] + r['ge_per_bit'] * .512:11.1f} {p['ffs']:12d} {p['ns']:8.2f} {p['fo4']:5.0f}  {p['start']} -> {p['end']}")
    four = next(r for r in rows if r["depth"] == 4)
    coll, control, paths = synth_coll.measure(lambda what: print(f"synth: {what}", file=sys.stderr, flush=True))
    synth_coll.show(coll, control, paths, {w: four["kge_fixed"] + four["ge_per_bit"] * w / 1000 for w in synth_coll.WIDTHS})
    (OUT / "noc.json").write_text(json.dumps({"yosys": version, "rows": rows, "coll": coll, "coll_control": control, "coll_paths": paths}, indent=1) + "\n")


if __name__ == "__main__":
    main()
