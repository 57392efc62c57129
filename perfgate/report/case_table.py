"""The cases of a repository as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.core.units import percent
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.case import Case

HEADERS = ("date", "incident", "rule", "operator", "flag", "gain", "benchmark")


def case_lines(cases: Sequence[Case]) -> list[str]:
    """One row for each case, or a line that says how one comes about."""
    if not cases:
        return ["no cases: `perfgate postmortem` writes them below perf-cases/"]
    rows = [
        [
            *map(inert, (case.date, case.incident, case.rule, case.operator, case.flag)),
            "" if case.gain is None else percent(-case.gain),
            inert(f"{case.benchmark}[{case.device}]"),
        ]
        for case in cases
    ]
    alignment = ["right" if name == "gain" else "left" for name in HEADERS]
    return [tabulate(rows, HEADERS, tablefmt="simple", disable_numparse=True, colalign=alignment)]
