"""Pass 11, memory: where every buffer lies.

Greedy by size with best fit: large buffers first, each into the smallest gap that is free for its whole
life. Within a few percent of the lower bound on real graphs; no guarantee for adversarial ones. Weights,
activations, workspace and host staging are separate pools; offsets count from the start of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from perfgate.compiler.intervals import IntervalIndex, best_gap
from perfgate.compiler.partial_order import OrderIndex, PartialOrder
from perfgate.compiler.program import Buffer, Pool
from perfgate.compiler.storage import NEVER

if TYPE_CHECKING:
    from perfgate.compiler.storage import Storage

ALIGNMENT = 512
Index: TypeAlias = IntervalIndex | OrderIndex


class Timing(NamedTuple):
    """How lives are counted.

    `kernels` is their number; `held` are buffers that outlive the program; `order` is given when several
    streams run it, so that the order of issue proves nothing. Without `reuses` all get bytes of their own.
    """

    kernels: int
    held: frozenset[int]
    order: PartialOrder | None = None
    reuses: bool = True


def aligned(size: int) -> int:
    """Size on the allocator's grid."""
    return -(-size // ALIGNMENT) * ALIGNMENT


class Plan(NamedTuple):
    """Placed buffers by id, and the highest address of each pool."""

    buffers: tuple[Buffer, ...]
    extents: dict[Pool, int]


def plan_buffers(storage: Storage, timing: Timing) -> Plan:
    """Offsets for all buffers of a lowered program."""
    for buffer in timing.held:
        storage.last[buffer] = timing.kernels
    offsets = [0] * len(storage.sizes)
    in_place = _joined(storage, timing) if timing.reuses else {}
    chains = _chains(in_place)
    extents: dict[Pool, int] = {}
    for pool, members in _members(storage, in_place).items():
        if timing.reuses and pool is not Pool.WEIGHTS:
            extents[pool] = _place(storage, members, _index(storage, members, chains, timing), offsets)
        else:
            extents[pool] = _stack(storage, members, offsets)
    for buffer, operand in in_place.items():  # results come after their operands, so these are placed
        offsets[buffer] = offsets[operand]
    columns = zip(
        storage.names, storage.sizes, storage.pools, storage.layouts, offsets, storage.first, storage.last,
        strict=True,
    )  # fmt: skip
    buffers = [
        Buffer(number, name, size, pool, layout, in_place.get(number, -1), offset, first, last)
        for number, (name, size, pool, layout, offset, first, last) in enumerate(columns)
    ]
    return Plan(tuple(buffers), extents)


def _members(storage: Storage, in_place: dict[int, int]) -> dict[Pool, list[int]]:
    """The buffers that need bytes of their own, by pool; what no kernel touches needs none."""
    weights = Pool.WEIGHTS
    found: dict[Pool, list[int]] = {}
    for number, (pool, first) in enumerate(zip(storage.pools, storage.first, strict=True)):
        if pool is weights or (first != NEVER and number not in in_place):
            found.setdefault(pool, []).append(number)
    return found


def _stack(storage: Storage, members: list[int], offsets: list[int]) -> int:
    """One after the other, without reuse; the answer is the end of the last."""
    end = 0
    for buffer in members:
        offsets[buffer] = end
        end += aligned(storage.sizes[buffer])
    return end


def _joined(storage: Storage, timing: Timing) -> dict[int, int]:
    """Results that overwrite an operand which nobody reads later, by result."""
    first, last, pools, order = storage.first, storage.last, storage.pools, timing.order
    taken: set[int] = set()
    joined: dict[int, int] = {}
    for result, operand in storage.reusable.items():
        writer = first[result]
        if operand in taken or operand in timing.held or pools[operand] is not Pool.ACTIVATIONS:
            continue
        if last[operand] == writer and (order is None or order.all_before(order.users((operand,)), writer)):
            joined[result] = operand
            taken.add(operand)
    return joined


def _chains(in_place: dict[int, int]) -> dict[int, list[int]]:
    """All buffers that hold the same bytes one after the other, by the first of them."""
    follower = {operand: result for result, operand in in_place.items()}
    chains: dict[int, list[int]] = {}
    for root in follower:
        if root in in_place:
            continue
        chain = [root]
        while chain[-1] in follower:
            chain.append(follower[chain[-1]])
        chains[root] = chain
    return chains


def _index(storage: Storage, members: list[int], chains: dict[int, list[int]], timing: Timing) -> Index:
    first, last, order = storage.first, storage.last, timing.order
    if order is None:
        return IntervalIndex([(first[n], last[chains[n][-1]] if n in chains else last[n]) for n in members])
    # What a kernel needs for itself is no operand, so only its first use is known.
    users = [order.users(chains.get(member, (member,))) or [first[member]] for member in members]
    return OrderIndex(order, [first[member] for member in members], users)


def _place(storage: Storage, members: list[int], index: Index, offsets: list[int]) -> int:
    """Greedy by size; the answer is the highest address."""
    sizes = storage.sizes
    highest = 0
    order = sorted(range(len(members)), key=lambda position: -sizes[members[position]])
    for position in order:
        size = aligned(sizes[members[position]])
        offset = offsets[members[position]] = best_gap(index.overlapping(position), size)
        index.add(position, (offset, offset + size))
        highest = max(highest, offset + size)
    return highest
