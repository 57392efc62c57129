"""What `init` would write, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.report.inert import inert

if TYPE_CHECKING:
    from perfgate.report.plan_report import PlanReport


def plan_lines(report: PlanReport) -> list[str]:
    """The table of files, the notes, and the next commands."""
    rows = [[inert(item.path), str(item.step), inert(item.reason)] for item in report.files]
    table = tabulate(rows, ["file", "plan", "why"], tablefmt="simple", disable_numparse=True)
    done = [] if report.is_written else ["", "a dry run: nothing was written"]
    notes = [f"note: {inert(note)}" for note in report.notes]
    return [
        table,
        *done,
        *([""] if notes else []),
        *notes,
        "",
        "next:",
        *(f"  {step}" for step in report.next),
    ]
