"""The tiler of blocked arrays: buffers, granules, edges and equal shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from perfgate.core.device import Mark, Source
from perfgate.npu.device_change import change_device
from perfgate.npu.device_file import load_device
from perfgate.npu.matrix_blocked import cost_blocked
from perfgate.npu.matrix_shape import MatrixCost, Shapes

if TYPE_CHECKING:
    from perfgate.core.device import Device

DEVICE = load_device("ascend-310p-like")
KIB = 1024


def cost(
    sizes: list[tuple[int, int, int]],
    *,
    width: int = 2,
    rate: float = 1.0,
    count: int = 1,
    device: Device = DEVICE,
) -> MatrixCost:
    """Products whose operands cost nothing to load, so that only arithmetic and on-chip ports count."""
    rows = len(sizes)
    m, n, k = np.array(sizes, dtype=np.int64).T
    none = np.zeros(rows)
    return cost_blocked(
        Shapes(
            m=m, n=n, k=k, count=np.full(rows, count), item_bytes=np.full(rows, width),
            rate=np.full(rows, rate), a=none, b=none, rest=none, written=none, epilogue=none,
        ),
        device,
    )  # fmt: skip


@pytest.mark.parametrize("width", [1, 2, 4])
def test_every_tile_fits_its_buffers(width: int) -> None:
    found = cost([(m, n, k) for m in (1, 100, 5000) for n in (7, 640) for k in (3, 1440)], width=width)
    tile_m, tile_n, tile_k = found.tile_m, found.tile_n, found.tile_k
    assert (2 * (tile_m * tile_k + tile_k * tile_n) * width <= 1024 * KIB).all()  # L1
    assert (2 * tile_m * tile_k * width <= 64 * KIB).all()  # L0A
    assert (2 * tile_k * tile_n * width <= 64 * KIB).all()  # L0B
    assert (4 * tile_m * tile_n <= 256 * KIB).all()  # L0C
    assert (tile_m % 16 == 0).all()
    assert (tile_n % 16 == 0).all()


def test_a_single_block_takes_one_step_and_its_fill() -> None:
    # ceil(16/16)^3 = 1 step, but the L0C port needs 16 * 16 * 4 / 512 = 2 cycles; fill is 16 + 16.
    assert cost([(16, 16, 16)]).compute[0] == 33


def test_padding_counts_as_work() -> None:
    # 17 rows are two granules: the same cycles as 32.
    assert cost([(17, 16, 16)]).compute[0] == cost([(32, 16, 16)]).compute[0]
    assert cost([(16, 16, 17)]).compute[0] == cost([(16, 16, 32)]).compute[0]


def test_int8_takes_twice_the_depth_per_step() -> None:
    half = cost([(256, 256, 2048)], width=2)
    eighth = cost([(256, 256, 4096)], width=1, rate=2.0)
    assert eighth.compute[0] == half.compute[0]


def test_a_slower_type_turns_a_port_bound_product_into_an_arithmetic_one() -> None:
    # 16 x 16 x 2048 is 128 steps and 32 to fill; its columns come through the L0B port at 256 B per cycle:
    # 16 * 2048 * 2 / 256 = 256 cycles, more. At a quarter of the rate the steps take 4 * 128 + 32.
    assert cost([(16, 16, 2048)]).compute[0] == 256
    assert cost([(16, 16, 2048)], rate=0.25).compute[0] == 544


def test_products_that_cannot_be_split_are_dealt_to_the_cores() -> None:
    # One tile each: 8 products on 8 cores take as long as one, 64 eight times as long.
    one, eight, many = (cost([(16, 16, 512)], count=count).compute[0] for count in (1, 8, 64))
    assert eight == one
    assert many == 8 * one


def test_a_shape_costs_the_same_alone_and_among_others() -> None:
    alone = cost([(300, 200, 700)])
    among = cost([(5, 5, 5), (300, 200, 700), (4096, 4096, 4096)])
    assert among.pipeline[1] == alone.pipeline[0]
    assert len(cost([(16 + i, 64, 64) for i in range(1100)]).pipeline) == 1100  # more than one sweep


def test_depthwise_convolution_pays_for_padding_its_groups() -> None:
    # 64 groups of 3136 x 1 x 9: one column and nine of sixteen deep fill 1/16 * 9/16 of the array.
    grouped = cost([(3136, 1, 9)], count=64)
    macs = 3136 * 9 * 64
    assert macs / (grouped.compute[0] * 8 * 4096) < 9 / 256


def test_a_machine_without_named_buffers_or_ports_is_limited_by_arithmetic_and_l1_alone() -> None:
    # No L0 ports: 16 x 16 x 2048 is 128 steps and 32 to fill. One tile of any side fits but for L1.
    keys = (
        "buffers.l0a_kb",
        "buffers.l0b_kb",
        "buffers.l0c_kb",
        "rates.l1_l0a",
        "rates.l1_l0b",
        "rates.l0c_ub",
    )
    bare = change_device(DEVICE, dict.fromkeys(keys, 0), Source(Mark.ASSUMED, "none", "test"))
    assert cost([(16, 16, 2048)], device=bare).compute[0] == 160
    found = cost([(4096, 4096, 4096)], device=bare)
    assert 2 * (found.tile_m[0] + found.tile_n[0]) * found.tile_k[0] * 2 <= 1024 * KIB
