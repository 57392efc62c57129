"""The three figures of units that work side by side, on a trace drawn by hand (times in picoseconds).

0        10                    40          70        90   100
|-- copy in, h2d engine: 40 ---|
         |-- product: 80, 60 of them arithmetic -----|
                                           |-- sum: 30, 20 of them arithmetic --|
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from perfgate.compiler.program import KernelKind
from perfgate.npu.device_file import load_device
from perfgate.npu.hardware_level import hardware_level
from perfgate.npu.phase import Phase
from perfgate.npu.simulation import simulate
from tests.programs import make_kernel, make_program, matmul

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Hardware


def drawn(times: int = 1, stretch: int = 0) -> Hardware:
    kernels = [make_kernel(0, KernelKind.H2D), matmul(1, 64, 64, 64), make_kernel(2, KernelKind.VECTOR)]
    execution = simulate(make_program(kernels), load_device("ascend-310p-like"))

    def row(*values: int) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    costs = replace(
        execution.costs,
        compute=row(0, 60, 20),
        transfer=row(0, 10, 10),
        dram=row(0, 30, 30),
        busy_vector=row(0, 0, 25),
        duration=row(40, 80, 30),
    )
    schedule = replace(
        execution.schedule, start=row(0, 10, 70), end=row(40, 90, 100), stretch=row(0, stretch, 0)
    )
    step = replace(execution, costs=costs, schedule=schedule)
    return hardware_level([Phase(execution=step, times=times)], {})


def test_parallelism_is_the_number_of_engines_at_work_on_average() -> None:
    # matrix 60, vector 25, memory 30 + 30, copies in 40, of 100
    found = drawn()
    assert found.busy_share == pytest.approx(
        {"matrix": 0.6, "vector": 0.25, "dma": 0.6, "h2d": 0.4, "d2h": 0.0, "host": 0.0}
    )
    assert found.parallelism == pytest.approx(1.85)


def test_transfer_ratio_is_exposed_movement_over_arithmetic() -> None:
    assert drawn().transfer_ratio == pytest.approx((10 + 10) / (60 + 20))
    assert drawn(stretch=4).transfer_ratio == pytest.approx((10 + 10 + 4) / (60 + 20))


def test_balance_is_the_least_busy_engine_that_works_over_the_busiest() -> None:
    assert drawn().balance == pytest.approx(0.25 / 0.6)


def test_iterations_change_none_of_the_three() -> None:
    once, often = drawn(), drawn(times=7)
    assert often.busy_ps["matrix"] == 7 * once.busy_ps["matrix"]
    for name in ("parallelism", "transfer_ratio", "balance"):
        assert getattr(often, name) == pytest.approx(getattr(once, name))
