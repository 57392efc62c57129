"""What fusion brings: its patterns, what the pass log predicts of them, what a simulation without it says.

The prediction counts bytes and launches that a pattern saves; it knows neither what copies hide behind
arithmetic nor what else a kernel costs. The simulation compiles the model again with the fusion pass off.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.passnames import FUSION
from perfgate.core.units import PS_PER_SECOND, percent, readable
from perfgate.npu.copy_arithmetic import ArithmeticLine
from perfgate.npu.memory_use import memory_use
from perfgate.npu.phase import simulate_iterations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.pass_entry import PassEntry
    from perfgate.npu.phase import Phase
    from perfgate.npu.what_if import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedPattern:
    """One kind of kernel that takes in others, such as `Conv+BatchNormalization+Relu`.

    `members` is how many operators one such kernel runs, `count` how often it occurs in one step; bytes and
    estimated picoseconds are those of all of them in one step.
    """

    ops: str
    members: int
    count: int
    bytes_saved: int
    estimated_ps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionGain:
    """The whole execution with fusion and without it; `estimated_ps` is what the pass log predicts."""

    patterns: tuple[FusedPattern, ...]
    fused_ps: int
    unfused_ps: int
    estimated_ps: int
    kernels: tuple[int, int]
    peaks: tuple[int, int]

    @property
    def simulated(self) -> float:
        """How many times faster fusion makes the execution."""
        return self.unfused_ps / self.fused_ps if self.fused_ps else 1.0

    @property
    def predicted(self) -> float:
        """The same by the pass log."""
        return (self.fused_ps + self.estimated_ps) / self.fused_ps if self.fused_ps else 1.0

    @property
    def memory_saved(self) -> float:
        """Share of the peak without fusion that fusion saves; negative when it costs."""
        return 1 - self.peaks[0] / self.peaks[1] if self.peaks[1] else 0.0


def fusion_gain(subject: Subject, phases: Sequence[Phase]) -> FusionGain:
    """Compare an execution with that of the same model without fusion; `phases` is the execution as it is.

    Raises:
        PerfgateError: without fusion the model exceeds the device's memory.
    """
    off = subject.config.disabled_passes | {FUSION}
    config = msgspec.structs.replace(subject.config, disabled_passes=off)
    program = compile_graph(subject.graph, config, subject.runtime, subject.device)
    unfused = simulate_iterations(program, subject.device, subject.runtime, subject.iterations)
    logs = [(phase.execution.program.pass_log, phase.times) for phase in phases]
    return FusionGain(
        patterns=fused_patterns(logs[0][0]),
        fused_ps=_total(phases),
        unfused_ps=_total(unfused),
        estimated_ps=sum(entry.estimated_ps * times for log, times in logs for entry in _fusions(log)),
        kernels=(_kernels(phases), _kernels(unfused)),
        peaks=(_peak(phases), _peak(unfused)),
    )


def fused_patterns(log: Iterable[PassEntry]) -> tuple[FusedPattern, ...]:
    """The patterns of one step, those that save most first.

    The log has an entry for each operator that joins a kernel; those of one kernel name the same anchor.
    """
    entries = sorted(_fusions(log), key=lambda entry: entry.before[0])  # stable: members keep their order
    counts: Counter[tuple[str, ...]] = Counter()
    sizes: Counter[tuple[str, ...]] = Counter()
    times: Counter[tuple[str, ...]] = Counter()
    for anchor, group in groupby(entries, key=lambda entry: entry.before[0]):
        members = list(group)
        ops = (_op(anchor), *(_op(label) for entry in members for label in entry.before[1:]))
        counts[ops] += 1
        sizes[ops] += sum(entry.bytes_saved for entry in members)
        times[ops] += sum(entry.estimated_ps for entry in members)
    found = [
        FusedPattern(
            ops="+".join(ops),
            members=len(ops),
            count=count,
            bytes_saved=sizes[ops],
            estimated_ps=times[ops],
        )
        for ops, count in counts.items()
    ]
    return tuple(sorted(found, key=lambda pattern: (-pattern.estimated_ps, pattern.ops)))


def _fusions(log: Iterable[PassEntry]) -> list[PassEntry]:
    return [entry for entry in log if entry.applied and entry.pass_name == FUSION and len(entry.before) > 1]


def _op(label: str) -> str:
    return label.partition(" ")[0]


def _total(phases: Sequence[Phase]) -> int:
    return sum(phase.total_ps for phase in phases)


def _kernels(phases: Sequence[Phase]) -> int:
    return sum(int(phase.execution.columns.repeat.sum()) * phase.times for phase in phases)


def _peak(phases: Sequence[Phase]) -> int:
    return max(memory_use(phase.execution).peak for phase in phases)


def fusion_lines(gain: FusionGain) -> tuple[ArithmeticLine, ...]:
    """A line for each pattern, and the summary: how many, how much faster, how much memory."""
    lines = [
        ArithmeticLine(
            quantity=f"fusion {pattern.ops}",
            arithmetic=f"{pattern.count:,} x {pattern.members} operators in 1 kernel, "
            f"{readable(pattern.bytes_saved, 'B')} per step not moved",
            result=f"{readable(pattern.estimated_ps / PS_PER_SECOND, 's')} per step predicted",
        )
        for pattern in gain.patterns
    ]
    count = sum(pattern.count for pattern in gain.patterns)
    fused, unfused = gain.kernels
    peak, unfused_peak = gain.peaks
    summary = ArithmeticLine(
        quantity="fusion in all",
        arithmetic=f"{count:,} patterns, {unfused:,} kernels -> {fused:,}, peak memory "
        f"{readable(unfused_peak, 'B')} -> {readable(peak, 'B')} ({percent(-gain.memory_saved)})",
        result=f"x{gain.simulated:.2f} simulated, x{gain.predicted:.2f} predicted",
    )
    return (*lines, summary)
