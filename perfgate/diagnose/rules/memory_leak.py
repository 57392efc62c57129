"""Live bytes at the end of iterations keep growing: something is never given back."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence, Focus, OperatorRef
from perfgate.diagnose.evidence import Step, bytes_text, worst_first
from perfgate.diagnose.leaks import LeakRow, leak_table, leak_trend
from perfgate.diagnose.memory import replay
from perfgate.diagnose.memory_log import allocation_log
from perfgate.diagnose.signals import Signal, Signals, operator_ref
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.diagnose.leaks import LeakTrend


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    if signals.focus is not Focus.MEMORY:
        return ()
    trend = _growing(signals.after, limits)
    if trend is None:
        return ()
    before = None if signals.before is None else _growing(signals.before, limits)
    rate = trend.trend.robust.value - (0 if before is None else before.trend.robust.value)
    if rate <= 0:
        return ()
    ends = signals.after.hardware.memory.live_at_end
    return worst_first(signals, [_suspect(signals, trend, round(rate * (len(ends) - 1)))], limits)


def _growing(profile: Profile, limits: Limits) -> LeakTrend | None:
    """The trend of a log that is long enough to tell a leak from a cache that fills."""
    memory = profile.hardware.memory
    if len(memory.live_at_end) < limits["least_iterations"]:
        return None
    trend = leak_trend(memory.live_at_end, memory.capacity)
    return trend if trend is not None and trend.is_growing else None


def _suspect(signals: Signals, trend: LeakTrend, cost: int) -> Suspect:
    rows = [row for row in leak_table(replay(allocation_log(signals.after))) if row.blocks > 0]
    worst = rows[0] if rows else None
    slope = trend.trend.robust
    text = (
        f"live bytes grow by {bytes_text(round(slope.value))} per iteration"
        f" ({bytes_text(round(slope.low))} to {bytes_text(round(slope.high))}, {trend.iterations} iterations)"
    )
    owner = "" if worst is None else f"; {_row_text(worst)}"
    return Suspect(
        rule="memory_leak",
        sentence=f"{text}{owner}",
        cost=cost,
        operator=None if worst is None else _operator(signals.after, worst),
        evidence=(Evidence(step=Step.PATTERNS, label="leak", text=text), *_time_left(trend)),
        remedies=(
            Remedy(
                title="give it back",
                risk="none, same numerics",
                advice=_advice(worst),
            ),
        ),
    )


def _row_text(row: LeakRow) -> str:
    scope = f" in {row.scopes[0][0]}" if row.scopes and row.scopes[0][0] else ""
    return f"{row.op}{scope}: {row.blocks} blocks of {bytes_text(round(row.bytes_per_block))} never freed"


def _advice(row: LeakRow | None) -> str:
    if row is None:
        return "keep an allocation log over the iterations to see who does not give back"
    scopes = ", ".join(f"{scope or row.op} {bytes_text(size)}" for scope, size in row.scopes[:2])
    return f"free what these take in every iteration: {scopes}"


def _time_left(trend: LeakTrend) -> tuple[Evidence, ...]:
    left = trend.to_limit
    if left is None:
        return ()
    latest = "never" if isinf(left.latest) else f"{left.latest:,.0f}"
    text = f"full in {left.expected:,.0f} iterations ({left.earliest:,.0f} to {latest})"
    return (Evidence(step=Step.PATTERNS, label="time to limit", text=text),)


def _operator(profile: Profile, leak: LeakRow) -> OperatorRef | None:
    """The first operator of the type in the scope that holds most."""
    scope = leak.scopes[0][0] if leak.scopes else ""
    row = next((row for row in profile.operators if (row.op, row.scope) == (leak.op, scope)), None)
    return None if row is None else operator_ref(row)


RULE = Rule(
    id="memory_leak",
    about="Live bytes at the end of iterations keep growing, also in the last third of them.",
    needs=frozenset({Signal.MEMORY_LOG}),
    match=_match,
)
