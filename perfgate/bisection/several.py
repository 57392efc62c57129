"""Is it one step with builds that scatter, or several steps? Told by where the scatter lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perfgate.bisection.readings import Readings

    Floats: TypeAlias = NDArray[np.float64]

LEAST_COMMITS = 3  # in the middle part: one or two that stand out may be a build effect
GAIN = 20.0  # in chi-square, of three levels over two: 10 nats for one more cut and level
RATIO = 12.0  # of the gain per parameter to the chi-square per degree of freedom that is left (an F ratio)


def between_two_steps(readings: Readings, launch_variance: float) -> int | None:
    """A position between two steps, when three levels in a row explain the commits and two do not.

    Weighted least squares over all cuts in two, and in three parts with at least three commits in the
    middle one. A build effect scatters commits everywhere, so three levels leave a scatter too large.
    """
    count = len(readings.positions)
    if count < LEAST_COMMITS + 2:
        return None
    means, weights = readings.commits(launch_variance)
    rest = _rest_within(weights, means)
    two = min(rest[0, cut] + rest[cut, count] for cut in range(1, count))
    three, first, last = min(
        (rest[0, first] + rest[first, last] + rest[last, count], first, last)
        for first in range(1, count - LEAST_COMMITS)
        for last in range(first + LEAST_COMMITS, count)
    )
    freedom = count - 3
    gain = two - three
    if gain < GAIN or gain / 2 < RATIO * three / freedom:
        return None
    # the heaviest commit of the middle part tells its level best
    middle = first + int(np.argmax(weights[first:last]))
    return int(readings.positions[middle])


def _rest_within(weights: Floats, means: Floats) -> Floats:
    """Weighted squares round the mean of the commits from i up to, without, j: row i, column j."""
    total, linear, square = (
        np.concatenate(([0.0], np.cumsum(weights * power)))
        for power in (np.ones_like(means), means, means**2)
    )

    def between(sums: Floats) -> Floats:
        return sums[None, :] - sums[:, None]

    amount = between(total)
    safe = np.where(amount > 0, amount, 1.0)
    rest: Floats = between(square) - between(linear) ** 2 / safe
    return np.maximum(rest, 0.0)
