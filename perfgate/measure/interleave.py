"""Timed runs in an order that spreads what the host does over all benchmarks alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import PerfgateError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from perfgate.core.record import Run

    TakeRun = Callable[[str, int], Run]


def interleaved(
    wanted: Mapping[str, range], take: TakeRun, order: Random, announce: Callable[[int, int, str], None]
) -> tuple[dict[str, tuple[Run, ...]], dict[str, str]]:
    """The runs of each benchmark by key, and for those that failed the reason.

    One run of every benchmark, in a shuffled order, then the next one of each: a slow minute of the host then
    falls on one run of all of them and not on all runs of one. A benchmark that fails gets no further run.
    """
    taken: dict[str, list[Run]] = {key: [] for key in wanted}
    failed: dict[str, str] = {}
    total, done = sum(len(numbers) for numbers in wanted.values()), 0
    for step in range(max((len(numbers) for numbers in wanted.values()), default=0)):
        due = [key for key, numbers in wanted.items() if step < len(numbers) and key not in failed]
        order.shuffle(due)
        for key in due:
            announce(done, total, key)
            done += 1
            try:
                taken[key].append(take(key, wanted[key][step]))
            except PerfgateError as problem:
                failed[key] = problem.line
    return {key: tuple(runs) for key, runs in taken.items() if key not in failed}, failed
