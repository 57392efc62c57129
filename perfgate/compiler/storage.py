"""The buffers of a program while it is lowered, as parallel lists: size, pool, first and last use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.layouts import BLOCKED, MATRIX_BLOCKED, stored_bytes
from perfgate.graph.ir import ITEM_BYTES

if TYPE_CHECKING:
    from perfgate.compiler.program import Pool
    from perfgate.compiler.workgraph import WorkValue
    from perfgate.core.device import Device

NEVER = -1


class Storage:
    """Row i describes buffer i; `first` and `last` are kernel indices, NEVER until touched.

    `looped` are buffers that a loop body reads from outside. `reusable` maps a result to the operand whose
    bytes it may overwrite if they are dead by then.
    """

    __slots__ = ("_device", "first", "last", "layouts", "looped", "names", "pools", "reusable", "sizes")

    def __init__(self, device: Device) -> None:
        self._device = device
        self.names: list[str] = []
        self.sizes: list[int] = []
        self.pools: list[Pool] = []
        self.layouts: list[str] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.reusable: dict[int, int] = {}
        self.looped: frozenset[int] = frozenset()

    def add(self, value: WorkValue, pool: Pool) -> int:
        """A buffer for a value in its storage layout."""
        layout = value.layout
        if layout in (BLOCKED, MATRIX_BLOCKED):
            size = stored_bytes(value, layout, self._device)
        else:
            size = ITEM_BYTES[value.dtype]
            for length in value.shape:
                size *= length
        return self.add_raw(value.name, size, pool, layout)

    def add_raw(self, name: str, size: int, pool: Pool, layout: str) -> int:
        """A buffer of a given size."""
        self.names.append(name)
        self.sizes.append(size)
        self.pools.append(pool)
        self.layouts.append(layout)
        self.first.append(NEVER)
        self.last.append(NEVER)
        return len(self.sizes) - 1

    def touch(self, buffer: int, kernel: int) -> None:
        """A kernel reads or writes the buffer; kernels come in issue order."""
        if self.first[buffer] == NEVER:
            self.first[buffer] = kernel
        self.last[buffer] = kernel

    def extend_over_loop(self, start: int, end: int) -> None:
        """What a loop body reads from outside must live until its last iteration is over."""
        for buffer, first in enumerate(self.first):
            if first < start <= self.last[buffer]:
                self.last[buffer] = end
                self.looped = self.looped | {buffer}
