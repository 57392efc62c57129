"""Replay of an allocation log: how much is live when, what holds it at the peak, what is never given back.

Times and sizes are whole numbers in the unit of the log (picoseconds and bytes for a profile's own).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

ALLOC, FREE = "alloc", "free"


class AllocationEvent(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Bytes taken (`alloc`) or given back (`free`); `block` tells live ones apart, as an address does.

    `op` is the type of the operator that asked, `owner` its number (-1: none), `scope` its place in the
    model. A `free` needs time, kind and block only.
    """

    time: int
    kind: str
    block: str
    size: int = 0
    tensor: str = ""
    op: str = ""
    scope: str = ""
    owner: int = -1
    iteration: int = 0
    offset: int = 0


class Block(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Bytes that `taken` took at `start`; given back at `end`, None: not in this log.

    `first` and `last` are the positions of both events in the log: at equal times its order decides.
    """

    taken: AllocationEvent
    first: int
    end: int | None = None
    last: int | None = None

    @property
    def start(self) -> int:
        """When it was taken."""
        return self.taken.time

    @property
    def size(self) -> int:
        """Bytes."""
        return self.taken.size

    def is_live_after(self, position: int) -> bool:
        """Taken by the event of this position or one before, and not given back by them."""
        return self.first <= position and (self.last is None or position < self.last)


class Peak(msgspec.Struct, frozen=True, kw_only=True):
    """The first moment with the most live bytes; `position` of its event, `live` is largest first."""

    time: int
    size: int
    position: int
    live: tuple[Block, ...]

    @property
    def reached_by(self) -> Block:
        """The block whose allocation made it the peak."""
        return max(self.live, key=lambda block: block.first)

    @property
    def owner(self) -> Block:
        """The largest block of the operator that holds the most bytes, of equals the one met first."""
        held: Counter[tuple[int, str, str]] = Counter()
        for block in self.live:
            held[_asker(block)] += block.size
        return max(self.live, key=lambda block: (held[_asker(block)], block.size, -block.first))


@dataclass(frozen=True, kw_only=True)
class Replay:
    """A log played from its start: `blocks` in order of allocation, `curve` of (time, live bytes) by event.

    `iterations` is that of each event, and never falls: an event without one belongs to the current one.
    `unknown_frees` gave back what the log never took (it begins in the
    middle). `lost_frees` are blocks that were taken again while they seemed live: their end is missing, and
    is put there.
    """

    blocks: tuple[Block, ...]
    curve: tuple[tuple[int, int], ...]
    iterations: tuple[int, ...] = ()
    unknown_frees: int = 0
    lost_frees: int = 0

    @property
    def never_freed(self) -> tuple[Block, ...]:
        """Blocks that are live when the log ends."""
        return tuple(block for block in self.blocks if block.last is None)

    @property
    def duration(self) -> int:
        """From the first event to the last."""
        return self.curve[-1][0] - self.curve[0][0] if self.curve else 0

    @property
    def mean(self) -> float:
        """Live bytes on average over the duration; 0 where that is 0."""
        area = sum(live * (after - time) for (time, live), (after, _) in pairwise(self.curve))
        return area / self.duration if self.duration else 0.0

    @cached_property
    def peak(self) -> Peak | None:
        """None: nothing was taken."""
        if not self.blocks:
            return None
        position = max(range(len(self.curve)), key=lambda place: (self.curve[place][1], -place))
        live = [block for block in self.blocks if block.is_live_after(position)]
        time, size = self.curve[position]
        return Peak(
            time=time,
            size=size,
            position=position,
            live=tuple(sorted(live, key=lambda block: (-block.size, block.first))),
        )


def replay(events: Iterable[AllocationEvent]) -> Replay:
    """Play a log in order of time; events of one moment stay in the order of the log.

    Raises:
        ValueError: a size below zero, or an event that is neither `alloc` nor `free`.
    """
    play = _Play()
    log = sorted(events, key=lambda event: event.time)
    for position, event in enumerate(log):
        play.apply(position, event)
    blocks = [*play.closed, *play.live.values()]
    return Replay(
        blocks=tuple(sorted(blocks, key=lambda block: block.first)),
        curve=tuple(play.curve),
        iterations=tuple(accumulate((event.iteration for event in log), max)),
        unknown_frees=play.unknown_frees,
        lost_frees=play.lost_frees,
    )


@dataclass(slots=True)
class _Play:
    """The state of a replay between two events."""

    live: dict[str, Block] = field(default_factory=dict)
    closed: list[Block] = field(default_factory=list)
    curve: list[tuple[int, int]] = field(default_factory=list)
    size: int = 0
    unknown_frees: int = 0
    lost_frees: int = 0

    def apply(self, position: int, event: AllocationEvent) -> None:
        if event.kind not in {ALLOC, FREE} or event.size < 0:
            raise ValueError(f"no event of an allocation log: {event}")
        is_known = self._close(position, event)
        if event.kind == ALLOC:
            self.lost_frees += is_known
            self.live[event.block] = Block(taken=event, first=position)
            self.size += event.size
        else:
            self.unknown_frees += not is_known
        self.curve.append((event.time, self.size))

    def _close(self, position: int, event: AllocationEvent) -> bool:
        block = self.live.pop(event.block, None)
        if block is None:
            return False
        self.closed.append(msgspec.structs.replace(block, end=event.time, last=position))
        self.size -= block.size
        return True


def _asker(block: Block) -> tuple[int, str, str]:
    return (block.taken.owner, block.taken.op, block.taken.scope)
