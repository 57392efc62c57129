"""One cause, many effects: what the same difference did to several benchmarks, devices and metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.diagnosis import Effect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.diagnosis import Cause, Diagnosis


def merge_causes(diagnoses: Sequence[Diagnosis]) -> tuple[Diagnosis, ...]:
    """The diagnoses with each cause knowing all its effects, worst first; the worst diagnosis comes first.

    Causes are the same when they have the same difference, or the same rule and operator name.
    """
    effects: dict[tuple[str, ...], list[Effect]] = {}
    for found in diagnoses:
        for cause in found.causes:
            effects.setdefault(_key(cause), []).extend(_effects(found))
    merged = [
        msgspec.structs.replace(
            found, causes=tuple(_with_effects(cause, effects[_key(cause)]) for cause in found.causes)
        )
        for found in diagnoses
    ]
    return tuple(sorted(merged, key=lambda found: (-_worst(found), found.key)))


def is_same_cause(one: Diagnosis, other: Diagnosis) -> bool:
    """Both have the same first cause."""
    return bool(one.causes and other.causes) and _key(one.causes[0]) == _key(other.causes[0])


def _key(cause: Cause) -> tuple[str, ...]:
    if cause.difference is not None:
        return (cause.difference.key,)
    return (cause.rule, "" if cause.operator is None else cause.operator.name)


def _effects(found: Diagnosis) -> list[Effect]:
    """The judged metrics that got worse: the sampled ones, or without any the exact ones."""
    worse = [row for row in found.metrics if _worse_by(row.relative, row.before, row.after) > 0]
    sampled = [row for row in worse if row.metric.is_sampled]
    return [
        Effect(
            benchmark=found.benchmark,
            device=found.device,
            metric=row.metric.name,
            before=row.before,
            after=row.after,
            relative=row.relative,
        )
        for row in sampled or worse
    ]


def _with_effects(cause: Cause, effects: list[Effect]) -> Cause:
    unique = dict.fromkeys(effects)
    return msgspec.structs.replace(
        cause,
        effects=tuple(sorted(unique, key=lambda item: -_worse_by(item.relative, item.before, item.after))),
    )


def _worst(found: Diagnosis) -> float:
    """Of the sampled metrics, or of the exact ones where those are as they were."""
    sampled, exact = (
        max(
            (
                _worse_by(row.relative, row.before, row.after)
                for row in found.metrics
                if row.metric.is_sampled is is_sampled
            ),
            default=0.0,
        )
        for is_sampled in (True, False)
    )
    return sampled if sampled > 0 else exact


def _worse_by(relative: float | None, before: float, after: float) -> float:
    """The relative change; what came from nothing is worse than any ratio."""
    if relative is not None:
        return relative
    return math.inf if not before and after else 0.0
