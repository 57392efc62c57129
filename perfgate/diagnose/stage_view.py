"""What rules look at in the stages of a pipeline, and what is worth trying with their settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import time_text
from perfgate.diagnose.suspect import Remedy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.core.stage_row import Blocker, StageRow
    from perfgate.diagnose.signals import Signals

MOST_TRIED = 4  # what-ifs of each kind; each is a simulation, with a new batch a compilation too
MOST_NAMED = 3  # stages that held an engine
LOADED = 0.5  # of a resource's time: less than that, larger batches only add waits


def critical_stages(profile: Profile) -> tuple[StageRow, ...]:
    """Stages on the path that decides when the last one ends."""
    return tuple(row for row in profile.stages if row.critical)


def stages_before(signals: Signals) -> Mapping[str, StageRow]:
    """Stages of the before side by name; empty without one."""
    return {} if signals.before is None else {row.name: row for row in signals.before.stages}


def overtaken_by(row: StageRow, stages: Sequence[StageRow]) -> Blocker | None:
    """The stage that it waits for most, if that one is less urgent or could as well go after it."""
    first = row.blockers[0] if row.blockers else None
    if first is None or first.stage == row.name:
        return None
    other = next((item for item in stages if item.name == first.stage), None)
    can_wait = other is not None and other.slack_ps >= row.duration_ps
    return first if can_wait or first.priority < row.priority else None


def held_by(row: StageRow) -> str:
    """The stages that held the engine it waited for, the longest first."""
    return ", ".join(f"{item.stage} for {time_text(item.time_ps)}" for item in row.blockers[:MOST_NAMED])


def stage_opportunities(stages: Sequence[StageRow], changed: Collection[str]) -> tuple[Remedy, ...]:
    """Order, priority and batch of the stages that the plan waits for; each is kept only if it gains.

    Settings that `changed` are left to the causes.
    """
    path = [row for row in stages if row.critical]
    blocked = [(row, overtaken_by(row, stages)) for row in path]
    waiting = sorted(((row, item) for row, item in blocked if item), key=lambda pair: -pair[0].wait_ps)
    batched = sorted((row for row in path if row.batch > 1), key=lambda row: -row.duration_ps)
    loaded = [row for row in path if row.kind == "model" and row.load > LOADED]
    found = (
        *(go_first(row, blocker) for row, blocker in waiting[:MOST_TRIED]),
        *(_batch(row, 1) for row in batched[:MOST_TRIED]),
        *(_batch(row, row.batch * 2) for row in loaded[:MOST_TRIED]),
    )
    return tuple(remedy for remedy in found if remedy.settings[0].name not in changed)


def go_first(row: StageRow, blocker: Blocker) -> Remedy:
    """Give a stage a priority above another one's."""
    value = str(max(row.priority, blocker.priority) + 1)
    setting = NewSetting(kind=DifferenceKind.STAGE, name=f"{row.name}.priority", value=value)
    return Remedy(
        title=f"let {row.name} go before {blocker.stage}",
        risk=f"{blocker.stage} ends later",
        settings=(setting,),
    )


def _batch(row: StageRow, batch: int) -> Remedy:
    setting = NewSetting(kind=DifferenceKind.STAGE, name=f"{row.name}.batch", value=str(batch))
    if batch == 1:
        return Remedy(
            title=f"{row.name} takes frames one by one", risk="the resource is busier", settings=(setting,)
        )
    return Remedy(
        title=f"{row.name} takes {batch} frames at once", risk="the first of them waits", settings=(setting,)
    )
