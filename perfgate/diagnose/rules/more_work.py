"""The model asks for more: new operators, more arithmetic or larger results. The honest reason, told last."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, and_more, from_to, worst_first
from perfgate.diagnose.signals import Matched, Signal, Signals, node_names, sum_of
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.execution_profile import OperatorRow


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    if signals.before is None:
        return ()
    known = node_names(signals.before)
    grown = [item for item in signals.matched if _grew(item, known, limits["least_growth"])]
    gone = [item for item in signals.matched if not item.after]
    if not grown:
        return ()
    time = sum(map(_own_delta, grown)) + sum(map(_own_delta, gone))
    return worst_first(signals, [_suspect(signals, grown, time)], limits)


def _grew(matched: Matched, known: frozenset[str], least: float) -> bool:
    if not matched.after or _own_delta(matched) <= 0:
        return False
    has_new = any(not _names(row) <= known for row in matched.after)
    if not matched.before:
        return has_new
    # The same nodes in other kernels are no more work: results between them are written, or written no more.
    if len(matched.before) != len(matched.after) and not has_new:
        return False
    more = sum_of(matched.after, "flops") > sum_of(matched.before, "flops") * (1 + least)
    return more or _elements(matched.after) > _elements(matched.before) * (1 + least)


def _names(row: OperatorRow) -> set[str]:
    return {row.name, *(node.name for node in row.sources)}


def _elements(rows: Iterable[OperatorRow]) -> int:
    """Of the largest result: operators that merely fuse or split write more or fewer results, not larger."""
    return max((prod(row.shape) for row in rows if row.shape), default=0)


def _own_delta(matched: Matched) -> int:
    """Without copies and conversions, which have rules of their own."""
    after, before = (
        sum(row.total_ps - row.copies_ps - row.conversions_ps for row in rows)
        for rows in (matched.after, matched.before)
    )
    return after - before


def _suspect(signals: Signals, grown: list[Matched], time: int) -> Suspect:
    worst = max(grown, key=_own_delta)
    new = [item for item in grown if not item.before]
    flops = _flops_text(signals)
    steps = _steps_text(signals)
    text = f"{worst.ref.name} {_change_text(worst)}"
    if new:
        text += f"; {len(new)} new operators"
    remedy = Remedy(
        title="take the work back, or accept it",
        risk="the model computes something else",
        advice="if the change of the model is meant, accept the new time as baseline with the reason",
    )
    return Suspect(
        rule="more_work",
        sentence=f"more work in {and_more(worst.ref, grown)}: {flops}{steps}",
        cost=signals.cost(time),
        operator=worst.ref,
        evidence=(Evidence(step=Step.OPERATORS, label="more work", text=text),),
        remedies=(remedy,),
    )


def _change_text(matched: Matched) -> str:
    if not matched.before:
        return "is new"
    before, after = (
        max(rows, key=lambda row: prod(row.shape)).shape for rows in (matched.before, matched.after)
    )
    return f"{from_to(_shape_text(before), _shape_text(after))}, FLOP {from_to(*_flops(matched))}"


def _flops(matched: Matched) -> tuple[str, str]:
    return f"{sum_of(matched.before, 'flops'):,}", f"{sum_of(matched.after, 'flops'):,}"


def _shape_text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _flops_text(signals: Signals) -> str:
    before = () if signals.before is None else signals.before.operators
    old, new = sum_of(before, "flops"), sum_of(signals.after.operators, "flops")
    return (
        f"FLOP {from_to(f'{old:,}', f'{new:,}')}, operators {len(before)} -> {len(signals.after.operators)}"
    )


def _steps_text(signals: Signals) -> str:
    before = 0 if signals.before is None else signals.before.application.iterations
    after = signals.after.application.iterations
    return "" if before == after else f", iterations {before} -> {after}"


RULE = Rule(
    id="more_work",
    about="The model asks for more: new operators, more arithmetic, larger results or more iterations.",
    needs=frozenset({Signal.BASELINE}),
    match=_match,
)
