"""Counterfactuals without a simulator: the after side costs what its differences cost, as a table says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Focus
from perfgate.core.difference import Difference, DifferenceKind, Side
from perfgate.core.errors import UsageError
from perfgate.diagnose.what_if import Simulations
from tests.hand_profiles import MS, profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.core.difference import Change
    from perfgate.core.execution_profile import Profile

BASE = 100 * MS


def difference(name: str, kind: DifferenceKind = DifferenceKind.FLAG) -> Difference:
    """A flag that went from `a` to `b`."""
    return Difference(
        kind=kind, name=name, before="a", after="b", place_after=f"deploy/convert.sh:3:{len(name)}"
    )


@dataclass(slots=True, kw_only=True)
class Table:
    """Simulates by addition: `BASE`, and milliseconds of each difference that is there and each setting put.

    `together`: cost of a pair that counts while both are there. What `refused` names cannot be simulated.
    """

    costs: Mapping[str, int]
    settings: Mapping[str, int] = field(default_factory=dict)
    together: Mapping[tuple[str, str], int] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    asked: list[Change] = field(default_factory=list)

    def __call__(self, change: Change) -> Profile:
        """The profile of the after side with the change."""
        assert change.side is Side.AFTER
        self.asked.append(change)
        taken = {item.name for item in change.taken}
        put = {item.name for item in change.settings}
        if (taken | put) & self.refused:
            raise UsageError("cannot be compiled", "deploy/convert.sh:3:5", "correct it")
        cost = self._cost(self.costs.keys() - taken) + sum(self.settings.get(name, 0) for name in put)
        return profile(BASE + MS * cost)

    def _cost(self, there: set[str]) -> int:
        pairs = sum(cost for pair, cost in self.together.items() if there.issuperset(pair))
        return sum(self.costs[name] for name in there) + pairs

    @property
    def amounts(self) -> tuple[int, int]:
        """Before and after."""
        return BASE, BASE + MS * self._cost(set(self.costs))


def simulations(table: Table, clock: Callable[[], float] = lambda: 0.0) -> Simulations:
    """The budgeted simulations of a table, by a clock that stands still unless another one is given."""
    return Simulations(table, Focus.LATENCY, clock)
