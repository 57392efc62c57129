"""Which stream each kernel goes to, and what it therefore has to wait for.

Branches go to streams by longest path first: of a kernel's consumers the one with the longest way to the end
stays on its stream, the others go to the stream with the least work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Edges = Sequence[Sequence[int]]

Follows = tuple[tuple[int, int], ...]


def assign_streams(dependencies: Edges, durations: Sequence[int], streams: int) -> list[int]:
    """Stream of every kernel, 0 to `streams` - 1; each kernel stands after its dependencies."""
    heirs = _heirs(dependencies, durations)
    load = [0] * streams
    tail = [-1] * streams
    chosen: list[int] = []
    finish: list[int] = []
    for index, before in enumerate(dependencies):
        inherited = [p for p in before if heirs[p] == index and tail[chosen[p]] == p]
        if inherited:
            stream = chosen[max(inherited, key=lambda p: (finish[p], -p))]
        else:
            stream = min(range(streams), key=lambda s: (load[s], s))
        chosen.append(stream)
        tail[stream] = index
        load[stream] += durations[index]
        finish.append(durations[index] + max((finish[p] for p in before), default=0))
    return chosen


def stream_waits(
    dependencies: Edges, streams: Sequence[int], fences: Sequence[bool], event_ps: int
) -> list[Follows]:
    """For each kernel the kernels that must end before it, each with the event cost between the two.

    A kernel follows the one before it on its stream. A fence (a blocking copy or an allocation) waits for all
    streams, and nothing that is issued later starts before it ends.
    """
    tail: dict[int, int] = {}
    fence = -1
    waits: list[Follows] = []
    for index, before in enumerate(dependencies):
        stream = streams[index]
        follows = {p: 0 if streams[p] == stream else event_ps for p in before}
        if fences[index]:
            follows |= {p: follows.get(p, 0) for p in tail.values()}
            fence = index
        elif fence >= 0 and stream not in tail:
            follows.setdefault(fence, 0)
        if stream in tail:
            follows[tail[stream]] = 0
        waits.append(tuple(follows.items()))
        if fences[index]:
            tail = {stream: index}
        tail[stream] = index
    return waits


def longest_path(dependencies: Edges, durations: Sequence[int]) -> int:
    """Length of the longest chain of dependencies: no number of streams runs faster."""
    finish: list[int] = []
    for before, duration in zip(dependencies, durations, strict=True):
        latest = 0
        for p in before:
            latest = max(latest, finish[p])
        finish.append(latest + duration)
    return max(finish, default=0)


def _heirs(dependencies: Edges, durations: Sequence[int]) -> list[int]:
    count = len(dependencies)
    to_end = list(durations)
    best, heirs = [-1] * count, [-1] * count
    for index in range(count - 1, -1, -1):
        to_end[index] += max(best[index], 0)
        for p in dependencies[index]:
            if to_end[index] >= best[p]:
                best[p], heirs[p] = to_end[index], index
    return heirs
