"""A stage that the plan waits for stands behind less urgent work, or behind work that goes first wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, time_text, worst_first
from perfgate.diagnose.signals import Signal, Signals, operator_ref
from perfgate.diagnose.stage_view import critical_stages, go_first, held_by, overtaken_by, stages_before
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.stage_row import Blocker, StageRow


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    before = stages_before(signals)
    found = []
    for row in critical_stages(signals.after):
        old = before.get(row.name)
        grown = row.wait_ps - (0 if old is None else old.wait_ps)
        blocker = overtaken_by(row, signals.after.stages)
        if blocker is not None and grown > 0:
            found.append(_suspect(signals, row, blocker, grown))
    return worst_first(signals, found, limits)


def _suspect(signals: Signals, row: StageRow, blocker: Blocker, grown: int) -> Suspect:
    why = "is not interrupted" if row.priority > blocker.priority else "goes first"
    text = (
        f"stage {row.name} of priority {row.priority} waits {time_text(row.wait_ps)} for the {row.resource}"
        f" behind {blocker.stage} of priority {blocker.priority}, which {why}"
    )
    operator = next(item for item in signals.after.operators if item.number == row.number)
    return Suspect(
        rule="stage_inversion",
        sentence=text,
        cost=signals.cost(grown),
        operator=operator_ref(operator),
        evidence=(Evidence(step=Step.PATTERNS, label="held by", text=held_by(row)),),
        remedies=_remedies(row, blocker),
    )


def _remedies(row: StageRow, blocker: Blocker) -> tuple[Remedy, ...]:
    advice = Remedy(
        title=f"split {blocker.stage}",
        risk="it ends later",
        advice=f"{blocker.stage} is not interrupted: split it, or give it an engine of its own",
    )
    if row.priority > blocker.priority:
        return (advice,)
    return go_first(row, blocker), advice


RULE = Rule(
    id="stage_inversion",
    about="A stage that the plan waits for stands behind another one that could have gone later.",
    needs=frozenset({Signal.STAGES}),
    match=_match,
)
