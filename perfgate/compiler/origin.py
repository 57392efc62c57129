"""Provenance: where each kernel comes from, and what became of each node of the model."""

from __future__ import annotations

from enum import StrEnum

import msgspec

FILE_BITS, LINE_BITS, COLUMN_BITS, FLAG_BITS = 12, 20, 8, 8
MOST_COLUMN = (1 << COLUMN_BITS) - 1


class SourceCode(msgspec.Struct, frozen=True, gc=False):
    """A source place in 48 bits: file 12, line 20, column 8 and flags 8, from high to low.

    File 0x042, line 1337, column 15, flag 0x01 is 0x042005390F01. A column beyond 255 is stored as 255: it
    only helps to find a word in a line. A file or line that does not fit would name another place and raises.
    """

    file: int
    line: int
    column: int = 0
    flags: int = 0

    def pack(self) -> int:
        """The 48-bit number.

        Raises:
            OverflowError: file, line or flags need more bits than they have, or a part is negative.
        """
        for name, value, bits in (
            ("file", self.file, FILE_BITS),
            ("line", self.line, LINE_BITS),
            ("flags", self.flags, FLAG_BITS),
        ):
            if not 0 <= value < 1 << bits:
                raise OverflowError(f"{name} {value} does not fit in {bits} bits")
        if self.column < 0:
            raise OverflowError(f"column {self.column} is negative")
        column = min(self.column, MOST_COLUMN)
        low = COLUMN_BITS + FLAG_BITS
        return self.file << (LINE_BITS + low) | self.line << low | column << FLAG_BITS | self.flags

    @staticmethod
    def unpack(code: int) -> SourceCode:
        """The parts of a packed place.

        Raises:
            OverflowError: the number has more than 48 bits or is negative.
        """
        if not 0 <= code < 1 << (FILE_BITS + LINE_BITS + COLUMN_BITS + FLAG_BITS):
            raise OverflowError(f"{code:#x} is no 48-bit source code")
        low = COLUMN_BITS + FLAG_BITS
        return SourceCode(
            file=code >> (LINE_BITS + low),
            line=code >> low & ((1 << LINE_BITS) - 1),
            column=code >> FLAG_BITS & MOST_COLUMN,
            flags=code & ((1 << FLAG_BITS) - 1),
        )


class Origin(msgspec.Struct, frozen=True, gc=False):
    """Where a kernel comes from: packed places, indices into `Program.owners`, and the steps that led here.

    A step is (pass, kind); kinds: fused, folded, deleted, moved, inlined, unrolled, inserted, split. The
    files of the places are `Program.files`.
    """

    places: tuple[int, ...]
    nodes: tuple[int, ...]
    steps: tuple[tuple[str, str], ...] = ()


class ResidueKind(StrEnum):
    """How a node of the model can end without a kernel."""

    CONSTANT = "constant"  # its result is known when compiling
    TOMBSTONE = "tombstone"  # removed: its result is not needed, or is another name for other bytes


class Residue(msgspec.Struct, frozen=True, gc=False):
    """What became of one node (an index into `Program.owners`) that ends in no kernel.

    `text` keeps the expression of a constant, or the reason of a tombstone.
    """

    node: int
    kind: ResidueKind
    text: str
