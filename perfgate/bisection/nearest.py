"""Is a commit as slow as the bad end or as fast as the good one? For searches that somebody else drives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from perfgate.bisection.endpoints import launch_variance
from perfgate.bisection.posterior import LAUNCH_OUTLIERS
from perfgate.bisection.probe import Launch  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.bisection.readings import SPREAD_PENALTY, WIDE, WIDE_FLOOR, read
from perfgate.core.codec import decode, plain, readable_json
from perfgate.core.errors import UnusableError
from perfgate.core.metric import Kind, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SCHEMA = "perfgate/endpoints/1"
SURE = 0.999
_REMEDY = "write it with `perfgate record --endpoints GOOD BAD`"


class Endpoints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Launches of one benchmark at a good and a bad commit, taken once for a whole search."""

    schema: str = SCHEMA
    benchmark: str
    metric: Metric
    good_commit: str
    bad_commit: str
    good: tuple[Launch, ...]
    bad: tuple[Launch, ...]


def encode_endpoints(record: Endpoints) -> str:
    """As a file."""
    return readable_json(plain(record))


def decode_endpoints(data: bytes, path: str) -> Endpoints:
    """Read a file of end points.

    Raises:
        UnusableError: it is none, or of another version.
    """
    record = decode(data, Endpoints, path, UnusableError, _REMEDY)
    if record.schema != SCHEMA:
        raise UnusableError(f"unknown schema {record.schema!r}", path, _REMEDY)
    if not record.good or not record.bad:
        raise UnusableError("an end without launches", path, _REMEDY)
    return record


def bad_chance(record: Endpoints, taken: Sequence[Launch]) -> float:
    """P(bad) after some launches, .5 before any.

    Exact metrics: 0 or 1 by the nearer value. Sampled ones: Bayes' rule with the two levels of the record,
    sum over launches of log f(x|good) - log f(x|bad), f a normal law with 2 % wide outliers (BISECTION 3).
    """
    name = record.metric.name
    if record.metric.kind is Kind.EXACT:
        good, bad, now = (side[-1].exact[name] for side in (record.good, record.bad, taken))
        return float(abs(now - bad) < abs(now - good))
    sides = {0: _logs(record.good), 1: _logs(record.bad), 2: _logs(taken)}
    readings = read(sides)
    tau = launch_variance(read({place: sides[place] for place in (0, 1)}))
    variance = SPREAD_PENALTY * readings.spread**2 / readings.counts + tau
    evidence = 0.0
    fresh = readings.owner == len(sides) - 1
    for place, sign in ((0, 1), (1, -1)):
        weights = 1.0 / variance[readings.owner == place]
        level = float((readings.means[readings.owner == place] * weights).sum() / weights.sum())
        spread = variance[fresh] + 1.0 / float(weights.sum())
        evidence += sign * float(_log_density(readings.means[fresh] - level, spread).sum())
    return 1.0 / (1.0 + math.exp(min(evidence, 700.0)))


def _log_density(distance: NDArray[np.float64], variance: NDArray[np.float64]) -> NDArray[np.float64]:
    wide = (WIDE * np.sqrt(variance) + WIDE_FLOOR) ** 2
    parts = [
        math.log(share) - 0.5 * (np.log(2 * math.pi * spread) + distance**2 / spread)
        for share, spread in ((1 - LAUNCH_OUTLIERS, variance), (LAUNCH_OUTLIERS, wide))
    ]
    density: NDArray[np.float64] = np.logaddexp(*parts)
    return density


def _logs(side: Sequence[Launch]) -> list[NDArray[np.float64]]:
    return [np.log(np.asarray(launch.samples, dtype=np.float64)) for launch in side]
