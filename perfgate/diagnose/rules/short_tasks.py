"""Many kernels are shorter than their launch: starting work costs more than doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, share_text, time_text, worst_first
from perfgate.diagnose.signals import Signal, Signals
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect
from perfgate.diagnose.timeline import COMPUTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import KernelRow, Profile


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    launched, short = _counts(signals.after)
    if not launched or short / launched < limits["least_short"]:
        return ()
    cost = _launch_time(signals.after)
    if signals.before is not None:
        _, short_before = _counts(signals.before)
        cost -= _launch_time(signals.before)
        if short <= short_before and cost <= 0:
            return ()
    return worst_first(signals, [_suspect(signals, launched, short, cost)], limits)


def _is_short(row: KernelRow) -> bool:
    return row.parts.dispatch_ps > 0 and row.duration_ps - row.parts.dispatch_ps < row.parts.dispatch_ps


def _kernels(profile: Profile) -> list[KernelRow]:
    return [row for row in profile.kernels if row.engine in COMPUTE]


def _counts(profile: Profile) -> tuple[int, int]:
    """Launches of the whole execution, and those of kernels shorter than their launch."""
    rows = _kernels(profile)
    return sum(row.times for row in rows), sum(row.times for row in rows if _is_short(row))


def _launch_time(profile: Profile) -> int:
    return sum(row.parts.dispatch_ps * row.times for row in _kernels(profile) if _is_short(row))


def _suspect(signals: Signals, launched: int, short: int, cost: int) -> Suspect:
    rows = [row for row in _kernels(signals.after) if _is_short(row)]
    work = sum((row.duration_ps - row.parts.dispatch_ps) * row.times for row in rows) // short
    launch = sum(row.parts.dispatch_ps * row.times for row in rows) // short
    text = (
        f"{short:,} of {launched:,} kernels ({share_text(short / launched)}) work {time_text(work)} after a"
        f" launch of {time_text(launch)}"
    )
    return Suspect(
        rule="short_tasks",
        sentence=text,
        cost=signals.cost(cost),
        evidence=(Evidence(step=Step.PATTERNS, label="short kernels", text=text),),
        remedies=fewer_launches(),
    )


def fewer_launches() -> tuple[Remedy, ...]:
    """What makes launches fewer: every fusion on, or more work per call."""
    settings = tuple([
        NewSetting(kind=DifferenceKind.FLAG, name=name, value=None)
        for name in ("--fusion_switch_file", "--disable_pass")
    ])  # fmt: skip
    return (
        Remedy(title="switch every fusion on", risk="check the output difference", settings=settings),
        Remedy(
            title="launch less often",
            risk="latency of a single request",
            advice="use a larger batch, or launch the whole graph at once",
        ),
    )


RULE = Rule(
    id="short_tasks",
    about="Many kernels are shorter than their launch.",
    needs=frozenset({Signal.KERNELS}),
    match=_match,
)
