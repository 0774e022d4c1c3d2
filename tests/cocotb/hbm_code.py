# SPDX-License-Identifier: Apache-2.0
"""Where a burst lies and which metadata travel with it, written from the register descriptions and from the definition of
the code (M. Y. Hsiao, IBM J. R&D 1970), not from the controller's sources or the C++ model's."""
from itertools import combinations
from typing import NamedTuple

BURST_BYTES = 32
DATA_BITS, TAG_BITS, CHECK_BITS = 256, 6, 10
BURST_BITS = DATA_BITS + TAG_BITS + CHECK_BITS

# Reset values of the address map's registers: masks of the 32-byte address whose parities are BA0, BA1, BA2 and BG.
MAP_MASKS = (0x1249040, 0x0492080, 0x0924100, 0x0000A08)


class Place(NamedTuple):
    pc: int
    bank: int  # {SID, BG, BA}
    row: int
    col: int

    def packed(self):
        return (self.bank << 14 | self.row) << 5 | self.col


def place_of(pc, address):
    """Of a byte address with two stack IDs and the address map at its reset values."""
    beat = address // BURST_BYTES
    bank = beat >> 23 << 4
    for i, mask in enumerate(MAP_MASKS):
        bank |= ((beat & mask).bit_count() & 1) << i
    return Place(pc, bank, (beat >> 21 & 3) << 12 | beat >> 9 & 0xFFF, (beat >> 4 & 3) << 3 | beat & 7)


def _parity_masks():
    """Of data and tag, for each check bit: columns are the 10-bit values of weight 3, then 5, each kind in ascending order."""
    columns = []
    for weight in (3, 5):
        columns += sorted(sum(1 << b for b in bits) for bits in combinations(range(CHECK_BITS), weight))
    return [sum((c >> i & 1) << j for j, c in enumerate(columns[: DATA_BITS + TAG_BITS])) for i in range(CHECK_BITS)]


_MASKS = _parity_masks()


def encode(place, data):
    """The 272 bits {check, tag, data} of a burst; data is an integer of 256 bits."""
    address, tag = place.packed(), 0
    while address:
        tag ^= address & (1 << TAG_BITS) - 1
        address >>= TAG_BITS
    word = tag << DATA_BITS | data
    check = sum(((word & mask).bit_count() & 1) << i for i, mask in enumerate(_MASKS))
    return check << DATA_BITS + TAG_BITS | word


def data_of(burst):
    return burst & (1 << DATA_BITS) - 1
