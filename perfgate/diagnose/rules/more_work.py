"""The model asks for more: new operators, more arithmetic or larger results. The honest reason, told last."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, and_more, bytes_text, from_to, worst_first
from perfgate.diagnose.signals import Matched, Signal, Signals, node_names, sum_of
from perfgate.diagnose.splits import find_splits, names_of
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from perfgate.core.execution_profile import OperatorRow, Profile


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    if signals.before is None:
        return ()
    known = node_names(signals.before)
    # What stands in the way of a fusion is told there, with all that it costs.
    told = {split.blocker.number for split in find_splits(signals) if split.blocker is not None}
    grown = {
        item: time
        for item in signals.matched
        if (time := _time_of_growth(signals, item, known, limits["least_growth"])) > 0
        and not any(row.number in told for row in item.after)
    }
    gone = sum(_own_delta(item) for item in signals.matched if not item.after)
    if not grown:
        return ()
    return worst_first(signals, [_suspect(signals, grown, sum(grown.values()) + gone)], limits)


def _time_of_growth(signals: Signals, matched: Matched, known: frozenset[str], least: float) -> int:
    """What operators with more to do take longer, 0 for others.

    Copies and conversions have rules of their own, unless the call asks for more inputs or outputs.
    """
    if not matched.after or signals.has_moved_to_host(matched):
        return 0
    if matched.before and signals.has_more_to_hand_over(matched):
        return max(0, matched.work_delta_ps)
    return max(0, _own_delta(matched)) if _grew(matched, known, least) else 0


def _grew(matched: Matched, known: frozenset[str], least: float) -> bool:
    has_new = any(not names_of(row) <= known for row in matched.after)
    if not matched.before:
        return has_new
    # The same nodes in other kernels are no more work: results between them are written, or written no more.
    if len(matched.before) != len(matched.after) and not has_new:
        return False
    more = sum_of(matched.after, "flops") > sum_of(matched.before, "flops") * (1 + least)
    return more or _elements(matched.after) > _elements(matched.before) * (1 + least)


def _elements(rows: Iterable[OperatorRow]) -> int:
    """Of the largest result: operators that merely fuse or split write more or fewer results, not larger."""
    return max((prod(row.shape) for row in rows if row.shape), default=0)


def _own_delta(matched: Matched) -> int:
    """Without waits, copies and conversions."""
    around = sum(
        sum_of(matched.after, field) - sum_of(matched.before, field)
        for field in ("copies_ps", "conversions_ps")
    )
    return matched.work_delta_ps - around


def _suspect(signals: Signals, grown: Mapping[Matched, int], time: int) -> Suspect:
    worst = max(grown, key=lambda item: grown[item])
    new = [item for item in grown if not item.before]
    whole = f"{_flops_text(signals)}{_steps_text(signals)}{_call_text(signals)}"
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
        sentence=f"more work in {and_more(worst.ref, list(grown))}: {whole}",
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


def _call_text(signals: Signals) -> str:
    """Inputs and outputs of one iteration, where they grew."""
    before = 0 if signals.before is None else _per_step(signals.call_bytes_before, signals.before)
    after = _per_step(signals.call_bytes_after, signals.after)
    return f", inputs and outputs {bytes_text(before)} -> {bytes_text(after)}" if after > before else ""


def _per_step(sizes: Mapping[int, int], profile: Profile) -> int:
    return sum(sizes.values()) // max(1, profile.application.iterations)


RULE = Rule(
    id="more_work",
    about="The model asks for more: new operators, arithmetic, larger results, outputs or more iterations.",
    needs=frozenset({Signal.BASELINE}),
    match=_match,
)
