"""Confidence as a frequency: of the planted faults with this score, how many had the right first cause.

A logistic score of a few features is mapped by a table fitted on planted faults (`make calibrate`); the table
is data of the package. Do not read it as a probability for faults of a kind that was never planted.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files

import msgspec

from perfgate.core.codec import decode
from perfgate.core.errors import UnusableError

NAME = "calibration.json"
MOST, LEAST = 0.97, 0.05  # no finite number of planted faults shows more
WITHOUT_PROOF = 0.60  # cap where nothing could be simulated again
WITH_RESIDUAL = 0.80  # cap where more than `MUCH_RESIDUAL` of the delta is unexplained
MUCH_RESIDUAL = 0.10
_REMEDY = "install perfgate again, or fit it with `make calibrate`"


class Features(msgspec.Struct, frozen=True, kw_only=True):
    """What the score sees of a cause, each from 0 to 1.

    `recovered`: share of the delta that its counterfactual, or its rule, accounts for. `gap`: to the next
    cause, as share of the delta. `residual`: unexplained share. `steps`: share of the six steps of evidence
    that agree. `coverage`: of the alignment. `is_proven`: a re-simulation stands behind it.
    """

    recovered: float
    gap: float
    residual: float
    steps: float
    coverage: float
    is_proven: bool

    def named(self) -> dict[str, float]:
        """As numbers from 0 to 1, in the order of the weights."""
        return {
            "recovered": _clipped(self.recovered),
            "gap": _clipped(self.gap),
            "residual": _clipped(self.residual),
            "steps": _clipped(self.steps),
            "coverage": _clipped(self.coverage),
            "is_proven": float(self.is_proven),
        }


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Scores from `low` up are stated as `stated`; of `cases` planted faults there, `right` were named."""

    low: float
    stated: float
    right: int
    cases: int


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """The fitted model; `inputs` is the hash of the rules it was fitted with, `bins` rise by `low`."""

    intercept: float
    weights: tuple[float, ...]
    bins: tuple[Bin, ...]
    inputs: str = ""
    cases: int = 0

    def score(self, features: Features) -> float:
        """The logistic score before the table."""
        total = self.intercept + math.fsum(
            weight * value for weight, value in zip(self.weights, features.named().values(), strict=True)
        )
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))

    def bin_of(self, score: float) -> Bin:
        """The bin that a score falls into."""
        return next((item for item in reversed(self.bins) if score >= item.low), self.bins[0])


def confidence(features: Features, calibration: Calibration) -> tuple[float, tuple[int, int]]:
    """Stated confidence with two decimals, and (right, cases) of its bin; (0, 0) where a cap decides."""
    chosen = calibration.bin_of(calibration.score(features))
    stated = min(MOST, max(LEAST, chosen.stated))
    cap = MOST
    if features.residual > MUCH_RESIDUAL:
        cap = WITH_RESIDUAL
    if not features.is_proven:
        cap = min(cap, WITHOUT_PROOF)
    if stated > cap:
        return cap, (0, 0)
    return round(stated, 2), (chosen.right, chosen.cases)


@cache
def shipped_calibration() -> Calibration:
    """The table of the package.

    Raises:
        UnusableError: the file of the package is damaged.
    """
    data = files("perfgate.diagnose").joinpath(NAME).read_bytes()
    return decode(data, Calibration, f"perfgate/diagnose/{NAME}", UnusableError, _REMEDY)


def _clipped(share: float) -> float:
    return max(0.0, min(1.0, share))
