"""Pass 11, memory: where every buffer lies, and what the peak is made of.

Lifetimes are kernel indices in issue order when one stream runs the program. Greedy by size with best fit:
large buffers first, each into the smallest gap that is free for its whole life. Within a few percent of the
lower bound on real graphs; no guarantee for adversarial ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.intervals import IntervalIndex
from perfgate.compiler.program import Buffer, Pool
from perfgate.compiler.storage import NEVER

if TYPE_CHECKING:
    from perfgate.compiler.storage import Storage

ALIGNMENT = 512


def aligned(size: int) -> int:
    """Size on the allocator's grid."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def plan_buffers(storage: Storage, kernels: int, held: frozenset[int]) -> tuple[Buffer, ...]:
    """Offsets for all buffers; `held` are those that outlive the program (results, states)."""
    last = storage.last
    for buffer in held:
        last[buffer] = kernels
    offsets = [0] * len(storage.sizes)
    in_place = _joined(storage, held)
    weights = 0
    activations: list[int] = []
    for buffer, pool in enumerate(storage.pools):
        if pool is Pool.WEIGHTS:
            offsets[buffer] = weights
            weights += aligned(storage.sizes[buffer])
        elif buffer not in in_place:
            activations.append(buffer)
    groups = _groups(activations, in_place)
    _place(storage, activations, groups, offsets)
    for buffer, root in in_place.items():
        offsets[buffer] = offsets[_root(in_place, root)]
    return tuple(
        [
            Buffer(
                number, storage.names[number], storage.sizes[number], storage.pools[number], storage.layouts[number],
                in_place.get(number, -1), offsets[number], storage.first[number], last[number],
            )
            for number in range(len(offsets))
        ]
    )  # fmt: skip


def _joined(storage: Storage, held: frozenset[int]) -> dict[int, int]:
    """Results that overwrite a dead operand, by result."""
    first, last, pools = storage.first, storage.last, storage.pools
    taken: set[int] = set()
    joined = {}
    for result, operand in storage.reusable.items():
        if operand in taken or operand in held or pools[operand] is not Pool.ACTIVATIONS:
            continue
        if last[operand] == first[result]:
            joined[result] = operand
            taken.add(operand)
    return joined


def _root(in_place: dict[int, int], buffer: int) -> int:
    while buffer in in_place:
        buffer = in_place[buffer]
    return buffer


def _groups(activations: list[int], in_place: dict[int, int]) -> dict[int, int]:
    """The last buffer of each in-place chain, by its first one."""
    ends: dict[int, int] = {}
    follower = {operand: result for result, operand in in_place.items()}
    for buffer in activations:
        end = buffer
        while end in follower:
            end = follower[end]
        if end != buffer:
            ends[buffer] = end
    return ends


def _place(storage: Storage, activations: list[int], groups: dict[int, int], offsets: list[int]) -> None:
    first, last, sizes = storage.first, storage.last, storage.sizes
    indexes = {Pool.ACTIVATIONS: IntervalIndex(), Pool.WORKSPACE: IntervalIndex(), Pool.HOST: IntervalIndex()}
    order = sorted(activations, key=lambda buffer: (-sizes[buffer], buffer))
    for buffer in order:
        if first[buffer] == NEVER:
            continue
        end = last[groups.get(buffer, buffer)]
        size = aligned(sizes[buffer])
        index = indexes[storage.pools[buffer]]
        offsets[buffer] = index.best_gap(first[buffer], end, size)
        index.add(first[buffer], end, (offsets[buffer], offsets[buffer] + size))
