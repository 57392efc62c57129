"""What a search found: the culprits, or the smallest set that holds one, and all that was measured."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from perfgate.bisection.probe import Candidate, Launch, Outcome  # noqa: TC001 - msgspec reads annotations


class Ending(StrEnum):
    """How a search ended. `culprit` and `range` exit 0, the others 10."""

    CULPRIT = "culprit"
    RANGE = "range"
    NO_DIFFERENCE = "no reproducible difference"
    UNDECIDED = "undecided"


class Culprit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One change that was found, confirmed by fresh launches.

    `suspects` are the commits of which one made it, oldest first: one commit, or more when those before the
    last cannot be built. `parent` is the last commit before it that was measured. `step` and `total` are
    logarithms of the ratio for a sampled metric and differences for an exact one, positive in the wanted
    direction; `share` = step / total of the whole range. `chance` is the posterior, 1 for an exact metric.
    The two tuples are the fresh launches of the confirmation: take the interval from them, since the
    search's own launches are selected.
    """

    suspects: tuple[Candidate, ...]
    parent: Candidate
    chance: float
    step: float
    share: float
    before: tuple[Launch, ...]
    after: tuple[Launch, ...]

    @property
    def commit(self) -> Candidate:
        """The last suspect: the first commit that was measured as bad."""
        return self.suspects[-1]


class Evidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One probed commit: what came of it. `mean` is in the metric's unit (geometric for a sampled one).

    `low` and `high` are `mean` -+ 1.96 standard errors. `position` counts from the good end, 0.
    """

    commit: Candidate
    position: int
    outcome: Outcome
    launches: int = 0
    samples: int = 0
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    bad_chance: float | None = None
    detail: str = ""


class Cost(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was spent; `builds` counts the failed ones too, not the `clean` ones that confirm an exact value.

    Seconds as the outcomes reported them.
    """

    builds: int = 0
    clean: int = 0
    failed: int = 0
    launches: int = 0
    samples: int = 0
    seconds: float = 0.0


class Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole result of a search.

    `left`: the smallest run of neighbouring commits that holds a culprit with 99 % (empty when there is no
    difference); for a culprit its suspects. `reason` says in plain words why a search ended without a name.
    `total` is the change between the ends, as `Culprit.step`.
    """

    ending: Ending
    culprits: tuple[Culprit, ...] = ()
    left: tuple[Candidate, ...] = ()
    total: float = 0.0
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    cost: Cost = Cost()
    expected: Cost = Cost()
    notes: tuple[str, ...] = ()
