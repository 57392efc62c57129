"""What a page is made of: both profiles of a benchmark, their operators paired, and what is known besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.diagnose.align import align_operators
from perfgate.report.html.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.baseline.past import PastBaseline
    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.execution_profile import OperatorRow, Profile
    from perfgate.core.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOperator:
    """An operator on both sides; None where it is not. Views refer to it by its index in `Material`.

    Where several operators do the work that others did before (fused, split), they are one: `before` and
    `after` are then the longest of each side, and `more_before` and `more_after` the others.
    """

    before: OperatorRow | None
    after: OperatorRow | None
    more_before: tuple[OperatorRow, ...] = ()
    more_after: tuple[OperatorRow, ...] = ()

    @property
    def row(self) -> OperatorRow:
        """The side that speaks for it: after, if it is there."""
        found = self.after or self.before
        assert found is not None  # noqa: S101 - an operator is on one side at least
        return found

    @property
    def label(self) -> str:
        """`#447 UNet.mid_block.resnet.1.conv2`, safe to show."""
        more = len(self.more_after if self.after is not None else self.more_before)
        return f"#{self.row.number} {shown(full_name(self.row))}{f' and {more} more' if more else ''}"

    @property
    def rows_before(self) -> tuple[OperatorRow, ...]:
        """All of it before."""
        return self.more_before if self.before is None else (self.before, *self.more_before)

    @property
    def rows_after(self) -> tuple[OperatorRow, ...]:
        """All of it now."""
        return self.more_after if self.after is None else (self.after, *self.more_after)

    @property
    def before_ps(self) -> int:
        """Its time before, 0 where it was not."""
        return sum(row.total_ps for row in self.rows_before)

    @property
    def after_ps(self) -> int:
        """Its time now, 0 where it is not."""
        return sum(row.total_ps for row in self.rows_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The input of every view. `before` is None when there is only one profile to look at.

    `records` are the accepted and the measured record, where they are known; `history` the baselines of
    older commits, oldest first. `verdict` is the gate's word, "" where nothing was judged. `notes` say what
    is missing.
    """

    benchmark: str
    device: str
    before: Profile | None
    after: Profile
    diagnosis: Diagnosis | None
    operators: tuple[PageOperator, ...]
    records: tuple[Record | None, Record | None] = (None, None)
    history: tuple[PastBaseline, ...] = ()
    verdict: str = ""
    notes: tuple[str, ...] = ()

    @property
    def sides(self) -> tuple[tuple[str, Profile], ...]:
        """`before` and `after` with their profiles, those that are there."""
        first = () if self.before is None else (("before", self.before),)
        return (*first, ("after", self.after))

    def operator_indices(self, *, after: bool) -> dict[int, int]:
        """The page's index of an operator by its number in the model of one side."""
        found: dict[int, int] = {}
        for index, operator in enumerate(self.operators):
            for row in operator.rows_after if after else operator.rows_before:
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
    """Each operator with what it was before, in the order of the model now; then those that are gone."""
    if before is None:
        return tuple(PageOperator(before=None, after=row) for row in after)
    found = align_operators(before, after)
    partner = {j: i for i, j in found.pairs}
    groups = {j: group for group in found.groups for j in group.after}
    operators = []
    for index, row in enumerate(after):
        group = groups.get(index)
        if group is None:
            operators.append(
                PageOperator(before=before[partner[index]] if index in partner else None, after=row)
            )
        elif index == min(group.after):
            operators.append(_group([before[i] for i in group.before], [after[j] for j in group.after]))
    gone = [PageOperator(before=before[index], after=None) for index in found.removed]
    return (*operators, *gone)


def _group(before: list[OperatorRow], after: list[OperatorRow]) -> PageOperator:
    """Operators that do the same work together."""
    first, *more_before = sorted(before, key=lambda row: (-row.total_ps, row.number))
    second, *more_after = sorted(after, key=lambda row: (-row.total_ps, row.number))
    return PageOperator(
        before=first, after=second, more_before=tuple(more_before), more_after=tuple(more_after)
    )
