"""One trial of the bisection's acceptance table, and the counts of a row of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.bisection.problem import Limits, Problem
from perfgate.bisection.search import find
from perfgate.core.metric import KNOWN_METRICS
from tests.benchmarks.plain_bisect import plain_bisect
from tests.bisection_world import Ground, World

if TYPE_CHECKING:
    from perfgate.bisection.answer import Answer, Ending
    from tests.benchmarks.bisection_rows import Row

PLAIN_SAMPLES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of one search. `named`: culprits; `real` and `exact` of them hold a true one (tightly)."""

    ending: Ending
    true: int
    named: int
    real: int
    exact: int
    builds: int
    failed: int
    samples: int
    wall: float
    plain: int | None  # distance of the plain bisection's commit from the culprit
    plain_samples: int


def run_trial(row: Row, seed: int) -> Trial:
    """Draw a range and search it; a row with workers is also searched serially, for the wall clock."""
    ground = row.draw(np.random.default_rng([seed, 1]))
    answer, world = search_world(row, ground, seed, row.jobs)
    wall = world.wall
    if row.jobs > 1:
        _, serial = search_world(row, ground, seed, 1)
        wall /= serial.wall
    positions = {candidate.commit: place for place, candidate in enumerate(ground.candidates())}
    pairs = [
        (positions[culprit.parent.commit], positions[culprit.commit.commit]) for culprit in answer.culprits
    ]
    places = [place for place, _ in ground.steps]
    plain, plain_samples = plain_bisect(ground, seed, PLAIN_SAMPLES)
    return Trial(
        ending=answer.ending,
        true=len(places),
        named=len(pairs),
        real=sum(any(low < place <= high for place in places) for low, high in pairs),
        exact=sum(any(tightest(ground, place) == found for place in places) for found in pairs),
        builds=answer.cost.builds,
        failed=answer.cost.failed,
        samples=answer.cost.samples,
        wall=wall,
        plain=min((abs(plain - place) for place in places), default=None),
        plain_samples=plain_samples,
    )


def search_world(row: Row, ground: Ground, seed: int, jobs: int) -> tuple[Answer, World]:
    """The answer about a range, and the world that was asked."""
    world = World(ground=ground, seed=seed)
    problem = Problem(
        candidates=ground.candidates(), metric=KNOWN_METRICS[row.metric], limits=Limits(jobs=jobs)
    )
    return find(problem, world), world


def tightest(ground: Ground, culprit: int) -> tuple[int, int]:
    """The nearest commits on either side of a change that build."""
    low, high = culprit - 1, culprit
    while low in ground.broken:
        low -= 1
    while high in ground.broken:
        high += 1
    return low, high


def figures(trials: list[Trial]) -> dict[str, float]:
    """The figures of a row: shares in percent of the trials, means and 95th percentiles."""
    count = len(trials)
    builds = np.array([trial.builds for trial in trials])
    samples = np.array([trial.samples for trial in trials])
    wanted = max(trials[0].true, 1)

    def share(number: int) -> float:
        return 100 * number / count

    return {
        "exact": share(sum(t.named == t.exact and t.named > 0 for t in trials)),
        "wrong": share(sum(t.named > t.real for t in trials)),
        "false": share(sum(t.named > t.real for t in trials)),
        "undecided": share(sum(t.named == 0 for t in trials)),
        "real": share(sum(t.real > 0 for t in trials)),
        "all": share(sum(t.exact >= wanted for t in trials)),
        "builds": float(builds.mean()),
        "builds95": float(np.quantile(builds, 0.95)),
        "searchbuilds": float(max(t.builds - t.failed for t in trials)),
        "samples": float(samples.mean()),
        "samples95": float(np.quantile(samples, 0.95)),
        "wall": float(np.mean([t.wall for t in trials])),
        "plain": share(sum(t.plain == 0 for t in trials)),
        "plain_samples": float(np.mean([t.plain_samples for t in trials])),
    }


AT_LEAST = {"exact", "real", "all"}


def missed(targets: dict[str, float], found: dict[str, float]) -> list[str]:
    """The targets that a row's figures do not meet."""
    return [
        f"{name} {found[name]:.3g} (target {target:g})"
        for name, target in targets.items()
        if (found[name] < target if name in AT_LEAST else found[name] > target)
    ]
