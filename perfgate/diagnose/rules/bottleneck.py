"""A stage of a pipeline decides when the plan is there: it takes longer, or waits longer for an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, from_to, share_text, time_text, worst_first
from perfgate.diagnose.signals import Signal, Signals, operator_ref
from perfgate.diagnose.stage_view import critical_stages, held_by, overtaken_by, stages_before
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.core.stage_row import StageRow


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    before = stages_before(signals)
    found = []
    for row in critical_stages(signals.after):
        old = before.get(row.name)
        grown = _held(row, signals.after) - (0 if old is None else _held(old, signals.before))
        found.append(_suspect(signals, row, old, grown))
    worst = worst_first(signals, found, limits)
    return worst if signals.before is not None else worst[:1]  # the slowest one; the others are just there


def _held(row: StageRow, profile: Profile | None) -> int:
    """How long it keeps the plan waiting; a wait behind less urgent stages is another rule's."""
    is_overtaken = overtaken_by(row, () if profile is None else profile.stages) is not None
    return row.duration_ps + row.gather_ps + (0 if is_overtaken else row.wait_ps)


def _suspect(signals: Signals, row: StageRow, old: StageRow | None, grown: int) -> Suspect:
    before = "" if old is None else time_text(old.duration_ps)
    text = f"stage {row.name} takes {from_to(before, time_text(row.duration_ps))}"
    if row.batch > 1:
        text += f" for a batch of {row.batch} frames, and gathers them for {time_text(row.gather_ps)}"
    if row.wait_ps > (0 if old is None else old.wait_ps):
        text += f", after waiting {time_text(row.wait_ps)} for the {row.resource} behind {held_by(row)}"
    path = signals.after.application.total_ps
    share = share_text(row.duration_ps / path if path else 0.0)
    waits = f"after a wait of {time_text(row.wait_ps)}" if row.wait_ps else "without a wait"
    place = f"{share} of the path from sensor to plan, {waits}"
    operator = next(item for item in signals.after.operators if item.number == row.number)
    return Suspect(
        rule="bottleneck",
        sentence=text,
        cost=signals.cost(grown),
        operator=operator_ref(operator),
        evidence=(Evidence(step=Step.PATTERNS, label="path", text=place),),
        remedies=(_advice(row),),
    )


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
