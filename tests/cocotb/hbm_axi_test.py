# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's AXI4 masters on both ports of the HBM4 controller; names are claims (`make cocotb`). Everything that is random
follows from the seed; each test says what it compared and fails if that is too little."""
import itertools

import cocotb
from cocotbext.axi import AxiResp

from hbm_bench import CORRECTED, UNCORRECTED, Bench, registers
from hbm_code import BURST_BITS, BURST_BYTES, Place, encode, place_of

CAPACITY = 2 << 28  # bytes of a port with two stack IDs
ROWS = 1 << 14  # bytes after which the address map comes to the next row of a bank
TIMEOUT = {"timeout_time": 200, "timeout_unit": "us"}  # a clock is 1 ns


async def all_of(coroutines):
    for task in [cocotb.start_soon(c) for c in coroutines]:
        await task


def pieces(rng, workers, spans):
    """Cuts spans of addresses at random bytes and deals the pieces out, so that workers share bursts but no byte."""
    hands = [[] for _ in range(workers)]
    for start, length in spans:
        at = start
        while at < start + length:
            n = min(rng.choice((1, 7, 31, 32, 33, 64, 200, 1000, 5000)) + rng.randrange(8), start + length - at)
            rng.choice(hands).append((at, n))
            at += n
    return [h for h in hands if h]


async def random_traffic(bench, pc, workers, operations, spans):
    """Each worker writes and reads its own bytes in turn; all of them work at the same time."""

    async def work(mine, rng):
        for _ in range(operations):
            start, room = rng.choice(mine)
            skip = rng.randrange(room)
            length = rng.randint(1, room - skip)
            identity = rng.choice((None, rng.randrange(256), rng.randrange(3)))
            if rng.random() < 0.5:
                await bench.write(pc, start + skip, rng.randbytes(length), awid=identity)
            else:
                await bench.check(pc, start + skip, length, arid=identity)

    hands = pieces(bench.random, workers, spans)
    seeds = [type(bench.random)(bench.random.getrandbits(64)) for _ in hands]
    await all_of(work(h, s) for h, s in zip(hands, seeds))


def some_spans(rng):
    """Within one row, over several rows of the same banks, across the stack IDs, and the last bytes of the capacity."""
    base = rng.randrange(CAPACITY // 4) & ~0xFFF
    return [(base, 12_000), (base + 5 * ROWS + 77, 1100), (base + 9 * ROWS + 4000, 900), (CAPACITY // 2 - 500, 1000),
            (CAPACITY - 700, 700)]


@cocotb.test(**TIMEOUT)
async def random_traffic_on_both_ports_reads_what_was_written(dut):
    bench = Bench(dut)
    await bench.start(PHY0={"period": 3000}, PHY1={"window": 100}, REFRESH={"t_refi": 2080, "urgent": 2, "force_at": 4})
    await all_of(random_traffic(bench, pc, workers=16, operations=200, spans=some_spans(bench.random)) for pc in (0, 1))
    bursts = await bench.dram_holds_the_model()
    bench.report(bursts)
    cocotb.log.info("commands: %s", dict(bench.dram.counts))
    assert bench.bytes_read > 100_000 and bench.bytes_written > 100_000 and bursts > 300
    assert all(bench.dram.counts[pc, op] > 0 for pc in (0, 1) for op in ("ACT", "PRE", "REF_PB", "RD", "WR"))


@cocotb.test(**TIMEOUT)
async def all_bank_refresh_under_traffic_loses_nothing(dut):
    bench = Bench(dut)
    await bench.start(REFRESH={"all_bank": 1, "t_refi": 2400})
    await all_of(random_traffic(bench, pc, workers=16, operations=80, spans=some_spans(bench.random)) for pc in (0, 1))
    bursts = await bench.dram_holds_the_model()
    bench.report(bursts)
    assert bench.bytes_read > 40_000 and bench.bytes_written > 40_000 and bursts > 300
    assert all(bench.dram.counts[pc, "REF_AB"] > 3 for pc in (0, 1))


@cocotb.test(**TIMEOUT)
async def back_pressure_on_every_channel_loses_nothing(dut):
    bench = Bench(dut)
    await bench.start()

    def pauses(rng):
        while True:  # stretches of all kinds: never, mostly, and always for a while
            share = rng.choice((0, 0.3, 0.7, 0.95))
            yield from (rng.random() < share for _ in range(rng.randrange(1, 200)))

    for port in bench.ports:
        for channel in (port.write_if.aw_channel, port.write_if.w_channel, port.write_if.b_channel, port.read_if.ar_channel,
                        port.read_if.r_channel):
            channel.set_pause_generator(pauses(type(bench.random)(bench.random.getrandbits(64))))
    await all_of(random_traffic(bench, pc, workers=16, operations=150, spans=some_spans(bench.random)) for pc in (0, 1))
    bursts = await bench.dram_holds_the_model()
    bench.report(bursts)
    assert bench.bytes_read > 60_000 and bench.bytes_written > 60_000 and bursts > 300


@cocotb.test(**TIMEOUT)
async def hundreds_of_transactions_at_once_come_back_to_their_ids(dut):
    bench = Bench(dut)
    await bench.start()
    rng, count = bench.random, 300
    for identities in (range(256), range(2)):  # many lists of one, few long lists
        for operation in (bench.write, bench.check):
            jobs = []
            for i in range(count):
                address = 0x100_0000 + i * 200 + (i % 7) * 3 * ROWS  # disjoint, not aligned, several rows
                length = rng.randint(1, 200)
                for pc in (0, 1):
                    if operation == bench.write:
                        jobs.append(bench.write(pc, address, rng.randbytes(length), awid=rng.choice(identities)))
                    else:
                        jobs.append(bench.check(pc, address, length, arid=rng.choice(identities)))
            await all_of(jobs)
    bench.report(0)
    assert bench.bytes_read > 60_000 and bench.bytes_written > 60_000


@cocotb.test(**TIMEOUT)
async def read_right_after_write_sees_it(dut):
    bench = Bench(dut)
    await bench.start()
    rng, rounds = bench.random, 150

    async def hammer(pc, base):
        for _ in range(rounds):  # in few bursts: on top of writes that wait, are being completed, or are just leaving
            address, length = base + rng.randrange(96), rng.randint(1, 64)
            await bench.write(pc, address, rng.randbytes(length))
            await bench.check(pc, base + rng.randrange(96), rng.randint(1, 64))
            await bench.check(pc, address, length)
            if rng.random() < 0.2:
                await bench.clocks(rng.randrange(100))

    await all_of(hammer(pc, base) for pc in (0, 1) for base in (0x4000, 0x4000 + 3 * ROWS + 160))
    bursts = await bench.dram_holds_the_model()
    bench.report(bursts)
    assert bench.bytes_read > 4 * rounds * 40


@cocotb.test(**TIMEOUT)
async def address_beyond_the_capacity_gives_decerr_and_changes_nothing(dut):
    bench = Bench(dut)
    await bench.start()
    end = bench.ports[0].read_if.size  # of the port's addresses
    assert end == 1 << 31
    for pc, port in enumerate(bench.ports):
        await bench.write(pc, CAPACITY - 64, bench.random.randbytes(64))
        for address in (CAPACITY, CAPACITY + 4096 - 8, 2 * CAPACITY, 3 * CAPACITY + 0x1234, end - 96):
            write = await port.write(address, bench.random.randbytes(96))
            read = await port.read(address, 96)
            assert (write.resp, read.resp) == (AxiResp.DECERR, AxiResp.DECERR), f"pc {pc}, {address:#x}: {write.resp}, {read.resp}"
        # One request that crosses the end: what lies within is served.
        tail = bench.random.randbytes(64)
        assert (await port.write(CAPACITY - 32, tail)).resp == AxiResp.DECERR
        bench.models[pc].write(CAPACITY - 32, tail[:32])
        crossing = await port.read(CAPACITY - 64, 128)
        assert crossing.resp == AxiResp.DECERR
        bench.compare(pc, CAPACITY - 64, crossing.data[:64], bench.models[pc].read(CAPACITY - 64, 64))
        # Among requests that are in range, errors come to their own.
        jobs = [bench.check(pc, i * 777, 100) for i in range(30)]
        wrong = [port.init_read(CAPACITY + i * 96, 96) for i in range(30)]
        await all_of(jobs)
        for event in wrong:
            await event.wait()
            assert event.data.resp == AxiResp.DECERR
        await bench.check(pc, 0, 64)  # where address bits cut off would have led
    await bench.dram_holds_the_model()


@cocotb.test(**TIMEOUT)
async def self_refresh_holds_requests_and_keeps_data(dut):
    bench = Bench(dut)
    await bench.start()
    for round_ in range(3):
        for pc in (0, 1):
            await bench.write(pc, 0x8000 + 100 * round_, bench.random.randbytes(90))
        await bench.set("CTRL", self_refresh=1)
        for _ in range(100):
            if await bench.get("STATUS", "sleeping") == 3:
                break
            await bench.clocks(20)
        assert await bench.get("STATUS", "sleeping") == 3 and bench.dram.asleep == [True, True]
        jobs = [cocotb.start_soon(bench.check(pc, 0x8000 + 100 * round_, 90)) for pc in (0, 1)]
        await bench.clocks(1000)
        assert not any(job.done() for job in jobs)
        await bench.set("CTRL", self_refresh=0)
        for job in jobs:
            await job
    assert [bench.dram.counts[pc, "SELF_EXIT"] for pc in (0, 1)] == [3, 3]


@cocotb.test(**TIMEOUT)
async def registers_read_back_and_unknown_ones_give_slverr(dut):
    bench = Bench(dut)
    await bench.start(enable=False)
    rng, bus, known, read_only = bench.random, bench.registers, set(), 0
    for name, reg in registers().items():
        known.add(reg.absolute_address)
        if not any(f.is_sw_writable for f in reg.fields()):
            await bench.read_register(name)
            response = await bus.write(reg.absolute_address, bytes(4))
            assert response.resp == AxiResp.SLVERR, f"{name}: a write to a read-only register gives {response.resp.name}"
            read_only += 1
            continue
        reset = sum(f.get_property("reset") << f.low for f in reg.fields())
        actual = await bench.read_register(name)
        assert actual == reset, f"{name}: after reset expected {reset:#x}, actual {actual:#x}"
    written = {}
    for name, reg in registers().items():
        if name == "CTRL" or reg.absolute_address not in known or not any(f.is_sw_writable for f in reg.fields()):
            continue
        value = rng.getrandbits(32)
        await bench.write_register(name, value)
        lane = rng.randrange(4)  # then one byte alone
        byte = rng.getrandbits(8)
        assert (await bus.write(reg.absolute_address + lane, bytes([byte]))).resp == AxiResp.OKAY
        value = value & ~(0xFF << 8 * lane) | byte << 8 * lane
        written[name] = value & sum((1 << f.width) - 1 << f.low for f in reg.fields())
    for name, expected in written.items():
        actual = await bench.read_register(name)
        assert actual == expected, f"{name}: expected {expected:#x}, actual {actual:#x}"
    unknown = [a for a in range(0, 1 << 11, 4) if a not in known]
    for address in unknown:
        read, write = await bus.read(address, 4), await bus.write(address, b"\xff" * 4)
        assert (read.resp, write.resp) == (AxiResp.SLVERR, AxiResp.SLVERR), f"register {address:#x}: {read.resp}, {write.resp}"
    cocotb.log.info("%d registers written, %d read only, %d unknown addresses", len(written), read_only, len(unknown))
    assert len(written) >= 18 and read_only >= 99 and len(unknown) > 300


@cocotb.test(**TIMEOUT)
async def every_single_flip_of_a_burst_is_corrected_and_counted(dut):
    bench = Bench(dut)
    await bench.start(ECC={"scrub": 0})  # a rewrite reads again, and would be counted too
    for pc in (0, 1):
        base = 0x20_0000
        await bench.write(pc, base, bench.random.randbytes(BURST_BITS // 2 * BURST_BYTES))  # the others were never written
        await bench.dram_holds_the_model(pc)
        for bit in range(BURST_BITS):
            bench.dram.flip(place_of(pc, base + bit * BURST_BYTES), bit)
        await bench.check(pc, base, BURST_BITS * BURST_BYTES)
        counts = [await bench.count(p, i) for p in (0, 1) for i in (CORRECTED, UNCORRECTED)]
        assert counts == ([BURST_BITS, 0, 0, 0] if pc == 0 else [BURST_BITS, 0, BURST_BITS, 0]), counts
        assert await bench.get(f"PC[{pc}].BAD_ADDRESS", "valid") == 0


@cocotb.test(**TIMEOUT)
async def corrected_burst_is_written_back(dut):
    bench = Bench(dut)
    await bench.start()
    for pc, bit in itertools.product((0, 1), (3, 255, 258, 270)):
        address = 0x1_0000 + bit * BURST_BYTES
        await bench.write(pc, address, bench.random.randbytes(BURST_BYTES))
        await bench.dram_holds_the_model()
        place = place_of(pc, address)
        right = bench.dram.burst(place)
        bench.dram.flip(place, bit)
        await bench.check(pc, address, BURST_BYTES)
        for _ in range(20):
            if bench.dram.burst(place) == right:
                break
            await bench.clocks(100)
        assert bench.dram.burst(place) == right, f"pc {pc}: bit {bit} is still wrong in the DRAM"
        before = await bench.count(pc, CORRECTED)
        await bench.check(pc, address, BURST_BYTES)
        assert before > 0 and await bench.count(pc, CORRECTED) == before


@cocotb.test(**TIMEOUT)
async def scrubbing_mends_bursts_that_nobody_reads(dut):
    bench = Bench(dut)
    await bench.start(ECC={"interval": 100})
    places = [Place(pc, 0, 0, col) for pc in (0, 1) for col in (3, 17, 31)]  # it begins at the first row of the first bank
    for i, place in enumerate(places):
        bench.dram.flip(place, 41 * i)
    await bench.clocks(32 * 100 + 400)
    for place in places:
        assert bench.dram.burst(place) == encode(place, bench.dram.initial(place)), f"{place} is still wrong"
    assert [await bench.count(pc, UNCORRECTED) for pc in (0, 1)] == [0, 0]


@cocotb.test(**TIMEOUT)
async def injection_flips_the_named_bits_of_what_is_written(dut):
    bench = Bench(dut)
    await bench.start()
    for bits, position in ((1, 0), (1, 200), (2, 13)):
        for pc, port in enumerate(bench.ports):
            address = 0x7000 + position * BURST_BYTES
            await bench.set("ECC", inject_bits=bits, inject_pos=position, scrub=0)
            data = bench.random.randbytes(BURST_BYTES)
            await bench.write(pc, address, data)
            await bench.clocks(300)
            await bench.set("ECC", inject_bits=0)
            place = place_of(pc, address)
            flips = 1 << position | (1 << 255 - position if bits == 2 else 0)
            right = encode(place, int.from_bytes(data, "little"))
            assert bench.dram.burst(place) == right ^ flips, f"pc {pc}: {bits} at {position}"
            read = await port.read(address, BURST_BYTES)
            assert (read.resp, read.data) == ((AxiResp.OKAY, data) if bits == 1 else (AxiResp.SLVERR, bytes(BURST_BYTES)))


@cocotb.test(**TIMEOUT)
async def double_flip_gives_slverr_and_its_address(dut):
    bench = Bench(dut)
    await bench.start()
    rng, rounds = bench.random, 40
    for pc, port in enumerate(bench.ports):
        bad = []
        for n in range(rounds):
            address = rng.randrange(CAPACITY // BURST_BYTES) * BURST_BYTES
            await bench.check(pc, address, BURST_BYTES)
            bench.dram.flip(place_of(pc, address), *rng.sample(range(BURST_BITS), 2))
            read = await port.read(address, BURST_BYTES)
            assert read.resp == AxiResp.SLVERR, f"pc {pc}, {address:#x}: {read.resp.name}"
            bad.append(address)
            assert await bench.count(pc, UNCORRECTED) == n + 1
            first, name = place_of(pc, bad[0]), f"PC[{pc}].BAD_ADDRESS"
            found = [await bench.get(name, f) for f in ("valid", "bank", "row", "col")]
            assert found == [1, first.bank, first.row, first.col], f"{found}, expected {first}"
        # A partial write cannot mend a burst, a whole one does.
        partial, whole = bad[1], bad[2]
        assert (await port.write(partial + 5, b"tepin")).resp == AxiResp.OKAY
        await bench.write(pc, whole, rng.randbytes(BURST_BYTES))
        await bench.clocks(600)
        assert (await port.read(partial, BURST_BYTES)).resp == AxiResp.SLVERR
        await bench.check(pc, whole, BURST_BYTES)
        # Cleared, the register takes the next one.
        await bench.set("CTRL", clear=1)
        assert await bench.get(name, "valid") == 0
        assert (await port.read(bad[3], BURST_BYTES)).resp == AxiResp.SLVERR
        again = place_of(pc, bad[3])
        assert [await bench.get(name, f) for f in ("valid", "bank", "row", "col")] == [1, again.bank, again.row, again.col]


@cocotb.test(**TIMEOUT)
async def burst_of_another_place_gives_slverr(dut):
    bench = Bench(dut)
    await bench.start()
    for pc, port in enumerate(bench.ports):
        base = 0x123_4000
        for bit in range(5, 29):  # address bits that change the place
            asked, other = place_of(pc, base), place_of(pc, base ^ 1 << bit)
            if (asked.packed() ^ other.packed()).bit_count() != 1:
                continue  # the tag promises one wrong coordinate bit
            bench.dram.stored[asked] = bench.dram.burst(other)
            assert (await port.read(base, BURST_BYTES)).resp == AxiResp.SLVERR, f"pc {pc}: address bit {bit}"
            del bench.dram.stored[asked]
        await bench.check(pc, base, BURST_BYTES)
        assert await bench.count(pc, UNCORRECTED) >= 5
