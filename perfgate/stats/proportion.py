"""Shares and how far to trust them."""

from __future__ import annotations

from dataclasses import dataclass

from perfgate.stats.laws import beta_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareInterval:
    """Bounds of a share."""

    low: float
    high: float


def clopper_pearson(hits: int, trials: int, level: float = 0.95) -> ShareInterval:
    """Exact interval of a share: 0 of 20 is 0 to 16.8 %, 0 of 60 is 0 to 6.0 %.

    Raises:
        ValueError: no trials, or hits outside 0 .. trials.
    """
    if trials < 1 or not 0 <= hits <= trials:
        raise ValueError("hits must lie within the trials")
    beyond = (1 - level) / 2
    low = beta_quantile(beyond, hits, trials - hits + 1) if hits else 0.0
    high = beta_quantile(1 - beyond, hits + 1, trials - hits) if hits < trials else 1.0
    return ShareInterval(low=low, high=high)
