"""The buffers of a program while it is lowered, as parallel lists: size, pool, first and last use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.layouts import BLOCKED, MATRIX_BLOCKED, stored_bytes
from perfgate.graph.ir import ITEM_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.compiler.program import Kernel, Pool
    from perfgate.compiler.workgraph import WorkValue
    from perfgate.core.device import Device

NEVER = -1


class Storage:
    """Row i describes buffer i; `first` and `last` are kernel indices, NEVER until touched.

    `users` are all kernels that touch a buffer, filled in for several streams only. `reusable` maps a result to the operand whose bytes it may overwrite if they are dead by then.
    """

    __slots__ = ("_device", "first", "last", "layouts", "names", "pools", "reusable", "sizes", "users")

    def __init__(self, device: Device) -> None:
        self._device = device
        self.names: list[str] = []
        self.sizes: list[int] = []
        self.pools: list[Pool] = []
        self.layouts: list[str] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.reusable: dict[int, int] = {}
        self.users: dict[int, list[int]] = {}

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

    def list_users(self, kernels: Sequence[Kernel]) -> None:
        """Fill `users` from the operands of the kernels."""
        users: dict[int, list[int]] = {}
        for kernel in kernels:
            for access in (*kernel.reads, *kernel.writes):
                users.setdefault(access.buffer, []).append(kernel.index)
        self.users = users

    def extend_over_loop(self, start: int, end: int) -> None:
        """What a loop body reads from outside must live until its last iteration is over."""
        for buffer, first in enumerate(self.first):
            if first < start <= self.last[buffer]:
                self.last[buffer] = end
