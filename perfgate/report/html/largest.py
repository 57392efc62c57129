"""Very many operators on a page: those that changed most stay, the others are summed by their scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.material import PageOperator

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 20_000  # operators that a page tells apart; a browser opens as many at once


def keep_largest(operators: tuple[PageOperator, ...], most: int = MOST) -> tuple[PageOperator, ...]:
    """The `most` operators with the largest change, in their order, then one for the rest of each scope.

    Time and copies of a scope stay what they are: the rest is summed, never left out.
    """
    if len(operators) <= most:
        return operators
    ranked = sorted(
        range(len(operators)),
        key=lambda index: (-abs(_delta(operators[index])), -operators[index].after_ps, index),
    )
    kept = sorted(ranked[:most])
    rest: dict[str, list[PageOperator]] = {}
    for index in sorted(ranked[most:]):
        rest.setdefault(_scope(operators[index]), []).append(operators[index])
    return (*(operators[index] for index in kept), *(_sum(rest[scope]) for scope in sorted(rest)))


def _delta(operator: PageOperator) -> int:
    return operator.after_ps - operator.before_ps


def _scope(operator: PageOperator) -> str:
    """The scope around an operator, whose own name may stand in its scope."""
    row = operator.row
    return row.scope.rpartition(".")[0] if row.scope == row.name else row.scope


def _sum(operators: Sequence[PageOperator]) -> PageOperator:
    before = sorted((row for item in operators for row in item.rows_before), key=lambda row: -row.total_ps)
    after = sorted((row for item in operators for row in item.rows_after), key=lambda row: -row.total_ps)
    return PageOperator(
        before=before[0] if before else None,
        after=after[0] if after else None,
        more_before=tuple(before[1:]),
        more_after=tuple(after[1:]),
    )
