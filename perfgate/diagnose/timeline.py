"""What engines do at the same time: coverage, overlap and waits of the spans of one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.execution_profile import KernelRow, Profile

COMPUTE = frozenset({"matrix", "vector", "dma"})  # engines of the device itself; `dma` runs layout kernels
LINK = frozenset({"h2d", "d2h"})
FIRST = 0  # the usual step is the first program

_Span = tuple[int, int]


def step_kernels(profile: Profile) -> tuple[KernelRow, ...]:
    """Kernels of the usual step that have a place on the timeline."""
    return tuple([row for row in profile.kernels if row.program == FIRST and row.index >= 0])


def span(row: KernelRow) -> _Span:
    """Start and end."""
    return row.start_ps, row.start_ps + row.duration_ps


def covered(spans: Iterable[_Span]) -> int:
    """Length in which at least one span runs."""
    total, reach = 0, 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, reach))
        reach = max(reach, end)
    return total


def overlap(profile: Profile) -> int:
    """Time per step in which at least two engines work."""
    edges: list[tuple[int, int]] = []
    for engine in _by_engine(step_kernels(profile)).values():
        for start, end in _merged(engine):
            edges += [(start, 1), (end, -1)]
    total = running = since = 0
    for time, change in sorted(edges):
        total += time - since if running > 1 else 0
        running += change
        since = time
    return total


def uncovered(row: KernelRow, others: Sequence[KernelRow]) -> int:
    """Part of a kernel's span in which none of the others runs."""
    start, end = span(row)
    inside = [(max(start, left), min(end, right)) for left, right in map(span, others)]
    return row.duration_ps - covered(pair for pair in inside if pair[1] > pair[0])


def _by_engine(rows: Sequence[KernelRow]) -> dict[str, list[_Span]]:
    found: dict[str, list[_Span]] = {}
    for row in rows:
        if row.engine:
            found.setdefault(row.engine, []).append(span(row))
    return found


def _merged(spans: list[_Span]) -> list[_Span]:
    found: list[_Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
