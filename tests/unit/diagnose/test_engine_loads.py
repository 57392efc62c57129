from __future__ import annotations

import pytest

from perfgate.diagnose.engine_loads import balance, core_loads, like_engines, lost_in_last_wave
from tests.hand_profiles import kernel, profile


def test_engines_that_differ_in_their_number_are_alike() -> None:
    found = like_engines(profile(1, busy_ps={"gpu0": 3, "gpu1": 4, "dma": 5, "npu0": 6}))
    assert found == {"gpu": {"gpu0": 3, "gpu1": 4}}


@pytest.mark.parametrize(
    ("tiles", "loads", "lost"),
    [
        (8, [60, 60, 60, 60], 0),  # two waves of four
        (5, [60, 30, 30, 30], 23),  # 60 less five eighths of it, rounded down
        (1, [60, 0, 0, 0], 45),
    ],
)
def test_tiles_are_dealt_to_four_cores_in_turn(tiles: int, loads: list[int], lost: int) -> None:
    row = kernel(1, 60, tiles=tiles)
    assert list(core_loads(profile(60, kernels=(row,)), 4).values()) == loads
    assert lost_in_last_wave(row, 4) == lost


def test_kernels_without_tiles_and_machines_without_cores_have_no_loads() -> None:
    row = kernel(1, 60, engine="vector", tiles=3)
    assert core_loads(profile(60, kernels=(row,)), 2) == {"core 0": 0, "core 1": 0}
    assert core_loads(profile(60, kernels=(kernel(1, 60, tiles=3),)), 0) == {}
    assert lost_in_last_wave(row, 2) == 0


def test_balance_is_least_over_most() -> None:
    assert balance({"a": 30, "b": 60}) == 0.5
    assert balance({"a": 0, "b": 0}) == 1.0
    assert balance({}) == 1.0
