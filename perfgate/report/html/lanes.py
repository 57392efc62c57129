"""Kernels as spans on lanes: one lane per stream and engine, those of before above those of after.

One step of every program is laid out, programs one after the other. The row that stands for all short kernels
of a very large program has no time of its own and is left out.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import GapRow, KernelRow, Profile
    from perfgate.report.html.material import Material

ENGINES = ("matrix", "vector", "dma", "h2d", "d2h", "host")  # in the order of the lanes
WAITS = "waits"  # the lane of a stream's gaps


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of the drawing; `is_after` says which side it belongs to."""

    is_after: bool
    stream: int
    engine: str

    @property
    def text(self) -> str:
        """`before  stream 0  matrix`."""
        return f"{side_word(is_after=self.is_after)}  stream {self.stream}  {self.engine}"


@dataclass(frozen=True, slots=True)
class Span:
    """A kernel where it ran; times in picoseconds from the start of the first program's step."""

    lane: int
    start_ps: int
    end_ps: int
    operator: int
    kernel: KernelRow


@dataclass(frozen=True, slots=True)
class Wait:
    """A stream with nothing to run."""

    lane: int
    start_ps: int
    end_ps: int
    gap: GapRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """Everything on the lanes. `spans` are in order of side, lane and start; `unlisted` counts by side."""

    lanes: tuple[Lane, ...]
    spans: tuple[Span, ...]
    waits: tuple[Wait, ...]
    length_ps: int
    unlisted: tuple[tuple[str, str], ...]


def side_word(*, is_after: bool) -> str:
    """What the two sides are called."""
    return "after" if is_after else "before"


def lay_out(material: Material) -> Lanes:
    """The lanes of both sides."""
    sides = [(word == "after", profile) for word, profile in material.sides]
    lanes = tuple(
        lane
        for is_after, profile in sides
        for lane in sorted(_used_lanes(profile, is_after=is_after), key=_order)
    )
    places = {lane: index for index, lane in enumerate(lanes)}
    spans: list[Span] = []
    waits: list[Wait] = []
    for is_after, profile in sides:
        offsets = step_offsets(profile)
        numbers = material.operator_indices(after=is_after)
        for row in listed(profile):
            start = offsets[row.program] + row.start_ps
            place = places[Lane(is_after, row.stream, row.engine)]
            spans.append(Span(place, start, start + row.duration_ps, numbers.get(row.owner, -1), row))
        for gap in profile.graph.gaps:
            start = offsets[gap.program] + gap.start_ps
            waits.append(Wait(places[Lane(is_after, gap.stream, WAITS)], start, start + gap.length_ps, gap))
    return Lanes(
        lanes=lanes,
        spans=tuple(sorted(spans, key=lambda span: (span.lane, span.start_ps, span.kernel.index))),
        waits=tuple(sorted(waits, key=lambda wait: (wait.lane, wait.start_ps))),
        length_ps=longest_step(material),
        unlisted=tuple(
            (side_word(is_after=is_after), row.variant)
            for is_after, profile in sides
            for row in profile.kernels
            if row.index < 0
        ),
    )


def listed(profile: Profile) -> list[KernelRow]:
    """The kernels that have a place in time."""
    return [row for row in profile.kernels if row.index >= 0]


def step_offsets(profile: Profile) -> list[int]:
    """Where each program's step begins when one of each runs after the other."""
    offsets, start = [], 0
    for step in profile.application.steps:
        offsets.append(start)
        start += step.makespan_ps
    return offsets


def longest_step(material: Material) -> int:
    """Length of the time axis of timeline and heat map: one step of every program, of the slower side."""
    return max(sum(step.makespan_ps for step in p.application.steps) for _, p in material.sides)


def _used_lanes(profile: Profile, *, is_after: bool) -> set[Lane]:
    used = {Lane(is_after, row.stream, row.engine) for row in listed(profile)}
    return used | {Lane(is_after, gap.stream, WAITS) for gap in profile.graph.gaps}


def _order(lane: Lane) -> tuple[int, int]:
    return lane.stream, ENGINES.index(lane.engine) if lane.engine in ENGINES else len(ENGINES)


def neighbours(lanes: Lanes) -> tuple[list[int], list[int], list[int], list[int]]:
    """Rows that arrow keys lead to from each span: up, down, left, right; -1 where there is none.

    Up and down lead to the span of the next lane that has one, which begins nearest.
    """
    by_lane: dict[int, list[int]] = {}
    for row, span in enumerate(lanes.spans):
        by_lane.setdefault(span.lane, []).append(row)
    order = sorted(by_lane)
    starts = {lane: [lanes.spans[row].start_ps for row in rows] for lane, rows in by_lane.items()}

    def nearest(lane_place: int, time: int) -> int:
        if not 0 <= lane_place < len(order):
            return -1
        lane = order[lane_place]
        place = bisect_left(starts[lane], time)
        near = [index for index in (place - 1, place) if 0 <= index < len(starts[lane])]
        return by_lane[lane][min(near, key=lambda index: abs(starts[lane][index] - time))]

    place_of = {lane: place for place, lane in enumerate(order)}
    upper = [nearest(place_of[span.lane] - 1, span.start_ps) for span in lanes.spans]
    lower = [nearest(place_of[span.lane] + 1, span.start_ps) for span in lanes.spans]
    left, right = [-1] * len(lanes.spans), [-1] * len(lanes.spans)
    for rows in by_lane.values():
        for before, after in pairwise(rows):
            left[after], right[before] = before, after
    return upper, lower, left, right


def sync_edges(spans: Sequence[Span], lanes: Sequence[Lane]) -> list[tuple[int, int]]:
    """Rows of a producer and of the kernel of another stream that waits for its end."""
    rows = {
        (lanes[span.lane].is_after, span.kernel.program, span.kernel.index): row
        for row, span in enumerate(spans)
    }
    found = []
    for row, span in enumerate(spans):
        for index in span.kernel.after:
            producer = rows.get((lanes[span.lane].is_after, span.kernel.program, index))
            if producer is not None and spans[producer].kernel.stream != span.kernel.stream:
                found.append((producer, row))
    return found


def largest_gap(lanes: Lanes) -> tuple[int, int] | None:
    """The longest wait of a stream now; without one the longest time in which no engine computes."""
    waits = [
        (w.end_ps - w.start_ps, w.start_ps, w.end_ps) for w in lanes.waits if lanes.lanes[w.lane].is_after
    ]
    computing = sorted(
        (span.start_ps, span.end_ps)
        for span in lanes.spans
        if lanes.lanes[span.lane].is_after and span.kernel.engine in {"matrix", "vector"}
    )
    reached = 0
    idle = []
    for start, end in computing:
        if start > reached:
            idle.append((start - reached, reached, start))
        reached = max(reached, end)
    longest = max(waits or idle, default=None)
    return None if longest is None else longest[1:]
