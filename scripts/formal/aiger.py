# SPDX-License-Identifier: Apache-2.0
"""Binary AIGER files of a design with bad states and constraints: a choice of its properties, and the step of an induction."""


class Aiger:
    """inputs, latches: counts. next: a literal a latch. gates: two literals each. bad, constraints: literals. head, lines, body: as read."""

    def __init__(self, file):
        self.head, rest = file.read_bytes().split(b"\n", 1)
        _, self.inputs, self.latches, self.outputs, self.gate_count, bad, constraints = map(int, [*self.head.split()[1:], b"0", b"0"][:7])
        count = self.latches + self.outputs + bad + constraints
        *self.lines, self.body = rest.split(b"\n", count)
        self.first_bad = self.latches + self.outputs
        self.next = [int(line.split()[0]) for line in self.lines[:self.latches]]
        self.bad = [int(line) for line in self.lines[self.first_bad:self.first_bad + bad]]
        self.constraints = [int(line) for line in self.lines[self.first_bad + bad:]]

    def gates(self):
        at, gate = 0, 2 * (self.inputs + self.latches)
        for _ in range(self.gate_count):
            gate, low = gate + 2, []
            for _ in range(2):
                value = shift = 0
                while True:
                    byte, at = self.body[at], at + 1
                    value |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        break
                low.append(value)
            yield gate - low[0], gate - low[0] - low[1]


def only_bad(file, kept):
    """Leaves in the file only these of its properties, so that one induction may use them all."""
    aig = Aiger(file)
    numbers = aig.head.split()
    numbers[6] = b"%d" % len(kept)
    after = aig.first_bad + len(aig.bad)
    lines = [*aig.lines[:aig.first_bad], *(b"%d" % aig.bad[k] for k in kept), *aig.lines[after:]]
    file.write_bytes(b"\n".join([b" ".join(numbers), *lines, aig.body]))


def write_step(file, step, clocks):
    """step: a combinational file whose output can be 1 if and only if, from some state, constraints hold in clocks 0 to `clocks`,
    no property fails before the last of these, and one fails in it."""
    aig = Aiger(file)
    pins, known, made = aig.latches + aig.inputs * (clocks + 1), {}, []

    def both(a, b):
        a, b = max(a, b), min(a, b)
        if b == 0 or a == b ^ 1:
            return 0
        if b == 1 or a == b:
            return a
        if (a, b) not in known:
            made.append((a, b))
            known[a, b] = 2 * (pins + len(made))
        return known[a, b]

    gates = list(aig.gates())
    state, legal, good = [2 * (1 + j) for j in range(aig.latches)], 1, 1
    for clock in range(clocks + 1):
        value = [0, *(2 * (1 + aig.latches + clock * aig.inputs + i) for i in range(aig.inputs)), *state]
        for a, b in gates:
            value.append(both(value[a >> 1] ^ a & 1, value[b >> 1] ^ b & 1))
        for c in aig.constraints:
            legal = both(legal, value[c >> 1] ^ c & 1)
        for b in aig.bad:
            fine = value[b >> 1] ^ b & 1 ^ 1
            if clock < clocks:
                legal = both(legal, fine)
            else:
                good = both(good, fine)
        state = [value[x >> 1] ^ x & 1 for x in aig.next]
    failed = both(legal, good ^ 1)

    def encoded(x):
        low = b""
        while x > 127:
            low, x = low + bytes([x & 127 | 128]), x >> 7
        return low + bytes([x])

    data = b"".join(encoded(2 * (pins + i + 1) - a) + encoded(a - b) for i, (a, b) in enumerate(made))
    step.write_bytes(b"aig %d %d 0 1 %d\n%d\n" % (pins + len(made), pins, len(made), failed) + data)
