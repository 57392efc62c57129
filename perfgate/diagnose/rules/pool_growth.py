"""The reserved memory pool is too small, so buffers are allocated while the program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.core.units import PS_PER_US
from perfgate.diagnose.evidence import Step, bytes_text, time_text, worst_first
from perfgate.diagnose.signals import Signal, Signals
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Memory


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    memory = signals.after.hardware.memory
    before = 0 if signals.before is None else signals.before.hardware.memory.allocations
    added = memory.allocations - before
    if added <= 0 or signals.machine is None:
        return ()
    steps = max(1, signals.after.application.iterations)
    time = round(added * signals.machine.runtime.alloc_us * PS_PER_US) * steps
    return worst_first(signals, [_suspect(signals, memory, time, limits)], limits)


def _suspect(signals: Signals, memory: Memory, time: int, limits: Limits) -> Suspect:
    text = (
        f"pool {bytes_text(memory.pool)}, need {bytes_text(memory.arena)}: {memory.allocations} allocations"
        f" per step while running, {time_text(time)} more"
    )
    unit = int(limits["unit_bytes"])
    value = f"{-(-memory.arena // unit)}GB"
    setting = NewSetting(kind=DifferenceKind.RUNTIME, name="memory_pool", value=value)
    risk = f"reserves {value} while loaded"
    return Suspect(
        rule="pool_growth",
        sentence=text,
        cost=signals.cost(time),
        evidence=(Evidence(step=Step.PATTERNS, label="allocations", text=text),),
        remedies=(Remedy(title=f"memory_pool: {value}", risk=risk, settings=(setting,)),),
    )


RULE = Rule(
    id="pool_growth",
    about="The reserved memory pool is too small, so buffers are allocated while the program runs.",
    needs=frozenset({Signal.MEMORY, Signal.MACHINE}),
    match=_match,
)
