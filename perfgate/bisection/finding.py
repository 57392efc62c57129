"""What is known about a culprit besides its name: settings that changed, where the time went, the effect."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from perfgate.bisection.answer import Culprit  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.bisection.probe import Candidate  # noqa: TC001 - the same
from perfgate.core.metric import Kind, Metric
from perfgate.diagnose.explanation import Explanation, explain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.bisection.probe import Launch
    from perfgate.core.record import Record
    from perfgate.core.setting import Setting


class SettingStep(msgspec.Struct, frozen=True, kw_only=True):
    """A flag or key that differs between parent and culprit, with its places; None: absent there."""

    name: str
    before: str | None
    now: str | None
    place_before: str
    place_now: str


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """The change at the culprit as ratios - 1 of the metric's own direction, from fresh launches only.

    `low` and `high` are a 95 % interval; both None for an exact metric, and where too few launches were
    compared. `before` and `now` are in the metric's unit. `share` of the whole range's change.
    """

    before: float
    now: float
    relative: float | None
    low: float | None
    high: float | None
    share: float


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One culprit with its evidence. `merges` led to it from the range's first parents, outermost first."""

    culprit: Culprit
    effect: Effect
    settings: tuple[SettingStep, ...]
    explanation: Explanation | None
    merges: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()


def finding_of(
    culprit: Culprit,
    metric: Metric,
    records: tuple[Record | None, Record | None],
    merges: tuple[Candidate, ...],
) -> Finding:
    """Put together what parent and culprit say; without their records the settings stay empty."""
    before, now = records
    has_both = before is not None and now is not None
    return Finding(
        culprit=culprit,
        effect=effect_of(culprit, metric),
        settings=tuple(setting_steps(before, now)) if before is not None and now is not None else (),
        explanation=explain(before, now) if before is not None and now is not None else None,
        merges=merges,
        notes=() if has_both else ("the records of parent and culprit are no longer in the cache",),
    )


def setting_steps(before: Record, now: Record) -> list[SettingStep]:
    """Flags and keys that differ, each with both places, in the order of the culprit's file."""
    old = {item.name: item for item in before.subject.settings}
    new = {item.name: item for item in now.subject.settings}
    steps = []
    for name in [*new, *(name for name in old if name not in new)]:
        was, is_now = old.get(name), new.get(name)
        if was is not None and is_now is not None and was.value == is_now.value:
            continue
        steps.append(
            SettingStep(
                name=name,
                before=_shown(was),
                now=_shown(is_now),
                place_before="" if was is None else was.place,
                place_now="" if is_now is None else is_now.place,
            )
        )
    return steps


def effect_of(culprit: Culprit, metric: Metric) -> Effect:
    """The change between the confirmation's launches of parent and culprit."""
    if metric.kind is Kind.EXACT:
        before, now = (_exact(side, metric.name) for side in (culprit.before, culprit.after))
        relative = (now - before) / before if before > 0 else None
        return Effect(before=before, now=now, relative=relative, low=None, high=None, share=culprit.share)
    from perfgate.stats.bootstrap import bootstrap_ratio  # noqa: PLC0415 - loads scipy, once at the end

    sides = [[launch.samples for launch in side] for side in (culprit.before, culprit.after)]
    found = bootstrap_ratio(sides[0], sides[1])
    return Effect(
        before=_middle(culprit.before),
        now=_middle(culprit.after),
        relative=math.expm1(found.estimate),
        low=math.expm1(found.bca.low),
        high=math.expm1(found.bca.high),
        share=culprit.share,
    )


def _exact(side: Sequence[Launch], name: str) -> float:
    return next((launch.exact[name] for launch in side if name in launch.exact), math.nan)


def _middle(side: Sequence[Launch]) -> float:
    """Geometric mean of all samples of the launches, as the search compares them."""
    values = [math.log(value) for launch in side for value in launch.samples]
    return math.exp(math.fsum(values) / len(values)) if values else math.nan


def _shown(setting: Setting | None) -> str | None:
    return None if setting is None else setting.value or "(set)"
