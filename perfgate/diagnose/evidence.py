"""What rules share when they answer: steps of evidence, amounts in words, the order and the least cost."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Focus
from perfgate.core.units import PS_PER_SECOND, readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.diagnosis import OperatorRef
    from perfgate.diagnose.signals import Signals
    from perfgate.diagnose.suspect import Limits, Suspect

NJ_PER_JOULE = 1e9
SHORT_DIGEST = 12  # characters of a digest that people compare


class Step(IntEnum):
    """The order in which evidence is gathered."""

    CONFIGURATION = 1
    PASS_LOG = 2
    KERNELS = 3
    COPIES = 4
    OPERATORS = 5
    PATTERNS = 6


def worst_first(signals: Signals, suspects: Iterable[Suspect], limits: Limits) -> list[Suspect]:
    """Suspects that cost enough of the focus metric, the most expensive one first.

    A part of the delta is not more than the delta, whatever else became faster. Without a baseline nothing
    grew, so what is usual may cost `least_share_alone` where a rule has one.
    """
    least, most = limits["least_share"], max(0, signals.delta)
    if signals.before is None:
        least, most = limits.get("least_share_alone", least), signals.amount
    ordered = sorted(suspects, key=lambda item: -item.cost)
    parts = [replace(item, cost=min(item.cost, most)) for item in ordered]
    return [item for item in parts if item.cost > 0 and signals.share(item.cost) >= least]


def time_text(time_ps: int) -> str:
    """Picoseconds in words."""
    return readable(time_ps / PS_PER_SECOND, "s")


def bytes_text(size: int) -> str:
    """Bytes in words."""
    return readable(size, "B")


def share_text(share: float) -> str:
    """A share without sign: `37 %`."""
    return f"{share:.0%}".replace("%", " %")


def amount_text(signals: Signals, amount: int) -> str:
    """An amount of the focus metric in words."""
    if signals.focus is Focus.ENERGY:
        return readable(amount / NJ_PER_JOULE, "J")
    return bytes_text(amount) if signals.focus in {Focus.MEMORY, Focus.COPIES} else time_text(amount)


def from_to(before: str, after: str) -> str:
    """`1.2 ms -> 3.4 ms`; one value when there was none before or nothing changed."""
    return f"{before} -> {after}" if before and before != after else after


def and_more(ref: OperatorRef, members: Sequence[object]) -> str:
    """The worst operator of several by name: `conv1 and 3 more`."""
    return ref.name if len(members) <= 1 else f"{ref.name} and {len(members) - 1} more"
