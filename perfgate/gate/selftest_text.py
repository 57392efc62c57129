"""The report of a self test as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.units import percent

if TYPE_CHECKING:
    from perfgate.gate.selftest import SelftestReport


def selftest_lines(report: SelftestReport) -> list[str]:
    """False alarms with their interval, flags, cost, findings, and what the gate sees."""
    interval = report.interval
    bounds = f"{_share(interval.low)}-{_share(interval.high)}, 95 % interval; aim {_share(report.alpha)}"
    lines = [
        f"false alarms: {report.red} of {report.sets} unchanged sets ({bounds})",
        f"inconclusive: {_share(report.inconclusive)} of verdicts; fresh runs spent: {report.fresh_runs}",
    ]
    if report.shifts:
        lines.append(f"the suite as a whole was called slower in {report.shifts} sets")
    lines += [f"flagged: {key} in {count} sets" for key, count in report.flags.items()]
    lines += [f"note: {note}" for note in report.notes]
    for row in report.sensitivities:
        text = f"sees >= {percent(row.detectable).lstrip('+')} of {row.metric} on {row.key}"
        if report.inject is not None:
            text += f"; {percent(report.inject)} planted: found {row.found} of {row.planted}"
        lines.append(text)
    return lines


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
