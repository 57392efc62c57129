"""Pass 11, memory: where every buffer lies.

Greedy by size with best fit: large buffers first, each into the smallest gap that is free for its whole life.
Within a few percent of the lower bound on real graphs; no guarantee for adversarial ones. Weights, activations,
workspace and host staging are separate pools; offsets count from the start of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfgate.compiler.intervals import IntervalIndex
from perfgate.compiler.program import Buffer, Pool
from perfgate.compiler.storage import NEVER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.compiler.storage import Storage

ALIGNMENT = 512
_PLANNED = (Pool.ACTIVATIONS, Pool.WORKSPACE, Pool.HOST)


class Timing(NamedTuple):
    """How lives are counted.

    `kernels` is their number; `held` are buffers that outlive the program. `release` gives for each kernel the
    index from which on every kernel that writes memory runs after it; None when one stream runs all in order.
    """

    kernels: int
    held: frozenset[int]
    release: Sequence[int] | None = None
    reuses: bool = True  # False: every buffer gets bytes of its own


def aligned(size: int) -> int:
    """Size on the allocator's grid."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def plan_buffers(storage: Storage, timing: Timing) -> tuple[Buffer, ...]:
    """Offsets for all buffers of a lowered program."""
    for buffer in timing.held:
        storage.last[buffer] = timing.kernels
    offsets = [0] * len(storage.sizes)
    in_place = _joined(storage, timing) if timing.reuses else {}
    _stack(storage, [number for number, pool in enumerate(storage.pools) if pool is Pool.WEIGHTS], offsets)
    ends = _chain_ends(in_place)
    for pool in _PLANNED:
        members = [
            n
            for n, p in enumerate(storage.pools)
            if p is pool and n not in in_place and storage.first[n] != NEVER
        ]
        if timing.reuses:
            _place(storage, members, _lives(storage, members, ends, timing), offsets)
        else:
            _stack(storage, members, offsets)
    for buffer, operand in in_place.items():  # results come after their operands, so these are placed
        offsets[buffer] = offsets[operand]
    columns = zip(
        storage.names,
        storage.sizes,
        storage.pools,
        storage.layouts,
        offsets,
        storage.first,
        storage.last,
        strict=True,
    )
    return tuple(
        [
            Buffer(number, name, size, pool, layout, in_place.get(number, -1), offset, first, last)
            for number, (name, size, pool, layout, offset, first, last) in enumerate(columns)
        ]
    )


def _stack(storage: Storage, members: list[int], offsets: list[int]) -> None:
    """One after the other, without reuse."""
    end = 0
    for buffer in members:
        offsets[buffer] = end
        end += aligned(storage.sizes[buffer])


def _joined(storage: Storage, timing: Timing) -> dict[int, int]:
    """Results that overwrite an operand which nobody reads later, by result."""
    first, last, pools = storage.first, storage.last, storage.pools
    taken: set[int] = set()
    joined: dict[int, int] = {}
    for result, operand in storage.reusable.items():
        writer = first[result]
        is_free = operand not in taken and operand not in timing.held and pools[operand] is Pool.ACTIVATIONS
        if is_free and last[operand] == writer and _is_last_reader(storage, operand, writer, timing):
            joined[result] = operand
            taken.add(operand)
    return joined


def _is_last_reader(storage: Storage, operand: int, writer: int, timing: Timing) -> bool:
    """With several streams an earlier reader may still run when the writer starts, unless it must come first."""
    release = timing.release
    return release is None or all(
        user == writer or release[user] <= writer for user in storage.users.get(operand, ())
    )


def _chain_ends(in_place: dict[int, int]) -> dict[int, int]:
    """The last result of each in-place chain, by the buffer that holds the bytes."""
    follower = {operand: result for result, operand in in_place.items()}
    ends: dict[int, int] = {}
    for buffer in follower:
        if buffer in in_place:
            continue
        end = buffer
        while end in follower:
            end = follower[end]
        ends[buffer] = end
    return ends


def _lives(
    storage: Storage, members: list[int], ends: dict[int, int], timing: Timing
) -> list[tuple[int, int]]:
    """First and last kernel during which nobody else may use the bytes, per member."""
    first, last, release = storage.first, storage.last, timing.release
    lives = []
    for buffer in members:
        end = ends.get(buffer, buffer)
        until = last[end]
        if release is not None and until < timing.kernels:
            chain = (buffer, end) if end != buffer else (buffer,)
            users = [user for member in chain for user in storage.users.get(member, ())]
            until = max([until, *(release[user] - 1 for user in users)])
        lives.append((first[buffer], until))
    return lives


def _place(storage: Storage, members: list[int], lives: list[tuple[int, int]], offsets: list[int]) -> None:
    sizes = storage.sizes
    index = IntervalIndex()
    order = sorted(range(len(members)), key=lambda position: -sizes[members[position]])
    for position in order:
        buffer = members[position]
        first, last = lives[position]
        size = aligned(sizes[buffer])
        offset = offsets[buffer] = index.best_gap(first, last, size)
        index.add(first, last, (offset, offset + size))
