"""Launching takes a large part of the time, and engines idle between kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.evidence import Step, from_to, share_text, time_text, worst_first
from perfgate.diagnose.rules.short_tasks import fewer_launches
from perfgate.diagnose.suspect import Limits, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.diagnose.signals import Signals


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    share = _share(signals.after)
    if share < limits["least_dispatch"]:
        return ()
    before = 0 if signals.before is None else _launch_time(signals.before)
    cost = _launch_time(signals.after) - before
    old = "" if signals.before is None else share_text(_share(signals.before))
    launches = int(signals.after.exact.get("kernel_count", signals.after.graph.kernels))
    text = (
        f"launching {launches:,} kernels takes {time_text(signals.after.parts.dispatch_ps)},"
        f" {from_to(old, share_text(share))} of the time"
    )
    suspect = Suspect(
        rule="dispatch_bound",
        sentence=text,
        cost=signals.cost(cost),
        evidence=(Evidence(step=Step.PATTERNS, label="dispatch", text=text),),
        remedies=fewer_launches(),
    )
    return worst_first(signals, [suspect], limits)


def _launch_time(profile: Profile) -> int:
    """Launches of all streams: what moves from one stream to another has not become more."""
    return sum(row.parts.dispatch_ps for row in profile.operators)


def _share(profile: Profile) -> float:
    total = profile.application.total_ps
    return profile.parts.dispatch_ps / total if total else 0.0


RULE = Rule(
    id="dispatch_bound",
    about="Launching takes a large part of the time, and engines idle between kernels.",
    needs=frozenset(),
    match=_match,
)
