"""Tails and quantiles of the laws that the tests need, by `scipy.special`.

`scipy.special` is imported inside the functions: importing this package must stay cheap for people who only
collect tests, and `scipy.stats` (770 ms) is never needed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

# ruff: noqa: PLC0415 - see the module's text


def t_tail(statistic: npt.ArrayLike, df: npt.ArrayLike) -> Floats:
    """P(T >= statistic) for Student's t; infinite degrees of freedom mean the normal law.

    Raises:
        ValueError: a NaN, which would be a bug of the caller and must never become a p-value.
    """
    from scipy.special import ndtr, stdtr

    value, freedom = np.broadcast_arrays(np.asarray(statistic, float), np.asarray(df, float))
    if np.isnan(value).any() or np.isnan(freedom).any():
        raise ValueError("a test statistic is NaN")
    finite = np.isfinite(freedom)
    return np.where(finite, stdtr(np.where(finite, freedom, 1.0), -value), ndtr(-value))


def t_quantile(probability: float, df: npt.ArrayLike) -> Floats:
    """The quantile of Student's t; infinite degrees of freedom mean the normal law."""
    from scipy.special import ndtri, stdtrit

    freedom = np.asarray(df, float)
    finite = np.isfinite(freedom)
    return np.where(finite, stdtrit(np.where(finite, freedom, 1.0), probability), ndtri(probability))


def normal_tail(statistic: npt.ArrayLike) -> Floats:
    """P(Z >= statistic)."""
    from scipy.special import ndtr

    return np.asarray(ndtr(-np.asarray(statistic, float)), float)


def normal_quantile(probability: float) -> float:
    """The quantile of the normal law."""
    from scipy.special import ndtri

    return float(ndtri(probability))


def digamma(value: npt.ArrayLike) -> Floats:
    """Derivative of the logarithm of the gamma function."""
    from scipy.special import digamma as scipy_digamma

    return np.asarray(scipy_digamma(np.asarray(value, float)), float)


def trigamma(value: npt.ArrayLike) -> Floats:
    """Derivative of digamma."""
    from scipy.special import polygamma

    return np.asarray(polygamma(1, np.asarray(value, float)), float)


def tetragamma(value: npt.ArrayLike) -> Floats:
    """Derivative of trigamma."""
    from scipy.special import polygamma

    return np.asarray(polygamma(2, np.asarray(value, float)), float)


def binomial_cdf(count: npt.ArrayLike, trials: int, probability: float) -> Floats:
    """P(Binomial(trials, probability) <= count)."""
    from scipy.special import bdtr

    return np.asarray(bdtr(np.asarray(count, float), trials, probability), float)


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The quantile of the beta law."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))


def log_choose(n: npt.ArrayLike, k: npt.ArrayLike) -> Floats:
    """Log of the binomial coefficient; -inf where k is outside 0..n."""
    from scipy.special import gammaln

    top, bottom = np.broadcast_arrays(np.asarray(n, float), np.asarray(k, float))
    valid = (bottom >= 0) & (bottom <= top)
    inside = np.where(valid, bottom, 0.0)
    value = gammaln(top + 1) - gammaln(inside + 1) - gammaln(top - inside + 1)
    return np.where(valid, value, -np.inf)
