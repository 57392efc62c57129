"""Which iterations of an execution a trace shows, and when each begins.

A profile holds every distinct step once and how often it runs, not in which order the steps of two programs
alternate: a trace lays them out program by program.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.report.export.side import Side

# Spans on streams: 28 steps of a diffusion model are 5,400. Beyond it a viewer only shows more of the same.
DRAWN_UP_TO = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnStep:
    """One iteration as it is drawn, number `number` of its program; it stands for `times` equal ones."""

    program: int
    name: str
    number: int
    of: int
    times: int
    start_ps: int
    makespan_ps: int

    @property
    def label(self) -> str:
        """`unet 3 of 28`, or how often the step repeats."""
        if self.times > 1:
            return f"{self.name}, runs {self.times} times"
        return f"{self.name} {self.number} of {self.of}" if self.of > 1 else self.name


def drawn_steps(side: Side, limit: int = DRAWN_UP_TO) -> tuple[DrawnStep, ...]:
    """Every iteration up to `limit` spans in all, else one of each program."""
    spans = Counter(row.program for row in side.profile.kernels)
    steps, names = side.profile.application.steps, side.programs
    wanted = sum(max(spans[number], 1) * step.times for number, step in enumerate(steps))
    result = []
    start = 0
    for number, step in enumerate(steps):
        drawn = step.times if wanted <= limit else min(step.times, 1)
        for iteration in range(drawn):
            result.append(
                DrawnStep(
                    program=number,
                    name=names[number],
                    number=iteration + 1,
                    of=step.times,
                    times=step.times // drawn,
                    start_ps=start,
                    makespan_ps=step.makespan_ps,
                )
            )
            start += step.makespan_ps
    return tuple(result)


def layout_notes(steps: tuple[DrawnStep, ...]) -> tuple[str, ...]:
    """What differs from the execution: steps that are drawn once, and programs that alternate."""
    notes = []
    folded = [f"{step.name} {step.times} times" for step in steps if step.times > 1]
    if folded:
        notes.append(f"each program is drawn once; the execution runs {', '.join(folded)}")
    if len({step.program for step in steps}) > 1:
        notes.append("drawn program by program; in which order they alternate is not in a profile")
    return tuple(notes)
