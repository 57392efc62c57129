"""Seeded noise on a simulated latency: samples that look like a machine's, and are the same bits everywhere.

Sample i of run p of an execution of time T:
    T * exp(P + A_i + D * i / 1000) * (1 + W * exp(-i / tau)) * (1 + E_i) + X_i
P is normal, once per run; A a first-order autoregression; D drift; W warm-up; E a cold cache, sometimes; X a
pre-emption by another process. Presets are assumptions taken from CPU series (SIMULATOR section 8).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.errors import UsageError
from perfgate.npu.exponential import exponential
from perfgate.npu.normal_table import normal_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from perfgate.npu.columns import Floats, Ints

    _Levels = NDArray[np.uint16]

_STEADY, _EVENTS, _RUN = range(3)  # effects: each has its own counters, so adding one never shifts another
_RUN_SHIFT, _EFFECT_SHIFT = 192, 128
_COUNTERS = 1 << 256
_WORDS_PER_BLOCK = 4
_LARGEST_SEED = (1 << 64) - 1
_SLICE_PS = 4_000_000_000  # a scheduler slice of 4 ms
_LEVELS = 1 << 16
_SLICE_EDGES = (
    8520,
    57016,
    62915,
)  # of 65,536: a pre-emption takes 1 to 4 slices with odds .13, .74, .09, .04
_NEGLIGIBLE = 2.0**-60  # below the last bit of a sum of numbers of the same size
_APART = 136  # doubles: 17 cache lines
_BLOCK = 1 << 15  # samples worked on at a time, so that intermediate arrays stay in the cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Strengths of the effects, relative; `preemption` and `cold` are probabilities per sample."""

    name: str
    run: float = 0.0
    core: float = 0.0
    correlation: float = 0.0
    preemption: float = 0.0
    drift: float = 0.0
    warmup: float = 1.0
    warmup_samples: float = 2.0
    cold: float = 0.005

    @property
    def is_silent(self) -> bool:
        """Every sample equals the simulated time."""
        return not (self.run or self.core or self.preemption or self.drift or self.warmup or self.cold)


PRESETS: dict[str, Noise] = {
    noise.name: noise
    for noise in (
        Noise(name="none", warmup=0.0, cold=0.0),
        Noise(name="quiet", run=0.008, core=0.015, correlation=0.2),
        Noise(name="desktop", run=0.02, core=0.035, correlation=0.2, preemption=0.005),
        Noise(name="noisy-ci", run=0.07, core=0.10, preemption=0.25),
        Noise(name="drifting", run=0.02, core=0.035, correlation=0.2, preemption=0.005, drift=-0.3),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseKey:
    """Whose noise it is: two benchmarks, devices or seeds never share numbers."""

    seed: int
    benchmark: str
    device: str

    def words(self) -> tuple[int, int]:
        """The Philox key.

        Raises:
            UsageError: the seed is negative or over 64 bits.
        """
        if not 0 <= self.seed <= _LARGEST_SEED:
            raise UsageError(f"seed {self.seed} is out of range", self.benchmark, "give 0 to 2^64 - 1")
        name = f"{self.benchmark}\0{self.device}".encode()
        return self.seed, int.from_bytes(sha256(name).digest()[:8], "little")


def noise_preset(name: str) -> Noise:
    """The preset of this name.

    Raises:
        UsageError: there is none.
    """
    if name not in PRESETS:
        raise UsageError(f"unknown noise preset {name!r}", "noise", f"use one of {', '.join(PRESETS)}")
    return PRESETS[name]


def draw_samples(time_ps: int, noise: Noise, key: NoiseKey, *, runs: Sequence[int], count: int) -> Ints:
    """Latencies in picoseconds, one row per run and one column per sample.

    A row depends on its run number only, a sample on its index: asking for more of either changes none.
    """
    result = np.full((len(runs), count), time_ps, dtype=np.int64)
    if noise.is_silent or not len(runs) or not count:
        return result
    per_run = normal_values(_draw_words(key, _RUN, runs, np.empty((len(runs), 1), np.uint64))) * noise.run
    by_index = _by_index(noise, count)
    by_drift = np.arange(count) * (noise.drift / 1000)
    rows = min(len(runs), max(1, _BLOCK // count))
    space = _Space(rows, count)
    for start in range(0, len(runs), rows):
        part = runs[start : start + rows]
        if len(part) < rows:
            space = _Space(len(part), count)
        words = _draw_words(key, _STEADY, part, space.words)
        details = _details(words, space.details)
        exponent = _steady(noise, words, space.first)
        exponent += per_run[start : start + rows]
        if noise.drift:
            exponent += by_drift
        factor = exponential(exponent, space.first, space.second)
        factor *= by_index
        odds = _draw_words(key, _EVENTS, part, space.events).astype("<u8", copy=False).view("<u2")
        _add_cold_caches(factor, odds[:, : 2 * count : 2], details, noise)
        factor *= float(time_ps)
        block = result[start : start + rows]
        block[...] = np.rint(factor, out=factor)
        _add_preemptions(block, odds[:, 1 : 2 * count : 2], details, (noise, time_ps))
    return result


class _Space:
    """Arrays that every block of runs works in; making new ones would cost more than the arithmetic.

    Large arrays start at the same place of a memory page, and a load then waits for a store to that place in
    another page, which took half of the time. So each of them starts some cache lines further in.
    """

    __slots__ = ("details", "events", "first", "second", "words")

    def __init__(self, rows: int, count: int) -> None:
        size = rows * count
        space = np.empty(size + _APART), np.empty(size + 2 * _APART), np.empty(size + 3 * _APART)
        words, self.first, self.second = (array[len(array) - size :].reshape(rows, count) for array in space)
        self.words = words.view(np.uint64)
        self.events = np.empty((rows, -(-count // 2)), dtype=np.uint64)  # one word serves two samples
        self.details = np.empty((rows, count), dtype=np.uint16)


def _draw_words(
    key: NoiseKey, effect: int, runs: Sequence[int], out: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Raw words, one row per run; the counter says run and effect, so rows do not depend on each other."""
    source = np.random.Philox(key=np.array(key.words(), dtype=np.uint64))
    source.advance(effect << _EFFECT_SHIFT)
    count = out.shape[1]
    draw, advance, blocks = source.random_raw, source.advance, -(-count // _WORDS_PER_BLOCK)
    before = drawn = 0
    for row, run in enumerate(runs):
        advance((((run - before) << _RUN_SHIFT) - drawn) % _COUNTERS)
        out[row] = draw(count)
        before, drawn = run, blocks
    return out


def _details(words: NDArray[np.uint64], out: _Levels) -> _Levels:
    """The lower 16 bits, which the normal numbers leave unused."""
    out[...] = words.astype("<u8", copy=False).view("<u2")[:, ::4]
    return out


def _by_index(noise: Noise, count: int) -> Floats:
    return 1.0 + noise.warmup * exponential(np.arange(count) / -noise.warmup_samples)


def _steady(noise: Noise, words: NDArray[np.uint64], spare: Floats) -> Floats:
    values = normal_values(words, spare)
    values[:, 0] *= noise.core
    values[:, 1:] *= noise.core * sqrt(1.0 - noise.correlation * noise.correlation)
    # x_i = phi * x_(i-1) + e_i as the product (1 + phi B)(1 + phi^2 B^2)(1 + phi^4 B^4) ... of e, where B
    # shifts by one: whole arrays instead of a loop over samples.
    flat, carried = values.reshape(-1), spare.reshape(-1)
    weight, shift = noise.correlation, 1
    while weight > _NEGLIGIBLE and shift < values.shape[1]:
        np.multiply(values, weight, out=spare)
        spare[:, -shift:] = 0.0  # a run carries nothing into the next one
        flat[shift:] += carried[:-shift]
        weight, shift = weight * weight, 2 * shift
    return values


def _add_cold_caches(factor: Floats, levels: _Levels, details: _Levels, noise: Noise) -> None:
    chosen = np.nonzero(levels < round(noise.cold * _LEVELS))
    factor[chosen] *= 1.0 + details[chosen] / _LEVELS


def _add_preemptions(block: Ints, levels: _Levels, details: _Levels, what: tuple[Noise, int]) -> None:
    noise, time_ps = what
    if not noise.preemption:
        return
    exposure = 1.0 - float(exponential(np.array([time_ps / -_SLICE_PS]))[0])
    chosen = np.nonzero(levels < round(noise.preemption * exposure * _LEVELS))
    slices = 1 + np.searchsorted(_SLICE_EDGES, details[chosen], side="right")
    block[chosen] += slices * _SLICE_PS
