from __future__ import annotations

import pytest

from perfgate.diagnose.rules.suite_shift import RULE
from perfgate.diagnose.signals import Signal
from tests.diagnose_sides import compare, found, profile_of, side, signals_of
from tests.hand_profiles import MS, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_a_machine_that_became_slower_moves_every_benchmark_by_one_factor(device: str) -> None:
    """Clock, memory and launches at two thirds: all benchmarks of the device take half as long again."""
    models = (("resnet50", "tiny"), ("bert_base", "tiny"), ("sd_unet", "tiny"))
    machine = profile_of(side(*models[0], device=device)).machine
    assert machine is not None
    slow = {
        "freq_mhz": machine.freq_mhz * 2 // 3, "dram.gb_s": machine.dram.gb_s * 2 / 3,
        "launch.compiled_us": machine.launch.compiled_us * 1.5, "link.gb_s": machine.link.gb_s * 2 / 3,
        "link.latency_us": machine.link.latency_us * 1.5,
    }  # fmt: skip
    ratios = {}
    for model, preset in models:
        before, after = (profile_of(side(model, preset, device=device, edits=edits)) for edits in ({}, slow))
        ratios[model] = after.application.total_ps / before.application.total_ps
    own = compare(
        side("odd_stride", "even", device=device), side("odd_stride", "even", device=device, edits=slow)
    )
    (suspect,) = found(RULE, signals_of(own.before, own.after, suite=ratios))
    assert suspect.sentence.startswith("3 of 3 other benchmarks moved alike, +")
    assert suspect.cost == own.delta


@pytest.mark.parametrize(
    ("ratios", "count"),
    [
        ((1.25, 1.24, 1.0, 1.0), 1),  # half of them
        ((1.25, 1.0, 1.0, 1.0), 0),  # one alone is no shift
        ((1.25, 1.25, 1.0, 1.0, 1.0), 0),  # fewer than half
        ((1.28, 1.21, 1.28, 1.21), 0),  # slower all, by another factor each
        ((1.0, 1.0, 1.0, 1.0), 0),
    ],
)
def test_half_of_the_suite_within_two_per_cent_of_the_own_factor_is_the_limit(
    ratios: tuple[float, ...], count: int
) -> None:
    suite = {f"b{number}": ratio for number, ratio in enumerate(ratios)}
    signals = signals_of(profile(80 * MS), profile(100 * MS), suite=suite)
    assert len(found(RULE, signals)) == count


def test_without_a_suite_it_is_not_applicable() -> None:
    assert Signal.SUITE not in signals_of(profile(MS), profile(2 * MS)).present
