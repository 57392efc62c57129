"""A flag, runtime key, named file or device file differs, and undoing it brings the time back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import Difference, DifferenceKind
from perfgate.diagnose.evidence import SHORT_DIGEST, Step
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from perfgate.diagnose.signals import Signals, Undone

_WORDS = {
    DifferenceKind.FLAG: "flag",
    DifferenceKind.RUNTIME: "runtime key",
    DifferenceKind.STAGE: "stage setting",
    DifferenceKind.FILE: "file",
    DifferenceKind.DEVICE: "device description",
    DifferenceKind.CONTEXT: "environment",
}


def _match(signals: Signals, limits: Limits) -> list[Suspect]:
    if not signals.is_simulated:
        return [_unproven(signals, item) for item in signals.differences if item.kind in _WORDS]
    found = [
        _suspect(signals, undone)
        for undone in signals.undone
        if undone.difference.kind in _WORDS and undone.recovered >= limits["least_recovered"]
    ]
    return sorted(found, key=lambda suspect: -suspect.cost)


def _suspect(signals: Signals, undone: Undone) -> Suspect:
    difference = undone.difference
    return Suspect(
        rule="config_flag",
        sentence=f"{_WORDS[difference.kind]} {difference.name} changed, {change_text(difference)}",
        cost=round(undone.recovered * signals.delta),
        difference=difference,
        evidence=(Evidence(step=Step.CONFIGURATION, label="changed", text=change_text(difference)),),
        remedies=(_restore(difference),),
    )


def _unproven(signals: Signals, difference: Difference) -> Suspect:
    return Suspect(
        rule="config_flag",
        sentence=f"{_WORDS[difference.kind]} {difference.name} changed, {change_text(difference)}",
        cost=signals.delta // max(1, len(signals.differences)),
        difference=difference,
        evidence=(Evidence(step=Step.CONFIGURATION, label="changed", text=change_text(difference)),),
        remedies=(_restore(difference),),
    )


def _restore(difference: Difference) -> Remedy:
    if difference.kind is DifferenceKind.CONTEXT:
        return Remedy(
            title=f"restore {difference.name}",
            risk="",
            advice=f"go back to {difference.name} {difference.before}",
        )
    title = f"restore {_WORDS[difference.kind]} {difference.name}"
    return Remedy(title=title, risk="none: the value of the baseline", taken=(difference,))


def change_text(difference: Difference) -> str:
    """`NHWC -> NCHW`, `was not set -> true`; digests are cut."""
    return f"{_shown(difference.before, difference.kind)} -> {_shown(difference.after, difference.kind)}"


def _shown(value: str | None, kind: DifferenceKind) -> str:
    if value is None:
        return "not set"
    return value[:SHORT_DIGEST] if kind in {DifferenceKind.FILE, DifferenceKind.DEVICE} else value


RULE = Rule(
    id="config_flag",
    about="A flag, runtime key, named file or device file differs, and undoing it brings the time back.",
    needs=frozenset(),
    match=_match,
)
