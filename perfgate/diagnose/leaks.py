"""Leaks: what an allocation log never gives back by operator, and whether live bytes keep growing."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from perfgate.stats.trend import MIN_POINTS, TimeToLimit, Trend, find_trend, time_to_limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.diagnose.memory import Block, Replay


class LeakRow(msgspec.Struct, frozen=True, kw_only=True):
    """Allocations of one operator type, and of them the blocks that are live when the log ends.

    `scopes` are (place in the model, bytes) of what is live, most first. `iterations` is in how many of them
    it was taken: what stays from one alone may be a cache or weights, what stays from each is a leak.
    """

    op: str
    allocations: int
    frees: int
    bytes: int
    scopes: tuple[tuple[str, int], ...] = ()
    iterations: int = 0

    @property
    def blocks(self) -> int:
        """Blocks that were never given back."""
        return self.allocations - self.frees

    @property
    def bytes_per_block(self) -> float:
        """Mean size of a block that was never given back; 0 when none is."""
        return self.bytes / self.blocks if self.blocks else 0.0


class LeakTrend(msgspec.Struct, frozen=True, kw_only=True):
    """Live bytes at the end of iterations: per iteration in `trend`; `to_limit` in iterations from the last.

    `to_limit` is None when they do not grow. A cache that fills and levels off does not grow.
    """

    iterations: int
    now: float
    trend: Trend
    to_limit: TimeToLimit | None

    @property
    def is_growing(self) -> bool:
        """Both slopes lie above zero, and the last third alone still grows."""
        return self.trend.is_growing

    @property
    def steadiness(self) -> float:
        """Growth of the last third over that of the whole: 1 for a leak, towards 0 for a cache that fills."""
        whole = self.trend.robust.value
        return self.trend.last_third.value / whole if whole else 0.0


def leak_table(played: Replay) -> tuple[LeakRow, ...]:
    """One row for each operator type, the most bytes never given back first, then by name."""
    by_op: dict[str, list[Block]] = defaultdict(list)
    for block in played.blocks:
        by_op[block.taken.op].append(block)
    rows = [_row(op, blocks) for op, blocks in by_op.items()]
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.op)))


def live_at_end(played: Replay) -> tuple[int, ...]:
    """Live bytes after the last event of each iteration that the log knows, in order of iterations."""
    ends: dict[int, int] = {}
    for iteration, (_, live) in zip(played.iterations, played.curve, strict=True):
        ends[iteration] = live
    return tuple(ends[iteration] for iteration in sorted(ends))


def leak_trend(ends: Sequence[float], limit: float) -> LeakTrend | None:
    """Trend of live bytes by iteration, and when they reach the device's `limit`; None: under six iterations.

    The time to the limit follows the robust slope, its interval that of the slope.
    """
    if len(ends) < MIN_POINTS:
        return None
    trend = find_trend(ends)
    now = float(ends[-1])
    reached = time_to_limit(min(now, limit), limit, trend.robust) if trend.is_growing else None
    return LeakTrend(iterations=len(ends), now=now, trend=trend, to_limit=reached)


def _row(op: str, blocks: Iterable[Block]) -> LeakRow:
    scopes: Counter[str] = Counter()
    iterations = set()
    allocations = frees = 0
    for block in blocks:
        allocations += 1
        if block.last is not None:
            frees += 1
            continue
        scopes[block.taken.scope] += block.size
        iterations.add(block.taken.iteration)
    return LeakRow(
        op=op,
        allocations=allocations,
        frees=frees,
        bytes=scopes.total(),
        scopes=tuple(sorted(scopes.items(), key=lambda item: (-item[1], item[0]))),
        iterations=len(iterations),
    )
