"""Free memory lies in pieces, or reserved memory is unused, more than before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence, Focus
from perfgate.diagnose.evidence import Step, bytes_text, share_text, worst_first
from perfgate.diagnose.signals import Signal, Signals
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Memory


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    if signals.focus is not Focus.MEMORY:
        return ()
    memory = signals.after.hardware.memory
    before = None if signals.before is None else signals.before.hardware.memory
    index, rate = _measures(before)
    signs = [
        _sign("index", memory.fragmentation_index, limits["least_index"], index),
        _sign("rate", memory.fragmentation_rate, limits["least_rate"], rate),
    ]
    refused = _refused(memory)
    found = [sign for sign in signs if sign]
    if refused and (before is None or refused > _refused(before)):
        free = bytes_text(_free(memory))
        found.insert(0, f"{bytes_text(refused)} could not be taken with {free} free")
    if not found:
        return ()
    cost = max(_wasted(memory) - (0 if before is None else _wasted(before)), refused)
    return worst_first(signals, [_suspect(memory, found, cost)], limits)


def _measures(memory: Memory | None) -> tuple[float | None, float | None]:
    return (None, None) if memory is None else (memory.fragmentation_index, memory.fragmentation_rate)


def _sign(name: str, now: float, least: float, before: float | None) -> str:
    """The measure in words, where it reached its limit and did not fall."""
    if now < least or (before is not None and now <= before):
        return ""
    was = "" if before is None else f"{before:.2f} -> "
    return f"fragmentation {name} {was}{now:.2f}"


def _wasted(memory: Memory) -> int:
    """What the layout of the arena costs: the peak above what the same lives need at the least."""
    return memory.peak - memory.lower_bound


def _free(memory: Memory) -> int:
    """All free bytes, from the largest piece and the index (1 - largest / all)."""
    rest = 1 - memory.fragmentation_index
    return round(memory.largest_free / rest) if rest > 0 else memory.largest_free


def _refused(memory: Memory) -> int:
    """The largest size that failed although enough bytes were free in all."""
    return max((size for size in memory.failed if memory.largest_free < size <= _free(memory)), default=0)


def _suspect(memory: Memory, signs: list[str], cost: int) -> Suspect:
    unused = share_text(memory.fragmentation_rate)
    rest = f"largest free block {bytes_text(memory.largest_free)}, {unused} of the arena unused"
    text = f"{', '.join(signs)}; {rest}"
    return Suspect(
        rule="fragmentation",
        sentence=text,
        cost=cost,
        evidence=(Evidence(step=Step.PATTERNS, label="fragmentation", text=text),),
        remedies=(
            Remedy(
                title="take large blocks first",
                risk="none, same numerics",
                advice="allocate large, long-lived tensors first, use size classes, or fix the pool size",
            ),
        ),
    )


RULE = Rule(
    id="fragmentation",
    about="Free memory lies in pieces or reserved memory is unused, so allocations fail or the peak rises.",
    needs=frozenset({Signal.MEMORY}),
    match=_match,
)
