"""Hand-computed times on ascend-310p-like: 8 cores of 16 x 16 x 16, 1,080 MHz, 204.8 GB/s, 10 us launch.

A product is cycles of the longest core over 1.08 GHz, plus 0.5 us of memory latency, plus the launch.
"""

from __future__ import annotations

from math import ceil

import pytest

from perfgate.compiler.program import Access, Kernel, KernelKind
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.npu.device_file import load_device
from perfgate.npu.kernel_cost import BOUNDS
from perfgate.npu.simulation import Execution, simulate
from tests.programs import make_kernel, make_program, matmul

DEVICE = load_device("ascend-310p-like")
LAUNCH_PS, LATENCY_PS = 10_000_000, 500_000
PS_PER_CYCLE = 1_000_000 / 1080


def run(kernel: Kernel, runtime: RuntimeConfig | None = None) -> Execution:
    return simulate(make_program([kernel]), DEVICE, runtime or RuntimeConfig())


def test_a_large_product_is_bound_by_the_matrix_unit() -> None:
    # 4096 x 4096 x 4096 in tiles of 256 x 256: 256 tiles on 8 cores are 32 each, exactly. A tile takes
    # 16 * 16 * 256 steps + 32 to fill = 65,568 cycles, more than its loads: 256 * 4096 * 2 * 2 B at 110 B per
    # cycle are 38,131 and the L0A port needs 256 * 4096 * 2 / 512 = 4,096.
    execution = run(matmul(0, 4096, 4096, 4096))
    costs = execution.costs
    assert (costs.tile_m[0], costs.tile_n[0]) == (256, 256)
    assert costs.waves[0] == 32
    assert costs.compute[0] == int(32 * 65_568 * PS_PER_CYCLE)
    assert BOUNDS[costs.bound[0]] == "matrix"
    # One of 64 steps fills the pipeline, a 64th of a load, and the last store stays exposed:
    # 256 * 256 * 2 B at 64 B per cycle = 2,048, more than 256 * 256 * 4 B at 512.
    fill = 38_131 / 64 + 2_048
    body = costs.duration[0] - LAUNCH_PS - LATENCY_PS
    assert 32 * 65_568 * PS_PER_CYCLE < body <= (32 * 65_568 + fill) * PS_PER_CYCLE + 1


def test_a_thin_product_is_bound_by_reading_its_weights() -> None:
    # 1 x 4096 x 4096: 4096 * 4096 * 2 B of weights at 204.8 * 0.8 GB/s are 204.8 us.
    execution = run(matmul(0, 1, 4096, 4096))
    weights_ps = (4096 * 4096 + 4096 + 4096) * 2 * 1000 / (204.8 * 0.8)
    assert execution.costs.duration[0] == ceil(weights_ps + LATENCY_PS) + LAUNCH_PS
    assert BOUNDS[execution.costs.bound[0]] == "load"


def test_an_elementwise_kernel_moves_its_bytes_at_the_memory_rate() -> None:
    # 16 MB in, 16 MB out at 204.8 * 0.9 GB/s; 8 M additions on 7 cores of 128 lanes are 9,363 cycles, less.
    size = 16 << 20
    kernel = make_kernel(
        0, KernelKind.VECTOR, reads=(Access(0, size),), writes=(Access(1, size),), vector_work=8 << 20
    )
    costs = run(kernel).costs
    assert costs.dram[0] == ceil(2 * size * 1000 / (204.8 * 0.9))
    assert costs.compute[0] == int(ceil((8 << 20) / (128 * 7)) * PS_PER_CYCLE)
    assert costs.duration[0] == ceil(2 * size * 1000 / (204.8 * 0.9) + LATENCY_PS) + LAUNCH_PS


def test_a_tiny_kernel_is_bound_by_its_launch() -> None:
    costs = run(make_kernel(0, KernelKind.VECTOR, vector_work=512)).costs
    assert BOUNDS[costs.bound[0]] == "launch"
    assert costs.dispatch[0] == LAUNCH_PS


def test_a_conversion_in_runs_of_32_bytes_reaches_half_the_rate() -> None:
    # SIMULATOR section 7: 2 * bytes / (dram * min(1, run / 64)) + launch; the size is one mid-block tensor.
    size = 4_177_920
    reads, writes = (Access(0, size, 32),), (Access(1, size, 32),)
    kernel = make_kernel(0, KernelKind.LAYOUT, reads=reads, writes=writes)
    half = ceil(2 * size * 1000 / (204.8 / 2) + LATENCY_PS)
    assert run(kernel).costs.duration[0] == half + LAUNCH_PS


@pytest.mark.parametrize(("is_pinned", "rate"), [(False, 13.0), (True, 26.0)])
def test_a_copy_takes_its_bytes_over_the_link_rate_and_the_latency(*, is_pinned: bool, rate: float) -> None:
    kernel = make_kernel(0, KernelKind.D2H, link_bytes=4_177_920)
    costs = run(kernel, RuntimeConfig(pinned_memory=is_pinned)).costs
    assert costs.duration[0] == ceil(4_177_920 * 1000 / rate + 15_000_000)
    assert costs.dispatch[0] == 0


def test_one_crossing_of_the_incident_takes_21_6_ms() -> None:
    # SIMULATOR section 5: 2 * 4.18 MB / 13 GB/s + 2,088,960 elements * 10 ns + 60 us.
    kernels = [
        make_kernel(0, KernelKind.D2H, link_bytes=4_177_920, implicit=True),
        make_kernel(1, KernelKind.HOST, [0], elements=2_088_960, implicit=True),
        make_kernel(2, KernelKind.H2D, [1], link_bytes=4_177_920, implicit=True),
    ]
    total = simulate(make_program(kernels), DEVICE).makespan_ps
    by_hand = 2 * 4_177_920 * 1000 / 13 + 2_088_960 * 10_000 + 60_000_000
    assert total == pytest.approx(by_hand, abs=3)
    assert total / 1e9 == pytest.approx(21.6, abs=0.05)


def test_dynamic_dispatch_adds_to_every_launch() -> None:
    program = make_program([make_kernel(0, KernelKind.VECTOR, vector_work=512)], dynamic_dispatch=True)
    assert simulate(program, DEVICE).costs.dispatch[0] == LAUNCH_PS + 3_000_000
