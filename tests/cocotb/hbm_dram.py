# SPDX-License-Identifier: Apache-2.0
"""A channel's DRAM behind the controller's command boundary: keeps what is written, answers reads after RL clocks, and raises
Violation when a command comes to a bank in the wrong state or too early. Whole clocks, 8 Gb/s values, per-bank rules only."""
from collections import Counter, defaultdict, deque
from enum import IntEnum
from hashlib import blake2b

from cocotb.triggers import RisingEdge

from hbm_code import DATA_BITS, Place, encode

RL, WL = 10, 5
TRCD_RD, TRCD_WR, TRP, TRAS, TRC, TRTP, TWR = 20, 10, 17, 29, 45, 6, 21
LONG_AGO = -(10**9)


class Violation(AssertionError):
    """The controller broke a rule of the DRAM."""


class RowOp(IntEnum):
    NONE, ACT, PRE, PREA, REF_PB, REF_AB, RFM_PB, RFM_AB, SELF_ENTER, SELF_EXIT = range(10)


# How long a bank is busy with one.
BUSY = {RowOp.REF_PB: 280, RowOp.REF_AB: 450, RowOp.RFM_PB: 280, RowOp.RFM_AB: 450, RowOp.SELF_ENTER: 0, RowOp.SELF_EXIT: 460}


class Bank:
    def __init__(self):
        self.row = None  # the open one
        self.activated = self.precharged = self.read = self.written = self.busy_until = LONG_AGO


class Dram:
    def __init__(self, dut, seed):
        self.dut = dut
        self.key = seed.to_bytes(8, "little")
        self.banks = defaultdict(Bank)  # by (pc, bank)
        self.stored = {}  # by Place: 272 bits
        self.counts = Counter()  # commands by (pc, name)
        self.asleep = [False, False]  # in self refresh
        self.clock = 0
        self._reads = (deque(), deque())  # (clock of the answer, burst)
        self._writes = (deque(), deque())  # (clock of the data, Place)

    def initial(self, place):
        """Data of a burst that was never written: noise."""
        return int.from_bytes(blake2b(repr(tuple(place)).encode(), key=self.key, digest_size=DATA_BITS // 8).digest(), "little")

    def burst(self, place):
        found = self.stored.get(place)
        return encode(place, self.initial(place)) if found is None else found

    def flip(self, place, *bits):
        """Bits 0..255 are data, 256..261 tag, 262..271 check."""
        self.stored[place] = self.burst(place) ^ sum(1 << b for b in bits)

    async def run(self):
        d = self.dut
        valids, bursts = (d.dram_rvalid0, d.dram_rvalid1), (d.dram_rburst0, d.dram_rburst1)
        wbursts = d.dram_wburst0, d.dram_wburst1
        shown = [None, None]  # rvalid as it stands
        edge, active, command = RisingEdge(d.clk_i), d.dram_active, d.dram_command
        while True:
            await edge  # values are those of the clock that ends here
            wvalid = 0
            if active.value:
                wvalid = self._commands(int(command.value))
            for pc in (0, 1):
                due = bool(self._writes[pc]) and self._writes[pc][0][0] == self.clock
                if due != bool(wvalid >> pc & 1):
                    raise Violation(f"clock {self.clock}, pc {pc}: write data {'missing' if due else 'without a command'}")
                if due:
                    self.stored[self._writes[pc].popleft()[1]] = int(wbursts[pc].value)
                # Answers of the next clock: a command of clock t is answered in t + RL + 1.
                answer = bool(self._reads[pc]) and self._reads[pc][0][0] == self.clock + 1
                if answer:
                    bursts[pc].value = self._reads[pc].popleft()[1]
                if answer != shown[pc]:
                    valids[pc].value = shown[pc] = answer
            self.clock += 1

    def _commands(self, word):
        lanes = [self._row_fields(word & 0x7FFFFFF), self._row_fields(word >> 27 & 0x7FFFFFF)]
        for op, pc, _, bank, row in sorted((x for x in lanes if x[0]), key=lambda x: x[2]):
            self._row_command(op, pc, bank, row)
        for pc in (0, 1):
            column = word >> 54 + 13 * pc & 0x1FFF
            if column >> 12:
                self._column_command(pc, column >> 11 & 1, column >> 5 & 63, column & 31)
        return word >> 80

    @staticmethod
    def _row_fields(x):
        return RowOp(x >> 23), x >> 22 & 1, x >> 20 & 3, x >> 14 & 63, x & 0x3FFF

    def _row_command(self, op, pc, bank, row):
        self.counts[pc, op.name] += 1
        if self.asleep[pc] != (op == RowOp.SELF_EXIT):
            raise Violation(f"clock {self.clock}, pc {pc}: {op.name} {'in' if self.asleep[pc] else 'without'} self refresh")
        self.asleep[pc] = op == RowOp.SELF_ENTER
        if op in (RowOp.ACT, RowOp.PRE, RowOp.REF_PB, RowOp.RFM_PB):
            banks = [(bank, self.banks[pc, bank])]
        else:
            banks = [(b, self.banks[pc, b]) for b in range(32)]
        for number, b in banks:
            where = f"clock {self.clock}, pc {pc}, bank {number}: {op.name}"
            if op in (RowOp.PRE, RowOp.PREA):
                if b.row is None:
                    continue
                self._after(where, "tRAS", b.activated, TRAS)
                self._after(where, "tRTP", b.read, TRTP)
                self._after(where, "tWR", b.written, WL + 1 + TWR)
                b.row, b.precharged = None, self.clock
                continue
            if b.row is not None:
                raise Violation(f"{where}: row {b.row} is open")
            self._after(where, "tRP", b.precharged, TRP)
            self._after(where, "tRC", b.activated, TRC)
            if self.clock < b.busy_until:
                raise Violation(f"{where}: busy until clock {b.busy_until} with a refresh or after self refresh")
            if op == RowOp.ACT:
                b.row, b.activated = row, self.clock
            else:
                b.busy_until = self.clock + BUSY[op]

    def _column_command(self, pc, write, bank, col):
        self.counts[pc, "WR" if write else "RD"] += 1
        b = self.banks[pc, bank]
        where = f"clock {self.clock}, pc {pc}, bank {bank}: {'WR' if write else 'RD'}"
        if b.row is None:
            raise Violation(f"{where}: no row is open")
        self._after(where, "tRCD", b.activated, TRCD_WR if write else TRCD_RD)
        place = Place(pc, bank, b.row, col)
        if write:
            b.written = self.clock
            self._writes[pc].append((self.clock + WL, place))
        else:
            b.read = self.clock
            self._reads[pc].append((self.clock + RL + 1, self.burst(place)))

    def _after(self, where, rule, first, distance):
        if self.clock - first < distance:
            raise Violation(f"{where}: {rule} is {distance} clocks, {self.clock - first} have passed")
