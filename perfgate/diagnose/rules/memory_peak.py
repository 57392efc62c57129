"""Peak memory grew: which tensor is live there that was not, or is larger, and who made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence, Focus, OperatorRef
from perfgate.diagnose.evidence import Step, bytes_text, from_to, time_text, worst_first
from perfgate.diagnose.lifetimes import early_frees
from perfgate.diagnose.memory import replay
from perfgate.diagnose.memory_log import allocation_log, last_uses
from perfgate.diagnose.signals import Signal, Signals, operator_ref
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.diagnose.memory import Block


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    if signals.focus is not Focus.MEMORY:
        return ()
    memory = signals.after.hardware.memory
    if signals.before is None:
        is_full = memory.capacity > 0 and memory.peak >= memory.capacity * limits["full"]
        cost = memory.peak if is_full else 0
    else:
        cost = memory.peak - signals.before.hardware.memory.peak
    if cost <= 0:
        return ()
    return worst_first(signals, [_suspect(signals, cost)], limits)


def _suspect(signals: Signals, cost: int) -> Suspect:
    memory, before = signals.after.hardware.memory, signals.before
    old = "" if before is None else bytes_text(before.hardware.memory.peak)
    text = f"peak memory {from_to(old, bytes_text(memory.peak))}"
    weights = memory.weights - (0 if before is None else before.hardware.memory.weights)
    # What grew most is told: weights are there all the time and in no log.
    block = None if before is not None and weights > cost - weights else _holder(signals)
    operator = None if block is None else _operator(signals.after, block.taken.owner)
    if block is not None:
        text += f": {_held_text(signals, block, operator)}"
    elif before is not None and weights > 0:
        text += f": weights {bytes_text(before.hardware.memory.weights)} -> {bytes_text(memory.weights)}"
    return Suspect(
        rule="memory_peak",
        sentence=text,
        cost=cost,
        operator=operator,
        evidence=(Evidence(step=Step.PATTERNS, label="peak", text=text),),
        remedies=_remedies(signals),
    )


def _holder(signals: Signals) -> Block | None:
    """The block at the peak that weighs most against what it was before; without a baseline the largest."""
    peak = replay(allocation_log(signals.after)).peak
    old = {} if signals.before is None else _lives(signals.before)
    live = () if peak is None else peak.live
    best = max(live, key=lambda item: (_weight(item, old), -item.first), default=None)
    return best if best is not None and _weight(best, old) > 0 else None


def _weight(block: Block, old: Mapping[str, tuple[int, int]]) -> float:
    """Bytes that are new, or larger than before; held twice as long counts like new."""
    size, length = old.get(block.taken.tensor, (0, 0))
    longer = block.size * min(1, (_length(block) - length) / length) if length else 0
    return max(block.size - size, longer)


def _operator(profile: Profile, number: int) -> OperatorRef | None:
    row = next((row for row in profile.operators if row.number == number), None)
    return None if row is None else operator_ref(row)


def _held_text(signals: Signals, block: Block, operator: OperatorRef | None) -> str:
    """`#88 conv2 holds 312 MB 1.2 ms longer`."""
    who = f"#{operator.number} {operator.name}" if operator is not None else block.taken.tensor
    text = f"{who} holds {bytes_text(block.size)}"
    known = {} if signals.before is None else _lives(signals.before)
    _, length = known.get(block.taken.tensor, (0, _length(block)))
    longer = _length(block) - length
    return f"{text} {time_text(longer)} longer" if longer > 0 else text


def _lives(profile: Profile) -> dict[str, tuple[int, int]]:
    """Bytes and time of life of each tensor."""
    return {
        block.taken.tensor: (block.size, _length(block)) for block in replay(allocation_log(profile)).blocks
    }


def _length(block: Block) -> int:
    return 0 if block.end is None else block.end - block.start


def _remedies(signals: Signals) -> tuple[Remedy, ...]:
    """What early frees would bring is the replay of the log with them."""
    saved = early_frees(replay(allocation_log(signals.after)), last_uses(signals.after))
    fewer = Remedy(
        title="hold less at once",
        risk="",
        advice="use a smaller batch or a narrower type, or compute long-lived results again",
    )
    if not saved.each:
        return (fewer,)
    names = ", ".join(item.block.taken.tensor for item in saved.each[:2])
    advice = (
        f"free {names} after the last reader: the replayed peak of activations falls"
        f" {bytes_text(saved.peak)} -> {bytes_text(saved.together)}"
    )
    return Remedy(title="free early", risk="none, same numerics", advice=advice), fewer


RULE = Rule(
    id="memory_peak",
    about="Peak memory grew; names the tensor at the peak, its operator, and what early frees would bring.",
    needs=frozenset({Signal.MEMORY}),
    match=_match,
)
