"""The host link is busy nearly all the time while the engines are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, bytes_text, from_to, share_text, worst_first
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect
from perfgate.diagnose.timeline import LINK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.diagnose.signals import Signals

_ENGINES = ("matrix", "vector")


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    link, compute = _busy(signals.after, LINK), _busiest(signals.after)
    if link < limits["least_link"] or compute > limits["most_compute"]:
        return ()
    before = 0 if signals.before is None else _busy_ps(signals.before)
    old = "" if signals.before is None else share_text(_busy(signals.before, LINK))
    size = signals.after.application.copied_bytes + signals.after.application.io_bytes
    text = (
        f"the host link is busy {from_to(old, share_text(link))} of the time with {bytes_text(size)},"
        f" the busiest engine {share_text(compute)}"
    )
    suspect = Suspect(
        rule="transfer_bound",
        sentence=text,
        cost=signals.cost(_busy_ps(signals.after) - before),
        evidence=(Evidence(step=Step.PATTERNS, label="link", text=text),),
        remedies=_remedies(),
    )
    return worst_first(signals, [suspect], limits)


def _busy(profile: Profile, engines: frozenset[str]) -> float:
    return min(1, sum(profile.hardware.busy_share.get(name, 0.0) for name in engines))


def _busiest(profile: Profile) -> float:
    return max(profile.hardware.busy_share.get(name, 0.0) for name in _ENGINES)


def _busy_ps(profile: Profile) -> int:
    return sum(profile.hardware.busy_ps.get(name, 0) for name in LINK)


def _remedies() -> tuple[Remedy, ...]:
    pinned = NewSetting(kind=DifferenceKind.RUNTIME, name="pinned_memory", value="true")
    half = NewSetting(kind=DifferenceKind.FLAG, name="--output_type", value="FP16")
    return (
        Remedy(
            title="copy from pinned memory", risk="host memory that cannot be swapped", settings=(pinned,)
        ),
        Remedy(title="return results in FP16", risk="check the output difference", settings=(half,)),
        Remedy(
            title="move fewer bytes",
            risk="",
            advice="keep data on the device between calls, or send it in a narrower type",
        ),
    )


RULE = Rule(
    id="transfer_bound",
    about="The host link is busy nearly all the time while the engines are not.",
    needs=frozenset(),
    match=_match,
)
