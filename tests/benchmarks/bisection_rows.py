"""The conditions of the bisection's acceptance table: how a range is drawn, how often, and the targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from tests.bisection_world import Ground

Draw: TypeAlias = Callable[[np.random.Generator], Ground]
BROKEN = 0.05
RUN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A condition with its targets, BISECTION section 10; shares in percent, a missing key is no target."""

    name: str
    trials: int
    draw: Draw
    targets: dict[str, float] = field(default_factory=dict)
    metric: str = "latency"
    jobs: int = 1
    is_effect: bool = False  # left out of the calibration


def single(commits: int, step: float, noise: float, *, launch: float = 0.0, build: float = 0.0) -> Draw:
    """One culprit anywhere, 5 % of the other commits broken."""

    def draw(random: np.random.Generator) -> Ground:
        culprit = int(random.integers(1, commits))
        return Ground(
            commits=commits,
            steps=((culprit, step),) if step else (),
            noise=noise,
            broken=scattered(random, commits),
            launch_effect=launch,
            build_effect=build,
        )

    return draw


def scattered(random: np.random.Generator, commits: int) -> frozenset[int]:
    """5 % of the commits, independent of each other; the ends build."""
    return frozenset(int(place) for place in np.flatnonzero(random.random(commits) < BROKEN)) - {
        0,
        commits - 1,
    }


def in_runs(random: np.random.Generator) -> Ground:
    """About 5 % broken, in stretches of twenty."""
    commits = 1000
    starts = np.flatnonzero(random.random(commits) < BROKEN / RUN)
    broken = {int(start) + step for start in starts for step in range(RUN)}
    culprit = int(random.integers(1, commits))
    inside = frozenset(place for place in broken if 0 < place < commits - 1)
    return Ground(commits=commits, steps=((culprit, 0.05),), broken=inside)


def broken_culprit(random: np.random.Generator) -> Ground:
    """The culprit itself does not build."""
    commits = 1000
    culprit = int(random.integers(1, commits - 1))
    return Ground(commits=commits, steps=((culprit, 0.05),), broken=scattered(random, commits) | {culprit})


def pair(first: float, second: float) -> Draw:
    """Two culprits, at least 20 commits apart."""

    def draw(random: np.random.Generator) -> Ground:
        commits = 1000
        places = sorted(int(place) for place in random.choice(commits - 1, 2, replace=False) + 1)
        while places[1] - places[0] < RUN:
            places = sorted(int(place) for place in random.choice(commits - 1, 2, replace=False) + 1)
        steps = ((places[0], first), (places[1], second))
        return Ground(commits=commits, steps=steps, broken=scattered(random, commits))

    return draw


TWO = {"real": 95.0, "all": 90.0, "false": 2.0}
ROWS: tuple[Row, ...] = (
    Row(
        name="N=1000 +5% 3%",
        trials=1000,
        draw=single(1000, 0.05, 0.03),
        targets={
            "wrong": 0.5,
            "exact": 97,
            "builds": 14.5,
            "builds95": 17,
            "samples": 210,
            "samples95": 310,
        },
    ),
    Row(
        name="N=1000 +5% 1%",
        trials=400,
        draw=single(1000, 0.05, 0.01),
        targets={"wrong": 0.5, "exact": 98, "samples": 130},
    ),
    Row(
        name="N=10000 +5% 3%",
        trials=200,
        draw=single(10000, 0.05, 0.03),
        targets={"wrong": 0.5, "exact": 97, "builds": 18, "samples": 240},
    ),
    Row(
        name="N=1000 +2% 3%",
        trials=200,
        draw=single(1000, 0.02, 0.03),
        targets={"wrong": 1.5, "builds": 15, "samples": 800},
    ),
    Row(name="N=1000 +2% 10%", trials=40, draw=single(1000, 0.02, 0.10), targets={"wrong": 2.5}),
    Row(
        name="broken runs of 20",
        trials=200,
        draw=in_runs,
        targets={"wrong": 0.5, "exact": 97, "builds": 16.5, "builds95": 30},
    ),
    Row(
        name="no change",
        trials=300,
        draw=single(1000, 0.0, 0.03),
        targets={"wrong": 0.5, "builds": 2},
    ),
    Row(
        name="launch effect 1%",
        trials=300,
        draw=single(1000, 0.05, 0.03, launch=0.01),
        targets={"wrong": 1, "exact": 95, "samples": 240},
        is_effect=True,
    ),
    Row(
        name="launch effect 2%",
        trials=300,
        draw=single(1000, 0.05, 0.03, launch=0.02),
        targets={"wrong": 2, "exact": 93, "samples": 340},
        is_effect=True,
    ),
    Row(
        name="build effect .5%",
        trials=200,
        draw=single(1000, 0.05, 0.03, build=0.005),
        targets={"wrong": 2, "exact": 88},
        is_effect=True,
    ),
    Row(
        name="build effect 1%",
        trials=200,
        draw=single(1000, 0.05, 0.03, build=0.01),
        targets={"wrong": 5, "exact": 55},
        is_effect=True,
    ),
    Row(name="two culprits +5 +5", trials=60, draw=pair(0.05, 0.05), targets=TWO),
    Row(name="two culprits +3 +8", trials=60, draw=pair(0.03, 0.08), targets=TWO),
    Row(name="two culprits +8 -4", trials=60, draw=pair(0.08, -0.04), targets=TWO),
    Row(name="culprit does not build", trials=100, draw=broken_culprit, targets={"wrong": 0, "exact": 97}),
    Row(
        name="exact metric N=1000",
        trials=200,
        draw=single(1000, 0.05, 0.03),
        metric="cycles",
        targets={"exact": 100, "searchbuilds": 12},
    ),
    Row(
        name="2 workers",
        trials=100,
        draw=single(1000, 0.05, 0.03),
        jobs=2,
        targets={"wall": 0.8, "builds": 16.5},
    ),
    Row(name="N=100 +5% 3%", trials=200, draw=single(100, 0.05, 0.03), targets={"wrong": 0.5, "exact": 97}),
    Row(name="N=100 +20% 10%", trials=200, draw=single(100, 0.20, 0.10), targets={"wrong": 0.5, "exact": 97}),
    Row(
        name="N=1000 +20% 3%", trials=200, draw=single(1000, 0.20, 0.03), targets={"wrong": 0.5, "exact": 97}
    ),
)
