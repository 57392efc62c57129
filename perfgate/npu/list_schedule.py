"""List scheduling of tasks over engines in program order: an event loop over one heap.

Used for several streams only; one stream is a running sum (`schedule`). Among tasks that are ready on one
engine the first in program order starts. Running tasks share device memory by maximum-minimum fairness.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Sharing(StrEnum):
    """How overlapping tasks share memory bandwidth.

    `none`: not at all; `fast`: the share found when a task starts stays fixed; `exact`: processor sharing,
    recomputed whenever a task starts or ends.
    """

    NONE = "none"
    FAST = "fast"
    EXACT = "exact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One unit of work in picoseconds.

    `memory` is the time its traffic needs at the full rate. `lead` passes between the task being ready and
    its start. `follows` are pairs of a task that must end before and the event cost between the two.
    """

    duration: int
    engine: int
    follows: tuple[tuple[int, int], ...] = ()
    memory: int = 0
    lead: int = 0


def list_schedule(
    tasks: Sequence[Task], units: Sequence[int], sharing: Sharing = Sharing.NONE
) -> tuple[list[int], list[int]]:
    """Start and end of every task on engines with `units[engine]` equal units each.

    Raises:
        ValueError: the tasks wait for each other in a circle.
    """
    loop = _Loop(tasks, units, sharing)
    loop.run()
    if loop.unfinished:
        raise ValueError(f"{loop.unfinished} tasks wait for each other in a circle")
    return loop.start, loop.end


def fair_shares(demands: Sequence[float]) -> list[float]:
    """Rate in (0, 1] at which each task runs when all demand shares of one memory.

    Maximum-minimum fairness: whoever asks for less than the even share is not slowed.
    """
    left, waiting = 1.0, len(demands)
    rates = [1.0] * len(demands)
    for position in sorted(range(len(demands)), key=lambda item: (demands[item], item)):
        even = left / waiting
        given = min(demands[position], even)
        if given < demands[position]:
            rates[position] = given / demands[position]
        left -= given
        waiting -= 1
    return rates


class _Loop:
    """State of one run; events are (time, task), ready tasks wait in one heap per engine."""

    __slots__ = (
        "active", "demand", "end", "events", "free", "left", "missing", "now", "rate", "ready", "ready_at",
        "sharing", "start", "successors", "tasks", "unfinished",
    )  # fmt: skip

    def __init__(self, tasks: Sequence[Task], units: Sequence[int], sharing: Sharing) -> None:
        count = len(tasks)
        self.tasks, self.sharing, self.unfinished, self.now = tasks, sharing, count, 0
        self.start, self.end, self.ready_at = [0] * count, [0] * count, [0] * count
        self.free = list(units)
        self.ready: list[list[int]] = [[] for _ in units]
        self.missing = [len(task.follows) for task in tasks]
        self.successors: list[list[tuple[int, int]]] = [[] for _ in tasks]
        for index, task in enumerate(tasks):
            for before, event in task.follows:
                self.successors[before].append((index, event))
        self.demand = [min(1.0, task.memory / task.duration) if task.duration else 0.0 for task in tasks]
        self.active: list[int] = []
        self.left, self.rate = [0.0] * count, [1.0] * count
        self.events = [(task.lead, index) for index, task in enumerate(tasks) if not task.follows]
        self.events.sort()

    def run(self) -> None:
        while self.events or self.active:
            self._advance(self._next_time())
            for index in self._ended():
                self._finish(index)
            while self.events and self.events[0][0] <= self.now:
                index = heappop(self.events)[1]
                heappush(self.ready[self.tasks[index].engine], index)
            self._start_ready()

    def _next_time(self) -> int:
        arrival = [self.events[0][0]] if self.events else []
        return min(arrival + [self.end[index] for index in self.active])

    def _advance(self, time: int) -> None:
        if self.sharing is Sharing.EXACT:
            for index in self.active:
                self.left[index] -= (time - self.now) * self.rate[index]
        self.now = time

    def _ended(self) -> list[int]:
        ended = [index for index in self.active if self.end[index] <= self.now]
        for index in ended:
            self.active.remove(index)
            self.free[self.tasks[index].engine] += 1
        if ended and self.sharing is Sharing.EXACT:
            self._share_again()
        return ended

    def _finish(self, index: int) -> None:
        self.unfinished -= 1
        for after, event in self.successors[index]:
            self.missing[after] -= 1
            self.ready_at[after] = max(self.ready_at[after], self.now + event)
            if not self.missing[after]:
                heappush(self.events, (self.ready_at[after] + self.tasks[after].lead, after))

    def _start_ready(self) -> None:
        for engine, waiting in enumerate(self.ready):
            while waiting and self.free[engine]:
                self._begin(heappop(waiting), engine)

    def _begin(self, index: int, engine: int) -> None:
        self.free[engine] -= 1
        self.start[index] = self.now
        duration = self.tasks[index].duration
        self.active.append(index)
        self.left[index] = float(duration)
        self.end[index] = self.now + duration
        if self.sharing is Sharing.FAST:
            rate = fair_shares([self.demand[item] for item in self.active])[-1]
            self.end[index] = self.now + _ceil(duration / rate)
        elif self.sharing is Sharing.EXACT:
            self._share_again()

    def _share_again(self) -> None:
        rates = fair_shares([self.demand[item] for item in self.active])
        for index, rate in zip(self.active, rates, strict=True):
            self.rate[index] = rate
            self.end[index] = self.now + _ceil(max(0.0, self.left[index]) / rate)


def _ceil(value: float) -> int:
    whole = int(value)
    return whole if whole == value else whole + 1
