"""The memory curve and the allocation log on a chain of three buffers."""

from __future__ import annotations

from perfgate.compiler.program import Access, KernelKind
from perfgate.npu.device_file import load_device
from perfgate.npu.memory_use import memory_use
from perfgate.npu.simulation import Execution, simulate
from tests.programs import make_kernel, make_program

DEVICE = load_device("ascend-310p-like")


def chain(count: int) -> Execution:
    """Kernel i reads buffer i and writes buffer i + 1, each of 1,024 B; at most two live at a time."""
    kernels = [
        make_kernel(
            i,
            KernelKind.VECTOR,
            [i - 1] if i else [],
            reads=(Access(i, 1024),),
            writes=(Access(i + 1, 1024),),
        )
        for i in range(count)
    ]
    return simulate(make_program(kernels), DEVICE)


def test_the_curve_rises_and_falls_with_the_lives() -> None:
    execution = chain(2)
    memory = memory_use(execution)
    first, second = execution.schedule.end.tolist()
    # Buffers 0 and 1 from the start; 0 dies with kernel 0 and 2 is born; the rest dies at the end.
    assert [row.time_ps for row in memory.events] == [0, 0, first, first, second, second]
    assert [row.kind for row in memory.events] == ["alloc", "alloc", "free", "alloc", "free", "free"]
    assert [used for _, used in memory.curve] == [1024, 2048, 1024, 2048, 1024, 0]


def test_every_allocation_has_its_free() -> None:
    events = memory_use(chain(9)).events
    for kind in ("alloc", "free"):
        assert sorted(row.buffer for row in events if row.kind == kind) == list(range(10))


def test_a_long_curve_is_thinned_and_keeps_its_peak() -> None:
    memory = memory_use(chain(600))
    assert len(memory.curve) == 400
    assert max(used for _, used in memory.curve) == 2048
    assert memory.lower_bound == 2048
