"""The noise families of STATISTICS section 14.

One suite as (benchmarks, runs, samples), true level 1, nothing changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Shape = tuple[int, int, int]
    Family = Callable[[np.random.Generator, Shape], Floats]


def _gauss(random: np.random.Generator, shape: Shape) -> Floats:
    return 1 + 0.01 * random.standard_normal(shape)


def _lognorm(random: np.random.Generator, shape: Shape) -> Floats:
    return np.exp(0.02 * random.standard_normal(shape))


def _heavy(random: np.random.Generator, shape: Shape) -> Floats:
    return _gauss(random, shape) * np.where(random.random(shape) < 0.02, 1.5, 1.0)


def _bimodal(random: np.random.Generator, shape: Shape) -> Floats:
    return np.where(random.random(shape) < 0.3, 1.05, 1.0) * (1 + 0.005 * random.standard_normal(shape))


def _run(random: np.random.Generator, shape: Shape) -> Floats:
    return _gauss(random, shape) * (1 + 0.005 * random.standard_normal((*shape[:2], 1)))


def _common(random: np.random.Generator, shape: Shape) -> Floats:
    return _gauss(random, shape) * np.exp(0.03 * random.standard_normal((1, shape[1], 1)))


def _ar1_noise(random: np.random.Generator, shape: Shape, phi: float = 0.5) -> Floats:
    noise = random.standard_normal(shape)
    for index in range(1, shape[2]):
        noise[..., index] = phi * noise[..., index - 1] + np.sqrt(1 - phi**2) * noise[..., index]
    return noise


def _ar1(random: np.random.Generator, shape: Shape) -> Floats:
    samples = 1 + 0.01 * _ar1_noise(random, shape)
    return samples * (1 + 0.005 * random.standard_normal((*shape[:2], 1)))


def _warmup(random: np.random.Generator, shape: Shape) -> Floats:
    tau = random.uniform(0.3, 4, (*shape[:2], 1))
    return _run(random, shape) * (1 + 0.15 * np.exp(-np.arange(shape[2]) / tau))


def _noisyci(random: np.random.Generator, shape: Shape) -> Floats:
    logs = 0.03 * _ar1_noise(random, shape)
    logs += 0.02 * random.standard_normal((*shape[:2], 1)) + 0.02 * random.standard_normal((1, shape[1], 1))
    return np.exp(logs) * np.where(random.random(shape) < 0.02, 1.5, 1.0)


def _hetero(random: np.random.Generator, shape: Shape) -> Floats:
    c = np.exp(random.uniform(np.log(0.003), np.log(0.05), (shape[0], 1, 1)))
    r = np.exp(random.uniform(np.log(0.001), np.log(0.02), (shape[0], 1, 1)))
    return np.exp(c * random.standard_normal(shape) + r * random.standard_normal((*shape[:2], 1)))


def _corr(random: np.random.Generator, shape: Shape) -> Floats:
    groups = -(-shape[0] // 10)
    shared = np.repeat(random.standard_normal((groups, shape[1], 1)), 10, axis=0)[: shape[0]]
    return _gauss(random, shape) * np.exp(0.01 * shared)


def _runwalk(random: np.random.Generator, shape: Shape) -> Floats:
    walk = np.cumsum(0.004 * random.standard_normal((*shape[:2], 1)), axis=1)
    return _gauss(random, shape) * np.exp(walk)


def _runspike(random: np.random.Generator, shape: Shape) -> Floats:
    runs = (*shape[:2], 1)
    spikes = np.where(random.random(runs) < 0.03, random.uniform(1.2, 2, runs), 1.0)
    return _run(random, shape) * spikes


def _runmode(random: np.random.Generator, shape: Shape) -> Floats:
    return _gauss(random, shape) * np.where(random.random((*shape[:2], 1)) < 0.25, 1.04, 1.0)


FAMILIES: dict[str, Family] = {
    "gauss": _gauss,
    "lognorm": _lognorm,
    "heavy": _heavy,
    "bimodal": _bimodal,
    "run": _run,
    "common": _common,
    "ar1": _ar1,
    "warmup": _warmup,
    "noisyci": _noisyci,
    "hetero": _hetero,
    "corr": _corr,
    "runwalk": _runwalk,
    "runspike": _runspike,
    "runmode": _runmode,
}
