"""Progress of a bisection: one line per probe, and a status line for a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfgate.bisection.probe import Outcome
from perfgate.core.metric import Kind
from perfgate.core.units import readable
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from perfgate.bisection.probe import Probe, ProbeOutcome
    from perfgate.core.metric import Metric

_SHORT = 7


def status_line(benchmark: str, wanted: Probe, commits: int, seconds: float) -> str:
    """`sd3/unet latency  1000 commits -> 62 left (99 %)   build 7 of ~13   samples 84   41 s`."""
    progress = wanted.progress
    left = f" -> {progress.left} left (99 %)" if progress.left else ""
    total = f" of ~{progress.expected_builds}" if progress.expected_builds else ""
    text = f"bisect {inert(benchmark)}  {commits} commits{left}   build {progress.builds}{total}"
    if progress.samples:
        total = f" of ~{progress.expected_samples}" if progress.expected_samples else ""
        text += f"   samples {progress.samples}{total}"
    text += f"   {seconds:.0f} s"
    if progress.expected_builds > progress.builds > 0:
        text += f", ~{seconds * (progress.expected_builds / progress.builds - 1):.0f} s to go"
    return text


def probe_line(metric: Metric, wanted: Probe, outcome: ProbeOutcome) -> str:
    """`  3f9c2e1  search   1 launch x 12   1.04 s   P(bad) .97`, or what went wrong."""
    head = f"  {wanted.commit[:_SHORT]}  {wanted.purpose:<8}"
    if outcome.launch is None:
        detail = f": {inert(outcome.detail)}" if outcome.detail else ""
        return f"{head}  {outcome.outcome}{detail}"
    launch = outcome.launch
    if metric.kind is Kind.EXACT:
        value = readable(launch.exact.get(metric.name, math.nan), metric.unit)
        return f"{head}  {value}"
    mean = math.exp(math.fsum(map(math.log, launch.samples)) / len(launch.samples))
    chance = f"   P(bad) {wanted.progress.bad_chance:.2f}" if outcome.outcome is Outcome.MEASURED else ""
    return f"{head}  1 launch x {len(launch.samples)}   {readable(mean, metric.unit)}{chance}"
