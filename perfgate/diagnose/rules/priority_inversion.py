"""Kernels wait for other work on the device that goes first, or that is not interrupted for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, time_text, worst_first
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.diagnose.signals import Signals

_RANKS = ("low", "normal", "high")
_HIGHEST = "high"


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    waited = _waited(signals.after)
    # More kernels wait more often; an inversion is that each of them waits longer.
    before = 0.0 if signals.before is None else _per_launch(signals.before)
    cost = round(waited - before * _launches(signals.after))
    return worst_first(signals, [_suspect(signals, waited, cost)], limits)


def _waited(profile: Profile) -> int:
    """In the whole execution; the first program stands for every step."""
    return profile.graph.background_ps * max(1, profile.application.iterations)


def _launches(profile: Profile) -> float:
    return max(1.0, profile.exact.get("kernel_count", float(profile.graph.kernels)))


def _per_launch(profile: Profile) -> float:
    return _waited(profile) / _launches(profile)


def _suspect(signals: Signals, waited: int, cost: int) -> Suspect:
    graph = signals.after.graph
    own, other = graph.priority, graph.background_priority
    text = f"kernels of {own} priority wait {time_text(waited)} behind other work of {other} priority"
    return Suspect(
        rule="priority_inversion",
        sentence=text,
        cost=signals.cost(cost),
        evidence=(Evidence(step=Step.PATTERNS, label="priority", text=text),),
        remedies=_remedies(own, other),
    )


def _remedies(own: str, other: str) -> tuple[Remedy, ...]:
    shorter = Remedy(
        title="shorten or move the other work",
        risk="the other work ends later",
        advice="split its kernels, which are not interrupted, or run it on another device",
    )
    if own == _HIGHEST or own not in _RANKS or other not in _RANKS:
        return (shorter,)
    setting = NewSetting(kind=DifferenceKind.RUNTIME, name="stream_priority", value=_HIGHEST)
    raised = Remedy(title="stream_priority: high", risk="the other work ends later", settings=(setting,))
    return raised, shorter


RULE = Rule(
    id="priority_inversion",
    about="Kernels wait longer for other work on the device that goes first or is not interrupted.",
    needs=frozenset(),
    match=_match,
)
