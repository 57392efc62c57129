"""A simulated range of commits: what each costs, whether it builds, and how its launches scatter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from perfgate.bisection.probe import (
    Build,
    Candidate,
    Launch,
    Outcome,
    Probe,
    ProbeOutcome,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

BUILD_SECONDS, LAUNCH_SECONDS, SAMPLE_SECONDS = 20.0, 1.0, 1.0  # a build is worth 20 samples
OUTLIER_SHARE = 0.02
OUTLIER_SLOWER = (1.1, 1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The truth about a range: `steps` are (position, relative change) of the culprits."""

    commits: int
    steps: tuple[tuple[int, float], ...] = ()
    noise: float = 0.03
    launch_effect: float = 0.0
    build_effect: float = 0.0
    broken: frozenset[int] = frozenset()
    weights: tuple[float, ...] = ()

    def levels(self) -> Floats:
        """Log value of every commit; a change holds from its position on."""
        levels = np.zeros(self.commits)
        for place, change in self.steps:
            levels[place:] += np.log1p(change)
        return levels

    def candidates(self) -> tuple[Candidate, ...]:
        """The range as the search sees it."""
        weights = self.weights or (1.0,) * self.commits
        return tuple(
            Candidate(commit=f"{place:07d}", tree=f"t{place}", weight=weights[place])
            for place in range(self.commits)
        )


@dataclass(slots=True)
class World:
    """A prober of simulated commits; `seed` makes it repeatable. Costs are in units of one sample."""

    ground: Ground
    seed: int
    asked: list[Probe] = field(default_factory=list)
    answered: list[ProbeOutcome] = field(default_factory=list)
    built_places: set[int] = field(default_factory=set)
    wall: float = 0.0
    random: np.random.Generator = field(init=False)
    truth: Floats = field(init=False)
    build_effects: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.truth = self.ground.levels()
        self.build_effects = self.ground.build_effect * self.random.standard_normal(self.ground.commits)

    def built(self) -> frozenset[str]:
        """Nothing is built at the start."""
        return frozenset()

    def close(self) -> None:
        """Nothing runs."""

    def probe(self, wanted: Probe) -> ProbeOutcome:
        """One launch, after a build where the commit is new."""
        self.asked.append(wanted)
        place = int(wanted.commit)
        builds = self._build(place, wanted.ahead, is_clean=wanted.is_clean)
        if place in self.ground.broken:
            outcome = ProbeOutcome(commit=wanted.commit, outcome=Outcome.BUILD_FAILED, builds=builds)
        else:
            launch = self._launch(place, wanted.samples)
            self.wall += launch.seconds + launch.overhead
            outcome = ProbeOutcome(
                commit=wanted.commit, outcome=Outcome.MEASURED, launch=launch, builds=builds
            )
        self.answered.append(outcome)
        return outcome

    def _build(self, place: int, ahead: Sequence[str], *, is_clean: bool) -> tuple[Build, ...]:
        if place in self.built_places and not is_clean:
            return ()
        wanted = [place, *(int(commit) for commit in ahead if int(commit) not in self.built_places)]
        self.built_places.update(wanted)
        self.wall += BUILD_SECONDS
        return tuple(
            Build(
                commit=f"{item:07d}",
                seconds=BUILD_SECONDS,
                outcome=Outcome.BUILD_FAILED if item in self.ground.broken else Outcome.MEASURED,
            )
            for item in wanted
        )

    def _launch(self, place: int, samples: int) -> Launch:
        shift = self.truth[place] + self.build_effects[place]
        shift += self.ground.launch_effect * self.random.standard_normal()
        values = np.exp(shift + self.ground.noise * self.random.standard_normal(samples))
        is_slow = self.random.random(samples) < OUTLIER_SHARE
        values[is_slow] *= self.random.uniform(*OUTLIER_SLOWER, int(is_slow.sum()))
        return Launch(
            samples=tuple(values.tolist()),
            exact={"cycles": float(np.round(1e9 * np.exp(self.truth[place])))},
            seconds=SAMPLE_SECONDS * samples,
            overhead=LAUNCH_SECONDS,
        )
