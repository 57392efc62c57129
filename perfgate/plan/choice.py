"""Which fixes of a diagnosis go into a plan, and why the others do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import LEAST_FOUND
from perfgate.core.errors import UsageError
from perfgate.core.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.diagnosis import Diagnosis, Fix


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A fix by its number, from 1, in the diagnosis; `reason` says why it is left out, "" when it is not.

    `is_asked`: the user named it, so its gain does not count.
    """

    number: int
    fix: Fix
    reason: str = ""
    is_asked: bool = False


def choose(diagnosis: Diagnosis, least_gain: float, include: Iterable[int] = ()) -> tuple[Choice, ...]:
    """Every fix: taken are those of a likely cause with a simulated gain above `least_gain` (a share of now).

    Those in `include` are taken whatever their confidence and gain, unless they set nothing.

    Raises:
        UsageError: `include` names a fix that the diagnosis does not have.
    """
    wanted = frozenset(include)
    for number in sorted(wanted):
        if not 1 <= number <= len(diagnosis.fixes):
            known = f"it has fixes 1 to {len(diagnosis.fixes)}" if diagnosis.fixes else "it has no fix"
            raise UsageError(f"the diagnosis has no fix {number}", "--include", known)
    return tuple(
        Choice(
            number=number,
            fix=fix,
            reason=_reason(diagnosis, fix, least_gain, number in wanted),
            is_asked=number in wanted,
        )
        for number, fix in enumerate(diagnosis.fixes, start=1)
    )


def gain(diagnosis: Diagnosis, after: int | None) -> float | None:
    """Share of the present amount that goes away, .756 for 75.6 %; None when a side is unknown or zero."""
    if after is None or not diagnosis.amount:
        return None
    return (diagnosis.amount - after) / diagnosis.amount


def _reason(diagnosis: Diagnosis, fix: Fix, least_gain: float, is_included: bool) -> str:  # noqa: FBT001 - private
    if not fix.taken and not fix.settings:
        return f"it sets nothing: {fix.advice}" if fix.advice else "it sets nothing"
    if is_included:
        return ""
    if fix.cause < 0:
        return "it belongs to no cause and has its own price"
    confidence = _confidence(diagnosis, fix.cause)
    if confidence < LEAST_FOUND:
        return f"the confidence of its cause is {confidence:.2f}, below {LEAST_FOUND:.2f}"
    return _poor_gain(fix, gain(diagnosis, fix.after), least_gain)


def _confidence(diagnosis: Diagnosis, cause: int) -> float:
    return diagnosis.causes[cause].confidence if cause < len(diagnosis.causes) else 0.0


def _poor_gain(fix: Fix, share: float | None, least_gain: float) -> str:
    if share is None:
        return "its gain is not known"
    if fix.is_estimated:
        return f"its gain of {percent(-share)} is estimated, not simulated"
    if share <= least_gain:
        return f"its change of {percent(-share)} is not beyond the minimum effect, {percent(-least_gain)}"
    return ""
