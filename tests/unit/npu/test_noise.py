"""Noise: the same bits in any order and process, the strengths that a preset names, nothing shared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from perfgate.core.errors import UsageError
from perfgate.npu.noise import PRESETS, Noise, NoiseKey, draw_samples, noise_preset

KEY = NoiseKey(seed=7, benchmark="unet", device="ascend-310p-like")
TIME_PS = 10_000_000_000  # 10 ms
GOLDEN = Path(__file__).parents[2] / "data" / "noise_samples.csv"


def draw(noise: Noise, runs: range = range(1), count: int = 1000, time_ps: int = TIME_PS) -> np.ndarray:
    return draw_samples(time_ps, noise, KEY, runs=runs, count=count)


def quiet_but(**strengths: float) -> Noise:
    return Noise(name="test", **({"warmup": 0.0, "cold": 0.0} | strengths))


def test_samples_equal_the_golden_file() -> None:
    # Written once from draw_samples. The statistics below say that such values are right; the file keeps the
    # bits: another platform, numpy or Python must give every one of these numbers.
    header, *rows = GOLDEN.read_text(encoding="ascii").splitlines()
    golden = np.array([row.split(",") for row in rows], dtype=np.int64)
    assert header.split(",") == list(PRESETS)
    assert golden.shape == (1000, 5)
    for column, noise in enumerate(PRESETS.values()):
        assert (draw(noise)[0] == golden[:, column]).all()


def test_another_process_draws_the_same_numbers() -> None:
    code = (
        "from perfgate.npu.noise import *;"
        f"k = NoiseKey(seed=7, benchmark='unet', device='ascend-310p-like');"
        f"print(draw_samples({TIME_PS}, PRESETS['noisy-ci'], k, runs=(3,), count=50)[0].tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - our own interpreter and text
    assert done.stdout.strip() == str(draw(PRESETS["noisy-ci"], range(3, 4), 50)[0].tolist())


@pytest.mark.parametrize("noise", PRESETS.values(), ids=PRESETS)
def test_runs_and_samples_do_not_depend_on_what_else_is_drawn(noise: Noise) -> None:
    whole = draw(noise, range(6), 40)
    assert (draw(noise, range(5, 6), 40)[0] == whole[5]).all()
    assert (draw_samples(TIME_PS, noise, KEY, runs=(4, 1), count=40) == whole[[4, 1]]).all()
    assert (draw(noise, range(6), 7) == whole[:, :7]).all()


def test_large_requests_equal_small_ones() -> None:
    # More samples than one block of work holds.
    noise = PRESETS["desktop"]
    assert (draw(noise, range(50), 1000)[49] == draw(noise, range(49, 50), 1000)[0]).all()


@pytest.mark.parametrize(
    "other",
    [
        NoiseKey(seed=8, benchmark="unet", device="ascend-310p-like"),
        NoiseKey(seed=7, benchmark="unet2", device="ascend-310p-like"),
        NoiseKey(seed=7, benchmark="unet", device="a100-like"),
    ],
)
def test_benchmarks_devices_and_seeds_share_nothing(other: NoiseKey) -> None:
    own = draw(PRESETS["quiet"], range(1), 1000)[0].astype(float)
    theirs = draw_samples(TIME_PS, PRESETS["quiet"], other, runs=(0,), count=1000)[0].astype(float)
    # Independent series of 1,000 correlate by 0.03 at random; 0.15 is five times that.
    assert abs(np.corrcoef(own[20:], theirs[20:])[0, 1]) < 0.15


def test_preset_none_repeats_the_simulated_time() -> None:
    assert (draw(PRESETS["none"], range(3)) == TIME_PS).all()


def test_the_core_strength_is_the_spread_of_samples() -> None:
    logs = np.log(draw(quiet_but(core=0.02), range(20)) / TIME_PS)
    # 20,000 independent normals: the spread is known to 0.5 %, the mean to 0.00014.
    assert logs.std() == pytest.approx(0.02, rel=0.03)
    assert logs.mean() == pytest.approx(0.0, abs=0.0008)


def test_the_run_strength_is_the_spread_between_runs_only() -> None:
    logs = np.log(draw(quiet_but(run=0.05), range(2000), 4) / TIME_PS)
    assert (logs.max(axis=1) - logs.min(axis=1)).max() < 1e-9
    assert logs[:, 0].std() == pytest.approx(0.05, rel=0.08)  # 2,000 normals: 1.6 % standard error


def test_neighbours_correlate_by_phi() -> None:
    logs = np.log(draw(quiet_but(core=0.02, correlation=0.6), range(20)) / TIME_PS)
    lag = [float(np.corrcoef(row[:-shift], row[shift:])[0, 1]) for row in logs for shift in (1,)]
    assert np.mean(lag) == pytest.approx(0.6, abs=0.03)  # first-order autoregression: correlation phi
    two = [float(np.corrcoef(row[:-2], row[2:])[0, 1]) for row in logs]
    assert np.mean(two) == pytest.approx(0.36, abs=0.04)  # and phi squared two apart
    assert logs.std() == pytest.approx(0.02, rel=0.04)  # phi does not change the spread


def test_warm_up_doubles_the_first_sample_and_fades() -> None:
    row = draw(quiet_but(warmup=1.0))[0] / TIME_PS
    # Warm-up halves with every 1.4 samples: one plus the exponential of minus half the index.
    assert row[0] == pytest.approx(2.0)
    assert row[2] == pytest.approx(1 + np.exp(-1))
    assert row[60] == pytest.approx(1.0, abs=1e-9)


def test_drift_follows_the_index() -> None:
    row = draw(quiet_but(drift=-0.3), count=1001)[0] / TIME_PS
    assert row[1000] == pytest.approx(np.exp(-0.3))


def test_cold_caches_strike_with_their_probability_and_at_most_double() -> None:
    rows = draw(quiet_but(cold=0.05), range(20)) / TIME_PS
    share = float((rows > 1).mean())
    assert share == pytest.approx(0.05, abs=0.01)  # 20,000 draws: standard error 0.0015
    assert rows.max() < 2.0
    assert rows[rows > 1].mean() == pytest.approx(1.5, abs=0.05)  # uniform from 0 to 1


def test_a_pre_emption_adds_whole_slices_of_4_ms() -> None:
    rows = draw(quiet_but(preemption=0.25), range(40))
    slices = (rows - TIME_PS) / 4e9
    assert set(np.unique(slices).tolist()) == {0.0, 1.0, 2.0, 3.0, 4.0}
    # p * (1 - exp(-T0 / 4 ms)) with T0 of 10 ms: 0.25 * 0.918; 40,000 draws: standard error 0.002.
    assert float((slices > 0).mean()) == pytest.approx(0.25 * (1 - np.exp(-2.5)), abs=0.012)
    counts = [float((slices == number).sum() / (slices > 0).sum()) for number in (1, 2, 3, 4)]
    assert counts == pytest.approx([0.13, 0.74, 0.09, 0.04], abs=0.03)


def test_short_executions_are_pre_empted_seldom() -> None:
    rows = draw(quiet_but(preemption=0.25), range(20), time_ps=40_000_000)  # 40 us: 1 % of a slice
    assert float((rows > 41_000_000).mean()) < 0.01


def test_nothing_asked_gives_nothing() -> None:
    assert draw(PRESETS["quiet"], range(0)).shape == (0, 1000)
    assert draw(PRESETS["quiet"], range(2), 0).shape == (2, 0)


def test_an_unknown_preset_and_a_seed_out_of_range_are_refused() -> None:
    with pytest.raises(UsageError, match="use one of none, quiet"):
        noise_preset("loud")
    with pytest.raises(UsageError, match="seed -1 is out of range"):
        draw_samples(
            TIME_PS, PRESETS["quiet"], NoiseKey(seed=-1, benchmark="a", device="b"), runs=(0,), count=1
        )
