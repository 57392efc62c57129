"""Systolic cycles against SCALE-Sim, GPU waves against hand calculation."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from perfgate.npu.device_file import load_device
from perfgate.npu.matrix_shape import Shapes
from perfgate.npu.matrix_wave import cost_systolic, cost_wave
from tests.benchmarks.conformance_rows import scale_sim_cycles, systolic_device

ROWS = list(
    csv.DictReader(
        (Path(__file__).parents[2] / "data" / "scalesim_cycles.csv").read_text(encoding="utf-8").splitlines()
    )
)


def shapes(m: int, n: int, k: int) -> Shapes:
    one, none = np.ones(1), np.zeros(1)
    return Shapes(
        m=np.array([m]), n=np.array([n]), k=np.array([k]), count=np.array([1]), item_bytes=np.array([2]),
        rate=one, a=none, b=none, rest=none, written=none, epilogue=none,
    )  # fmt: skip


def test_the_table_has_all_its_rows() -> None:
    assert len(ROWS) == 126


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row['topology']}-{row['layer']}-{row['array_h']}-{row['dataflow']}"
)
def test_systolic_cycles_equal_scale_sim(row: dict[str, str]) -> None:
    assert scale_sim_cycles(row) == int(row["compute_cycles"])


@pytest.mark.parametrize(
    ("dataflow", "cycles"),
    [
        # M 100, N 40, K 64 on 32 x 32. Outputs stay: 4 * 2 folds * (64 + 62) - 1 = 1,007.
        ("os", 1007),
        # Weights stay: ceil(64/32) * ceil(40/32) * (100 + 62 + 32) - 1 = 4 * 194 - 1.
        ("ws", 775),
        # Inputs stay: ceil(64/32) * ceil(100/32) * (40 + 62 + 32) - 1 = 8 * 134 - 1.
        ("is", 1071),
    ],
)
def test_a_product_is_mapped_as_its_dataflow_says(dataflow: str, cycles: int) -> None:
    cost = cost_systolic(shapes(100, 40, 64), systolic_device(32, 32, dataflow))
    assert cost.pipeline[0] == cycles


def test_a_gpu_product_takes_whole_waves_of_its_best_tile() -> None:
    # 8192 x 1024 x 1024 on 108 multiprocessors: with tiles of 128 x 128, 512 tiles are 5 waves of
    # 128*128*1024 / (1024 * 0.945 * 0.95) + 600 cycles; 128 x 256 would need 3 waves of twice the work.
    device = load_device("a100-like")
    cost = cost_wave(shapes(8192, 1024, 1024), device)
    tile = 128 * 128 * 1024 / (1024 * 0.945 * 0.95) + 600
    assert cost.waves[0] == 5
    assert (cost.tile_m[0], cost.tile_n[0]) == (128, 128)
    assert cost.pipeline[0] == pytest.approx(5 * tile)


def test_depth_counts_in_steps_of_32() -> None:
    device = load_device("a100-like")
    assert (
        cost_wave(shapes(128, 128, 33), device).pipeline[0]
        == cost_wave(shapes(128, 128, 64), device).pipeline[0]
    )
