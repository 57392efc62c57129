"""What a page is made of: both profiles of a benchmark, their operators paired, and what is known besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.report.html.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.execution_profile import OperatorRow, Profile
    from perfgate.core.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOperator:
    """An operator on both sides; None where it is not. Views refer to it by its index in `Material`."""

    before: OperatorRow | None
    after: OperatorRow | None

    @property
    def row(self) -> OperatorRow:
        """The side that speaks for it: after, if it is there."""
        found = self.after or self.before
        assert found is not None  # noqa: S101 - an operator is on one side at least
        return found

    @property
    def label(self) -> str:
        """`#447 UNet.mid_block.resnet.1.conv2`, safe to show."""
        row = self.row
        return f"#{row.number} {shown(full_name(row))}"

    @property
    def before_ps(self) -> int:
        """Its time before, 0 where it was not."""
        return self.before.total_ps if self.before is not None else 0

    @property
    def after_ps(self) -> int:
        """Its time now, 0 where it is not."""
        return self.after.total_ps if self.after is not None else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The input of every view. `before` is None when there is only one profile to look at.

    `records` are the accepted and the measured record, where they are known; `history` those of older
    commits, oldest first. `verdict` is the gate's word, "" where nothing was judged.
    """

    benchmark: str
    device: str
    before: Profile | None
    after: Profile
    diagnosis: Diagnosis | None
    operators: tuple[PageOperator, ...]
    records: tuple[Record | None, Record | None] = (None, None)
    history: tuple[Record, ...] = ()
    verdict: str = ""

    @property
    def sides(self) -> tuple[tuple[str, Profile], ...]:
        """`before` and `after` with their profiles, those that are there."""
        first = () if self.before is None else (("before", self.before),)
        return (*first, ("after", self.after))

    def operator_indices(self, *, after: bool) -> dict[int, int]:
        """The page's index of an operator by its number in the model of one side."""
        found: dict[int, int] = {}
        for index, operator in enumerate(self.operators):
            row = operator.after if after else operator.before
            if row is not None:
                found.setdefault(row.number, index)
        return found


def full_name(row: OperatorRow) -> str:
    """Scope and name, without repeating a name that already begins with its scope."""
    if not row.scope or row.name.startswith(row.scope):
        return row.name
    return f"{row.scope}.{row.name}"


def pair_operators(
    before: Sequence[OperatorRow] | None, after: Sequence[OperatorRow]
) -> tuple[PageOperator, ...]:
    """Operators of the same scope, name, type and occurrence are one; those now first, then the vanished."""
    waiting: dict[tuple[str, str, str], list[OperatorRow]] = {}
    for row in reversed(before or ()):
        waiting.setdefault((row.scope, row.name, row.op), []).append(row)
    result = []
    for row in after:
        same = waiting.get((row.scope, row.name, row.op))
        result.append(PageOperator(before=same.pop() if same else None, after=row))
    gone = sorted((row for rows in waiting.values() for row in rows), key=lambda row: row.number)
    return (*result, *(PageOperator(before=row, after=None) for row in gone))
