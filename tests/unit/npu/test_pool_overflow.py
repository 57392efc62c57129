"""Buffers beyond the reserved arena cost an allocation at every execution."""

from __future__ import annotations

from perfgate.compiler.program import Access, KernelKind
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.npu.device_file import load_device
from perfgate.npu.simulation import simulate
from tests.programs import make_kernel, make_program

DEVICE = load_device("ascend-310p-like")
# Three buffers of 1,024 B at offsets 0, 1,024 and 2,048.
PROGRAM = make_program(
    [
        make_kernel(0, KernelKind.VECTOR, reads=(Access(0, 1024),), writes=(Access(1, 1024),)),
        make_kernel(1, KernelKind.VECTOR, [0], reads=(Access(1, 1024),), writes=(Access(2, 1024),)),
    ]
)


def test_an_arena_that_fits_allocates_nothing() -> None:
    assert simulate(PROGRAM, DEVICE, RuntimeConfig(memory_pool=3072)).allocations.tolist() == [0, 0]
    assert simulate(PROGRAM, DEVICE).allocations.tolist() == [0, 0]


def test_each_buffer_past_the_end_is_allocated_before_its_first_kernel() -> None:
    execution = simulate(PROGRAM, DEVICE, RuntimeConfig(memory_pool=1024))
    assert execution.allocations.tolist() == [1, 1]
    # 100 us each (runtime.alloc_us), before the kernel.
    assert execution.schedule.wait.tolist() == [100_000_000, 100_000_000]
    assert execution.makespan_ps == simulate(PROGRAM, DEVICE).makespan_ps + 200_000_000
