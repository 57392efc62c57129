"""How far the stated confidence can be trusted: the shipped calibration as a table, with exact intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from tabulate import tabulate

from perfgate.diagnose.calibration_inputs import inputs_hash
from perfgate.stats.proportion import clopper_pearson

if TYPE_CHECKING:
    from perfgate.diagnose.confidence import Calibration

SCHEMA = "perfgate/calibration/1"


class CalibrationRow(msgspec.Struct, frozen=True, kw_only=True):
    """One bin: of `cases` planted faults with a score from `low` up, `right` had the right first cause.

    `observed` is their share with its exact 95 % interval; None where there was no case.
    """

    low: float
    stated: float
    right: int
    cases: int
    observed: float | None = None
    interval: tuple[float, float] | None = None


class CalibrationReport(msgspec.Struct, frozen=True, kw_only=True):
    """The table that every stated confidence comes from.

    `is_current`: it was fitted with the rules of this version. Rows rise by `low`.
    """

    schema: str = SCHEMA
    cases: int
    is_current: bool
    rows: tuple[CalibrationRow, ...]


def calibration_report(table: Calibration) -> CalibrationReport:
    """The table with observed shares, and whether it belongs to the rules of this version."""
    return CalibrationReport(
        cases=table.cases,
        is_current=table.inputs == inputs_hash(),
        rows=tuple(
            _row(CalibrationRow(low=item.low, stated=item.stated, right=item.right, cases=item.cases))
            for item in table.bins
        ),
    )


def _row(row: CalibrationRow) -> CalibrationRow:
    if not row.cases:
        return row
    bounds = clopper_pearson(row.right, row.cases)
    return msgspec.structs.replace(row, observed=row.right / row.cases, interval=(bounds.low, bounds.high))


def calibration_lines(report: CalibrationReport) -> list[str]:
    """Stated, observed, cases and interval of each bin; then what to think of the table."""
    rows = [
        [f"{row.stated:.2f}", _share(row.observed), str(row.cases), _interval(row.interval)]
        for row in report.rows
    ]
    table = tabulate(
        rows,
        ["stated", "observed", "cases", "95 % interval"],
        tablefmt="simple",
        disable_numparse=True,
        colalign=("right",) * 4,
    )
    lines = [table, f"fitted on {report.cases:,} planted faults"]
    if not report.cases:
        lines[1:] = ["not fitted yet: the stated values are guesses, `make calibrate` fits them"]
    elif not report.is_current:
        lines.append("the rules have changed since: `make calibrate` fits it again")
    return lines


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _interval(bounds: tuple[float, float] | None) -> str:
    return "-" if bounds is None else f"{bounds[0]:.2f}..{bounds[1]:.2f}"
