"""What a rule answers: a suspect with its evidence, and what is to be done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfgate.core.diagnosis import Evidence, OperatorRef
    from perfgate.core.difference import Difference, NewSetting
    from perfgate.diagnose.signals import Signal, Signals

Limits: TypeAlias = "Mapping[str, float]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A way to mend it: differences to take back, settings to put, or advice where no setting does it.

    `risk` says what else may change, in a few words ("none, same numerics").
    """

    title: str
    risk: str
    taken: tuple[Difference, ...] = ()
    settings: tuple[NewSetting, ...] = ()
    advice: str = ""

    @property
    def can_be_simulated(self) -> bool:
        """A person's work cannot."""
        return bool(self.taken or self.settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """One match of a rule. `cost` is its part of the delta (of the amount without a baseline)."""

    rule: str
    sentence: str
    cost: int
    operator: OperatorRef | None = None
    difference: Difference | None = None
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Does it match, and what is to be done. `id` is its key in `rules.yaml` and in the documentation.

    `needs`: without one of these signals the rule is not applicable, which is counted, never silent. `about`
    is the sentence of the documentation.
    """

    id: str
    about: str
    needs: frozenset[Signal]
    match: Callable[[Signals, Limits], Sequence[Suspect]]
