# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the controller brought up with cocotbext-axi's masters before it and the Python DRAM behind it, its
registers by the names of the RDL source, and a model of a port's bytes."""
import logging
import random
from functools import cache
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Timer
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster, AxiResp
from systemrdl import RDLCompiler
from systemrdl.node import RegNode

from hbm_code import BURST_BYTES, data_of, place_of
from hbm_dram import Dram

RDL = Path(__file__).resolve().parents[2] / "rtl/hbm/hbm_csr.rdl"
INIT_CLOCKS = 64  # in place of 200 us
CORRECTED, UNCORRECTED = 18, 19  # counters


@cache
def registers():
    """Of the RDL source, by name: `ECC`, `PC[0].BAD_ADDRESS`, ..."""
    compiler = RDLCompiler()
    compiler.compile_file(str(RDL))
    top = compiler.elaborate().top
    nodes = (n for n in top.descendants(unroll=True) if isinstance(n, RegNode))
    return {n.get_path().removeprefix(top.inst_name + "."): n for n in nodes}


class PortModel:
    """Bytes behind a port: what was written, else what the DRAM holds at the start."""

    def __init__(self, dram, pc):
        self.dram, self.pc = dram, pc
        self.bursts = {}  # by number

    def burst(self, number):
        if number not in self.bursts:
            place = place_of(self.pc, number * BURST_BYTES)
            self.bursts[number] = bytearray(self.dram.initial(place).to_bytes(BURST_BYTES, "little"))
        return self.bursts[number]

    def write(self, address, data):
        for i, byte in enumerate(data, address):
            self.burst(i // BURST_BYTES)[i % BURST_BYTES] = byte

    def read(self, address, length):
        first, last = address // BURST_BYTES, (address + length - 1) // BURST_BYTES
        start = address - first * BURST_BYTES
        return b"".join(self.burst(n) for n in range(first, last + 1))[start : start + length]


class Bench:
    def __init__(self, dut):
        self.dut = dut
        self.random = random.Random(cocotb.RANDOM_SEED)
        self.dram = Dram(dut, cocotb.RANDOM_SEED & (1 << 64) - 1)
        self.models = [PortModel(self.dram, pc) for pc in (0, 1)]
        self.bytes_read = self.bytes_written = 0

    async def start(self, enable=True, **settings):
        """Resets, sets INIT and the named registers (a dictionary of fields each), enables, waits until ready."""
        d = self.dut
        logging.getLogger(f"cocotb.{d._name}").setLevel(logging.WARNING)  # the masters log every byte
        for signal in (d.dram_rvalid0, d.dram_rvalid1, d.dram_rburst0, d.dram_rburst1):
            signal.value = 0
        d.rst_ni.value = 0
        await Timer(1, "ns")  # a test that failed may have left requests behind: they end in reset
        cocotb.start_soon(Clock(d.clk_i, 1, "ns").start())
        reset = {"clock": d.clk_i, "reset": d.rst_ni, "reset_active_level": False}
        self.ports = [AxiMaster(AxiBus.from_prefix(d, f"s{pc}_axi"), **reset) for pc in (0, 1)]
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(d, "s_axil"), **reset)
        await self.clocks(8)
        d.rst_ni.value = 1
        await self.clocks(2)
        cocotb.start_soon(self.dram.run())
        if not enable:
            return
        await self.set("INIT", t_init=INIT_CLOCKS)
        for name, fields in settings.items():
            await self.set(name, **fields)
        await self.set("CTRL", enable=1)
        for _ in range(INIT_CLOCKS):
            if await self.get("STATUS", "ready"):
                return
        raise AssertionError("the controller did not become ready")

    async def clocks(self, n):
        await ClockCycles(self.dut.clk_i, n)

    # ------------------------------------------------------------------------------------------ registers
    async def read_register(self, name):
        r = await self.registers.read(registers()[name].absolute_address, 4)
        assert r.resp == AxiResp.OKAY, f"{name}: read response {r.resp.name}"
        return int.from_bytes(r.data, "little")

    async def write_register(self, name, value):
        r = await self.registers.write(registers()[name].absolute_address, value.to_bytes(4, "little"))
        assert r.resp == AxiResp.OKAY, f"{name}: write response {r.resp.name}"

    async def get(self, name, field):
        f = registers()[name].get_child_by_name(field)
        return await self.read_register(name) >> f.low & (1 << f.width) - 1

    async def set(self, name, **fields):
        value = await self.read_register(name)
        for field, x in fields.items():
            f = registers()[name].get_child_by_name(field)
            assert x < 1 << f.width, f"{name}.{field}: {x} does not fit"
            value = value & ~((1 << f.width) - 1 << f.low) | x << f.low
        await self.write_register(name, value)

    async def count(self, pc, index):
        return await self.read_register(f"PC[{pc}].COUNT_LO[{index}]")

    # -------------------------------------------------------------------------------------------- traffic
    async def write(self, pc, address, data, awid=None):
        self.models[pc].write(address, data)
        r = await self.ports[pc].write(address, data, awid=awid)
        assert r.resp == AxiResp.OKAY, f"pc {pc}: write of {len(data)} bytes at {address:#x}: {r.resp.name}"
        self.bytes_written += len(data)

    async def check(self, pc, address, length, arid=None):
        expected = self.models[pc].read(address, length)
        r = await self.ports[pc].read(address, length, arid=arid)
        assert r.resp == AxiResp.OKAY, f"pc {pc}: read of {length} bytes at {address:#x}: {r.resp.name}"
        self.compare(pc, address, r.data, expected)
        self.bytes_read += length

    @staticmethod
    def compare(pc, address, actual, expected):
        if actual != expected:
            i = next((i for i, (a, e) in enumerate(zip(actual, expected)) if a != e), min(len(actual), len(expected)))
            wanted, found = expected[i : i + 8].hex(), actual[i : i + 8].hex()
            raise AssertionError(f"pc {pc}: byte {address + i:#x}: expected {wanted}, actual {found}")

    def report(self, bursts):
        cocotb.log.info("%d bytes written, %d read, %d bursts compared in the DRAM, %d clocks", self.bytes_written, self.bytes_read,
                        bursts, self.dram.clock)

    async def dram_holds_the_model(self, *pcs):
        """Waits until the controller has written what it accepted, then compares every burst that was touched, with its code."""
        compared = 0
        for model in (self.models[pc] for pc in pcs or (0, 1)):
            for number, expected in sorted(model.bursts.items()):
                place = place_of(model.pc, number * BURST_BYTES)
                for _ in range(40):
                    if data_of(self.dram.burst(place)) == int.from_bytes(expected, "little"):
                        break
                    await self.clocks(100)
                actual = data_of(self.dram.burst(place)).to_bytes(BURST_BYTES, "little")
                self.compare(model.pc, number * BURST_BYTES, actual, bytes(expected))
                compared += 1
        return compared
