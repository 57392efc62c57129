"""A stage of a pipeline decides when the plan is there: it takes longer, or waits longer for an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, from_to, share_text, time_text, worst_first
from perfgate.diagnose.signals import Signal, Signals, operator_ref
from perfgate.diagnose.stage_view import critical_stages, is_overtaken, stages_before
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import StageRow


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    before = stages_before(signals)
    found = []
    for row in critical_stages(signals.after):
        old = before.get(row.name)
        grown = row.duration_ps - (0 if old is None else old.duration_ps)
        if not is_overtaken(row):  # a wait behind less urgent work is another rule's
            grown += row.wait_ps - (0 if old is None else old.wait_ps)
        found.append(_suspect(signals, row, old, grown))
    return worst_first(signals, found, limits)


def _suspect(signals: Signals, row: StageRow, old: StageRow | None, grown: int) -> Suspect:
    path = signals.after.application.total_ps
    takes = from_to("" if old is None else time_text(old.duration_ps), time_text(row.duration_ps))
    share = share_text(row.duration_ps / path if path else 0.0)
    waits = f"after {time_text(row.wait_ps)} of waiting for the {row.resource}" if row.wait_ps else "without a wait"
    text = f"stage {row.name} takes {takes}, {share} of the path from sensor to plan, {waits}"
    evidence = [Evidence(step=Step.PATTERNS, label="stage", text=text)]
    if row.blockers:
        held = ", ".join(f"{item.stage} {time_text(item.time_ps)}" for item in row.blockers[:3])
        evidence.append(Evidence(step=Step.PATTERNS, label="waits behind", text=held))
    return Suspect(
        rule="bottleneck",
        sentence=text,
        cost=signals.cost(grown),
        operator=operator_ref(signals.after.operators[_position(signals, row)]),
        evidence=tuple(evidence),
        remedies=(_advice(row),),
    )


def _position(signals: Signals, row: StageRow) -> int:
    return next(index for index, item in enumerate(signals.after.operators) if item.number == row.number)


def _advice(row: StageRow) -> Remedy:
    if row.kind == "model":
        advice = f"make the model of {row.name} faster: record and diagnose it as a benchmark of its own"
    else:
        advice = f"shorten {row.name}, or move it beside the stages that it does not need"
    return Remedy(title=f"shorten the stage {row.name}", risk="", advice=advice)


RULE = Rule(
    id="bottleneck",
    about="A stage on the path from sensor to plan takes longer, or waits longer for an engine.",
    needs=frozenset({Signal.STAGES}),
    match=_match,
)
