"""Kernel rows of small and very large programs."""

from __future__ import annotations

from perfgate.compiler.program import KernelKind
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.npu.device_file import load_device
from perfgate.npu.kernel_rows import kernel_rows
from perfgate.npu.phase import Phase
from perfgate.npu.simulation import simulate
from tests.programs import make_kernel, make_program

DEVICE = load_device("ascend-310p-like")


def phase(count: int, times: int = 1, streams: int = 1) -> Phase:
    kernels = [
        make_kernel(index, KernelKind.VECTOR, [index - 1] if index else [], vector_work=(index % 7 + 1) << 12)
        for index in range(count)
    ]
    return Phase(
        execution=simulate(make_program(kernels), DEVICE, RuntimeConfig(streams=streams)), times=times
    )


def test_a_row_is_a_span_with_its_place_on_the_stream() -> None:
    first, second = kernel_rows([phase(2, times=3)])
    assert (first.start_ps, second.start_ps) == (0, first.duration_ps)
    assert (first.engine, first.stream, first.times) == ("vector", 0, 3)
    assert first.critical
    assert second.critical
    # 10 us of launch at 1,080 MHz are 10,800 cycles.
    assert first.cycles == first.duration_ps * 1080 // 1_000_000 > 10_800


def test_a_program_of_5000_kernels_keeps_all_rows() -> None:
    assert len(kernel_rows([phase(5000)])) == 5000


def test_a_larger_one_keeps_the_longest_200_and_one_row_for_the_rest() -> None:
    given = phase(5001)
    rows = kernel_rows([given])
    assert len(rows) == 201
    assert rows[-1].kind == "rest"
    assert rows[-1].variant == "4801 kernels"
    assert sum(row.duration_ps for row in rows) == given.execution.makespan_ps
    assert sum(row.parts.duration_ps for row in rows) == given.execution.makespan_ps
    assert min(row.duration_ps for row in rows[:-1]) >= max(given.execution.costs.duration) - 1


def test_two_phases_are_told_apart_by_their_program() -> None:
    assert [row.program for row in kernel_rows([phase(1), phase(1)])] == [0, 1]
