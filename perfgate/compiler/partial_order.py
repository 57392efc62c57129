"""Which buffers are never alive together when several streams run a program.

Bytes may be used again by a kernel that depends on every kernel that touched them; the order of issue
proves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from perfgate.compiler.program import Kernel

_BITS = 8


class PartialOrder:
    """Ancestors of every kernel as rows of bits, and the kernels that touch each buffer.

    10,000 kernels take 12 MB; a query looks at all buffers at once. Paid only with more than one stream.
    """

    __slots__ = ("_ancestors", "_count", "_users")

    def __init__(self, kernels: Sequence[Kernel], held: frozenset[int]) -> None:
        self._count = len(kernels)
        width = self._count // _BITS + 1  # one bit more than kernels: the end, which nobody depends on
        masks: list[int] = []
        users: dict[int, list[int]] = {}
        for kernel in kernels:
            mask = 0
            for dependency in kernel.dependencies:
                mask |= masks[dependency] | 1 << dependency
            masks.append(mask)
            for access in (*kernel.reads, *kernel.writes):
                users.setdefault(access.buffer, []).append(kernel.index)
        for buffer in held:
            users.setdefault(buffer, []).append(self._count)
        rows = b"".join(mask.to_bytes(width, "little") for mask in masks)
        self._ancestors: NDArray[np.uint8] = np.frombuffer(rows, dtype=np.uint8).reshape(-1, width)
        self._users = users

    def users(self, buffers: Sequence[int]) -> list[int]:
        """Kernels that touch any of the buffers; the number of kernels stands for "outlives the program"."""
        return [user for buffer in buffers for user in self._users.get(buffer, ())]

    def all_before(self, users: Sequence[int], kernel: int) -> bool:
        """The kernel depends on each of the others."""
        row = self._ancestors[kernel]
        return all(user == kernel or row[user // _BITS] >> (user % _BITS) & 1 for user in users)

    def before(self, kernel: int) -> NDArray[np.bool_]:
        """Which kernels the given one depends on; the last entry is the end, always False."""
        bits = np.unpackbits(self._ancestors[kernel], bitorder="little")
        return bits[: self._count + 1].astype(np.bool_)

    def depending(self, kernels: NDArray[np.int64], users: Sequence[int]) -> NDArray[np.bool_]:
        """Which of the kernels depend on all the users."""
        result = np.ones(len(kernels), dtype=np.bool_)
        for user in users:
            result &= (self._ancestors[kernels, user // _BITS] >> (user % _BITS) & 1).astype(np.bool_)
        return result


class OrderIndex:
    """Placed blocks, to find those that may be alive together with a buffer."""

    __slots__ = ("_first", "_high", "_low", "_order", "_placed", "_starts", "_users", "_users_flat")

    def __init__(self, order: PartialOrder, first: list[int], users: list[list[int]]) -> None:
        self._order = order
        self._first = np.array(first, dtype=np.int64)
        self._users = users
        self._users_flat = np.array([user for group in users for user in group], dtype=np.int64)
        self._starts = np.cumsum([0, *(len(group) for group in users)])[:-1]
        count = len(first)
        self._placed = np.zeros(count, dtype=np.bool_)
        self._low, self._high = np.zeros((2, count), dtype=np.int64)

    def overlapping(self, member: int) -> list[tuple[int, int]]:
        """Blocks of placed members that are not certain to be dead or unborn, sorted by address."""
        before = self._order.before(int(self._first[member]))
        dead = np.logical_and.reduceat(before[self._users_flat], self._starts)
        unborn = self._order.depending(self._first, self._users[member])
        found = np.flatnonzero(self._placed & ~dead & ~unborn)
        return sorted(zip(self._low[found].tolist(), self._high[found].tolist(), strict=True))

    def add(self, member: int, block: tuple[int, int]) -> None:
        """Place a member."""
        self._placed[member] = True
        self._low[member], self._high[member] = block
