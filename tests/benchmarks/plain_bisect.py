"""What people do today: halve the range, and call a commit bad when a Mann-Whitney test says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy.stats import mannwhitneyu

from perfgate.bisection.probe import Outcome, Probe, Progress, Purpose
from tests.bisection_world import World

if TYPE_CHECKING:
    from tests.bisection_world import Ground

LEVEL = 0.05  # one-sided


def plain_bisect(ground: Ground, seed: int, samples: int) -> tuple[int, int]:
    """The position it names, and the samples it took; a commit that does not build is stepped over."""
    world = World(ground=ground, seed=seed)
    good, bad = 0, ground.commits - 1
    reference = measure(world, good, samples)
    taken = samples
    skipped: set[int] = set()
    while bad - good > 1:
        free = [place for place in range(good + 1, bad) if place not in skipped]
        if not free:
            break
        place = min(free, key=lambda item: abs(item - (good + bad) // 2))
        values = measure(world, place, samples)
        if values is None or reference is None:
            skipped.add(place)
            continue
        taken += samples
        is_bad = mannwhitneyu(values, reference, alternative="greater", method="asymptotic").pvalue < LEVEL
        good, bad = (good, place) if is_bad else (place, bad)
    return bad, taken


def measure(world: World, place: int, samples: int) -> list[float] | None:
    """Samples of one launch, nothing where the commit does not build."""
    probe = Probe(
        commit=f"{place:07d}",
        samples=samples,
        purpose=Purpose.SEARCH,
        progress=Progress(left=0, bad_chance=0.5, builds=0, samples=0),
    )
    outcome = world.probe(probe)
    if outcome.outcome is not Outcome.MEASURED or outcome.launch is None:
        return None
    return list(outcome.launch.samples)
