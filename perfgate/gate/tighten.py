"""Base and head policy as one: a change may tighten the gate that judges it, never loosen it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfgate.core.metric import known_metric
from perfgate.gate.thresholds import (
    POLICY_KEYS,
    TAIL_EFFECTS,
    Answer,
    Level,
    Limit,
    MetricPolicy,
    PolicyRule,
    SuitePolicy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_REACTIONS = (Answer.PASS, Answer.WARN, Answer.FAIL)
_REACTION_KEYS = ("on_inconclusive", "on_missing", "on_new", "on_changed", "common_shift")
_SHARES = ("min_effect", "equivalence", "absolute", "relative", "bootstrap_veto")
_LEVELS = (Level.WARN, Level.FAIL, Level.BLOCK)


def _smaller(value: float) -> float:
    return -value


# How strict a value is, by key; what is not here has no order.
_STRICTNESS: dict[str, Callable[[Any], float]] = {
    **dict.fromkeys(_SHARES, _smaller),
    **dict.fromkeys(_REACTION_KEYS, _REACTIONS.index),
    "level": _LEVELS.index,
    "alpha": float,
    "is_gated": float,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loosening:
    """A value of the change that is looser than the base's, and so does not count."""

    match: str
    metric: str
    key: str
    base: str
    head: str
    origin: str

    def __str__(self) -> str:
        scope = "everything" if self.match == "*" else f"{self.match} {self.metric}"
        return f"{self.origin}: {self.key} {self.head} for {scope} is looser than base's {self.base}"


def tighten(
    base: SuitePolicy, head: SuitePolicy, pairs: Iterable[tuple[str, str]]
) -> tuple[SuitePolicy, tuple[Loosening, ...]]:
    """The stricter of both policies, key by key, for the suite and for each (benchmark key, metric) pair.

    Which rule wins depends on globs, so the result holds one rule per pair. What is neither stricter nor
    looser (the location, the direction) is taken from base.
    """
    loosened: list[Loosening] = []
    rules: list[PolicyRule] = []
    for match, metric in (("*", "*"), *pairs):
        ours = base.suite if match == "*" else base.for_metric(match, metric)
        theirs = head.suite if match == "*" else head.for_metric(match, metric)
        rules += _stricter(ours, theirs, match, metric)
        found = _looser(ours, theirs, match, metric)
        loosened += [item for item in found if not _is_known(item, loosened)]
    removed = tuple(glob for glob in head.removed if glob in base.removed)
    loosened += [
        Loosening(match=glob, metric="*", key="removed", base="gated", head="removed", origin="perfgate.yaml")
        for glob in head.removed
        if glob not in base.removed
    ]
    return SuitePolicy(rules=tuple(rules), removed=removed), tuple(loosened)


def _stricter(base: MetricPolicy, head: MetricPolicy, match: str, metric: str) -> list[PolicyRule]:
    """One rule per origin, so that every threshold still names the rule that set it."""
    by_origin: dict[str, dict[str, object]] = {}
    for key in sorted(POLICY_KEYS):
        winner = head if _order(key, getattr(base, key), getattr(head, key), metric) > 0 else base
        by_origin.setdefault(winner.origin(key), {})[key] = getattr(winner, key)
    return [
        PolicyRule(match=match, metric=metric, values=values, origin=origin)
        # Last wins: a `min_effect` that names a percentile would set its `tail_effect` too.
        for origin, values in sorted(by_origin.items(), key=lambda item: ("tail_effect" in item[1], item[0]))
    ]


def _looser(base: MetricPolicy, head: MetricPolicy, match: str, metric: str) -> list[Loosening]:
    return [
        Loosening(
            match=match,
            metric=metric,
            key=key,
            base=_text(getattr(base, key)),
            head=_text(getattr(head, key)),
            origin=head.origin(key),
        )
        for key in sorted(POLICY_KEYS)
        if _order(key, getattr(base, key), getattr(head, key), metric) < 0
    ]


def _order(key: str, base: object, head: object, metric: str) -> int:
    """+1: head is stricter; -1: head is looser, or other in a way that has no order; 0: equal."""
    if base == head:
        return 0
    if key == "limit":
        return _limit_order(base, head, metric)
    if key == "tail_effect":
        default = _default_tail_effect(metric)
        base, head = (default if value is None else value for value in (base, head))
        key = "min_effect"
    strictness = _STRICTNESS.get(key)
    if strictness is None:
        return -1  # another location, direction, suspicion or run count is no tightening
    return 1 if strictness(head) > strictness(base) else -1


def _default_tail_effect(metric: str) -> float:
    """What a `tail_effect` that is not set stands for; P99's where the metric is none of the known tails."""
    known = known_metric(metric)
    quantile = None if known is None else known.quantile
    fallback = TAIL_EFFECTS[0][1]
    return next((effect for least, effect in TAIL_EFFECTS if (quantile or 0.0) >= least), fallback)


def _limit_order(base: object, head: object, metric: str) -> int:
    if not isinstance(base, Limit):
        return 1
    if not isinstance(head, Limit):
        return -1
    known = known_metric(metric)
    is_ceiling = known is None or known.sign > 0
    return 1 if (head.value < base.value) == is_ceiling else -1


def _is_known(item: Loosening, seen: list[Loosening]) -> bool:
    """The same rule loosens the same key for many pairs: one line is enough."""
    return any((item.origin, item.key, item.head) == (other.origin, other.key, other.head) for other in seen)


def _text(value: object) -> str:
    if isinstance(value, Limit):
        return f"{value.value:g}"
    return f"{value:g}" if isinstance(value, float) else str(value)
