"""Fixes with their gains: each simulated alone from now, and all together, never added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Fix, Severity
from perfgate.core.difference import Change, Side
from perfgate.diagnose.amounts import amount_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.diagnose.suspect import Remedy
    from perfgate.diagnose.what_if import Simulations

HIGH, MEDIUM = 0.20, 0.10  # of the delta
LEAST_GAIN = 0.01  # of the amount now: `min_effect`, below which no change is called
MOST_FIXES = 5
_NO_CAUSE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A remedy and the position of the cause it belongs to; -1 for one that helps whatever the cause is."""

    remedy: Remedy
    cause: int = _NO_CAUSE


def simulate_fixes(
    proposals: Iterable[Proposal], amounts: tuple[int, int], simulations: Simulations | None
) -> tuple[Fix, ...]:
    """Fixes that gain, best first; without simulations those of causes, marked as estimated.

    `amounts` are the focus metric before and after; a fix that cannot be simulated, or gains less than
    `LEAST_GAIN`, is left out. Advice that only a person can follow has no gain and comes last.
    """
    fixes, others = [], []
    for proposal in _unique(proposals):
        remedy = proposal.remedy
        if not remedy.can_be_simulated:
            others.append(_fix(proposal, Severity.LOW))
        elif simulations is None:
            if proposal.cause != _NO_CAUSE:
                others.append(_fix(proposal, Severity.MEDIUM, is_estimated=True))
        else:
            found = _simulated(proposal, amounts, simulations)
            if found is not None:
                fixes.append(found)
    fixes = _compatible(sorted(fixes, key=lambda fix: (fix.after or 0, fix.cause)))
    mended = {fix.cause for fix in fixes}
    open_ones = [fix for fix in others if fix.cause not in mended]
    return (*fixes, *sorted(open_ones, key=lambda fix: fix.cause))[:MOST_FIXES]


def _compatible(fixes: Sequence[Fix]) -> list[Fix]:
    """The best fix of each setting: a plan cannot give a flag two values."""
    kept: list[Fix] = []
    used: set[tuple[str, str]] = set()
    for fix in fixes:
        touched = {(str(item.kind), item.name) for item in fix.taken}
        touched |= {(str(item.kind), item.name) for item in fix.settings}
        if not touched & used:
            kept.append(fix)
            used |= touched
    return kept


def all_together(fixes: Sequence[Fix], simulations: Simulations | None) -> int | None:
    """The focus metric with every simulated fix put in at once; None for fewer than two, or if refused."""
    chosen = [fix for fix in fixes if fix.after is not None]
    if simulations is None or len(chosen) < 2:  # noqa: PLR2004 - one alone is known already
        return None
    taken = dict.fromkeys(item for fix in chosen for item in fix.taken)
    settings = tuple(item for fix in chosen for item in fix.settings)
    return simulations.amount(Change(side=Side.AFTER, taken=tuple(taken), settings=settings))


def _unique(proposals: Iterable[Proposal]) -> list[Proposal]:
    """The first of proposals that would do the same."""
    found: dict[object, Proposal] = {}
    for proposal in proposals:
        remedy = proposal.remedy
        key = (remedy.taken, remedy.settings) if remedy.can_be_simulated else (remedy.title, remedy.advice)
        found.setdefault(key, proposal)
    return list(found.values())


def _simulated(proposal: Proposal, amounts: tuple[int, int], simulations: Simulations) -> Fix | None:
    remedy = proposal.remedy
    change = Change(side=Side.AFTER, taken=remedy.taken, settings=remedy.settings)
    profile = simulations.profile(change)
    if profile is None:
        return None
    before, after = amounts
    amount = amount_of(profile, simulations.focus)
    gain = after - amount
    if gain < LEAST_GAIN * after:
        return None
    share = gain / (after - before) if after > before else gain / after
    severity = Severity.HIGH if share >= HIGH else Severity.MEDIUM if share >= MEDIUM else Severity.LOW
    return _fix(proposal, severity, after=amount, peak_memory=profile.hardware.memory.peak)


def _fix(
    proposal: Proposal,
    severity: Severity,
    *,
    after: int | None = None,
    peak_memory: int | None = None,
    is_estimated: bool = False,
) -> Fix:
    remedy = proposal.remedy
    return Fix(
        title=remedy.title,
        severity=severity,
        risk=remedy.risk,
        cause=proposal.cause,
        taken=remedy.taken,
        settings=remedy.settings,
        after=after,
        peak_memory=peak_memory,
        is_estimated=is_estimated,
        advice=remedy.advice,
    )
