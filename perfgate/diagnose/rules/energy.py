"""An inference takes more energy: who consumes it, and which part passes while the host works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence, Focus
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import NJ_PER_JOULE, Step, amount_text, from_to, share_text, worst_first
from perfgate.diagnose.signals import HOST, Signal, Signals, operator_ref
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.diagnosis import OperatorRef
    from perfgate.core.execution_profile import Profile

_WORDS = {
    "matrix": "products",
    "vector": "vector work",
    "l2": "on-chip traffic",
    "dram": "device memory traffic",
    "link": "the host link",
    "idle": "static power while time passes",
}
# Consumer -> the narrower type that takes less, and the flag that asks for it.
_SETTINGS = {"matrix": ("int8", "quantize", "int8"), "dram": ("fp16", "--precision_mode", "force_fp16")}


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    if signals.focus is not Focus.ENERGY:
        return ()
    after, scale = signals.after.hardware.energy_j, NJ_PER_JOULE
    before = {} if signals.before is None else signals.before.hardware.energy_j
    found = [
        _suspect(signals, name, tuple(round(value * scale) for value in (before.get(name, 0.0), joules)))
        for name, joules in after.items()
    ]
    return worst_first(signals, found, limits)


def _suspect(signals: Signals, name: str, sides: tuple[int, ...]) -> Suspect:
    before, after = sides
    old = "" if signals.before is None else amount_text(signals, before)
    text = f"{_WORDS.get(name, name)} {from_to(old, amount_text(signals, after))}"
    host, operator = _host_text(signals), _host_operator(signals.after)
    return Suspect(
        rule="energy",
        sentence=f"energy of {text} of {amount_text(signals, signals.amount)}{host and f'; {host}'}",
        cost=after - before,
        operator=operator if host else None,
        evidence=(Evidence(step=Step.PATTERNS, label="energy", text=text),),
        remedies=_remedies(name, operator if host else None),
    )


def _host_share(profile: Profile) -> float:
    return profile.hardware.busy_share.get(HOST, 0.0)


def _host_text(signals: Signals) -> str:
    """Only where the host works for a larger share than before."""
    share = _host_share(signals.after)
    old = 0.0 if signals.before is None else _host_share(signals.before)
    return f"the host works for {share_text(share)} of the time" if share > old else ""


def _host_operator(profile: Profile) -> OperatorRef | None:
    """Whose work on the host takes longest."""
    spent: dict[int, int] = {}
    for kernel in profile.kernels:
        if kernel.engine == HOST:
            spent[kernel.owner] = spent.get(kernel.owner, 0) + kernel.duration_ps * kernel.times
    worst = max(spent, key=lambda owner: spent[owner], default=None)
    row = next((row for row in profile.operators if row.number == worst), None)
    return None if row is None else operator_ref(row)


def _remedies(name: str, on_host: OperatorRef | None) -> tuple[Remedy, ...]:
    found = []
    if name in _SETTINGS:
        dtype, flag, value = _SETTINGS[name]
        setting = NewSetting(kind=DifferenceKind.FLAG, name=flag, value=value)
        found.append(
            Remedy(title=f"compute in {dtype}", risk="check the output difference", settings=(setting,))
        )
    if on_host is not None:
        found.append(
            Remedy(
                title=f"move {on_host.name} to the device",
                risk="check the output difference",
                advice=f"{on_host.op} runs on the host while the device draws static power",
            )
        )
    if not found:
        advice = "move fewer bytes, or finish sooner: static power counts as long as the device waits"
        found.append(Remedy(title="do the same in less", risk="", advice=advice))
    return tuple(found)


RULE = Rule(
    id="energy",
    about="An inference takes more energy, told by consumer; names work that moved to the host.",
    needs=frozenset({Signal.ENERGY}),
    match=_match,
)
