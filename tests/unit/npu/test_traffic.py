"""Which operands come from L2, by reuse distance, and how buffer modes change it."""

from __future__ import annotations

import pytest

from perfgate.compiler.program import Access, Kernel, KernelKind
from perfgate.npu.columns import read_columns
from perfgate.npu.device_file import load_device
from perfgate.npu.traffic import Reuse, Traffic, measure_traffic
from tests.programs import make_kernel

DEVICE = load_device("ascend-310p-like")  # 16 MiB of L2, of which 0.75 count: 12,582,912 B
MIB = 1 << 20


def touch(index: int, reads: list[tuple[int, int]], writes: list[tuple[int, int]], row: int = 0) -> Kernel:
    return make_kernel(
        index,
        KernelKind.VECTOR,
        reads=tuple(Access(buffer, size) for buffer, size in reads),
        writes=tuple(Access(buffer, size) for buffer, size in writes),
        row=row,
    )


def measure(kernels: list[Kernel], reuse: Reuse = Reuse.L2) -> Traffic:
    return measure_traffic(read_columns(kernels, DEVICE.dma.full_run_bytes), DEVICE, reuse)


def test_a_first_touch_comes_from_memory_and_a_near_one_from_l2() -> None:
    kernels = [touch(0, [(0, MIB)], [(1, MIB)]), touch(1, [(1, MIB)], [(2, MIB)])]
    traffic = measure(kernels)
    assert traffic.dram_read.tolist() == [MIB, 0]
    assert traffic.l2_read.tolist() == [0, MIB]
    # What is read back from L2 was never written to memory; the last result is.
    assert traffic.dram_write.tolist() == [0, MIB]


@pytest.mark.parametrize(("between", "hits"), [(11 * MIB, True), (12 * MIB, False)])
def test_an_operand_hits_while_fewer_bytes_than_the_share_were_touched_since(
    between: int, *, hits: bool
) -> None:
    # Distance = bytes between + the operand itself, 1 MiB; the limit is 12 MiB.
    kernels = [
        touch(0, [], [(1, MIB)]),
        touch(1, [(5, between)], []),
        touch(2, [(1, MIB)], []),
    ]
    assert measure(kernels).l2_read[2] == (MIB if hits else 0)


def test_without_l2_reuse_every_operand_comes_from_memory() -> None:
    kernels = [touch(0, [(0, MIB)], [(1, MIB)]), touch(1, [(1, MIB)], [(2, MIB)])]
    traffic = measure(kernels, Reuse.OFF)
    assert traffic.l2_read.sum() == traffic.l2_write.sum() == 0


def test_l1_reuse_takes_the_next_kernels_operand_off_the_bus() -> None:
    # 8 cores with half of 1 MiB each hold 4 MiB.
    small = [touch(0, [(0, MIB)], [(1, MIB)]), touch(1, [(1, MIB)], [(2, MIB)])]
    large = [touch(0, [(0, MIB)], [(1, 5 * MIB)]), touch(1, [(1, 5 * MIB)], [(2, MIB)])]
    assert measure(small, Reuse.L1).a[1] == 0
    assert measure(large, Reuse.L1).a[1] == 5 * MIB
    later = [small[0], touch(1, [(7, MIB)], [(8, MIB)]), touch(2, [(1, MIB)], [(2, MIB)])]
    assert measure(later, Reuse.L1).a[2] == MIB


@pytest.mark.parametrize(("row", "reads"), [(32_768, 1), (32_769, 3)])
def test_a_row_that_does_not_fit_is_read_three_times(row: int, reads: int) -> None:
    # The reduction buffer of 128 KiB holds 32,768 fp32 elements.
    traffic = measure([touch(0, [(0, MIB)], [(1, MIB)], row=row)])
    assert traffic.dram_read[0] == reads * MIB
    assert traffic.dram_write[0] == MIB


def test_short_runs_and_conversions_weigh_more_than_their_bytes() -> None:
    kernel = make_kernel(0, KernelKind.LAYOUT, reads=(Access(0, 640, 16, 0.5),), writes=(Access(1, 640),))
    traffic = measure([kernel])
    assert traffic.dram_read[0] == 640
    assert traffic.dram_read_slow[0] == 640 / (16 / 64) / 0.5
    assert traffic.written[0] == 640
