"""Speed of the alignment of 10,000 operators, beside matching the whole list and matching by name.

    python -m tests.benchmarks.speed_alignment

CPU time of one thread; recall is the share of true correspondences that are found. Exit 1 over the budget.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from typing import TYPE_CHECKING

from perfgate.diagnose.align import align_operators
from tests.benchmarks.speed_simulator import Speed, cpu_ms
from tests.operator_tables import edited, network, operator, stated, without_scopes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfgate.core.execution_profile import OperatorRow
    from tests.operator_tables import Edited

COUNT = 10_000
BUDGET_MS = 150.0
EQUAL, EQUAL_BUDGET_MS = 5_000, 1_000.0


def by_difflib(
    before: Sequence[OperatorRow], after: Sequence[OperatorRow], *, scopes: bool = False
) -> set[tuple[int, int]]:
    """The whole lists by the standard library, on type and shape, and on the scope if asked."""
    left, right = (
        [(row.op, row.shape, row.scope.rpartition(".")[0] if scopes else "") for row in rows]
        for rows in (before, after)
    )
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return {(block.a + step, block.b + step) for block in blocks for step in range(block.size)}


def by_name(before: Sequence[OperatorRow], after: Sequence[OperatorRow]) -> set[tuple[int, int]]:
    """Equal names."""
    places = {row.name: place for place, row in enumerate(after)}
    return {(place, places[row.name]) for place, row in enumerate(before) if row.name in places}


def ours(before: Sequence[OperatorRow], after: Sequence[OperatorRow]) -> set[tuple[int, int]]:
    """The alignment with its groups."""
    return stated(align_operators(before, after))


def quality(case: Edited, match: Callable[..., set[tuple[int, int]]]) -> str:
    """Precision and recall as text."""
    found = match(case.before, case.after)
    right = len(found & case.truth)
    return f"precision {right / max(len(found), 1):.4f}, recall {right / len(case.truth):.4f}"


def main() -> int:
    """Print every row; 1 when one is over its budget."""
    rows = network(COUNT)
    flat = edited(rows, made_up=1.0)
    cases = {
        "names kept": edited(rows, made_up=0.0),
        "30 % made up": edited(rows, made_up=0.3),
        "all made up": flat,
        "no scopes": replace(flat, before=without_scopes(flat.before), after=without_scopes(flat.after)),
    }
    speeds = []
    for name, case in cases.items():
        ms = cpu_ms(partial(align_operators, case.before, case.after))
        speed = Speed(name=f"alignment_10k, {name}", ms=ms, budget_ms=BUDGET_MS, units=COUNT)
        print(f"{speed.line()}  {quality(case, ours)}")  # noqa: T201 - a report for people
        for other, match in OTHERS.items():
            ratio = cpu_ms(partial(match, case.before, case.after), repeats=1) / ms
            print(f"     {other}: {ratio:.1f} x the time, {quality(case, match)}")  # noqa: T201 - the same
        speeds.append(speed)
    equal = [operator("m.add", "Add") for _ in range(EQUAL)]
    ms = cpu_ms(partial(align_operators, equal, equal[3:]))
    speeds.append(Speed(name=f"{EQUAL} equal operators, 3 removed", ms=ms, budget_ms=EQUAL_BUDGET_MS))
    print(speeds[-1].line())  # noqa: T201 - the same
    return 0 if all(speed.is_kept for speed in speeds) else 1


OTHERS: dict[str, Callable[..., set[tuple[int, int]]]] = {
    "by name": by_name,
    "difflib, whole list": by_difflib,
    "difflib, whole list with scopes": partial(by_difflib, scopes=True),
}


if __name__ == "__main__":
    sys.exit(main())
