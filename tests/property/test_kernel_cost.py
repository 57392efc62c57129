"""Cost of kernels: a faster machine never makes one slower, and parts sum to the whole."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.compiler.program import Program  # noqa: TC001 - hypothesis reads the annotations
from perfgate.core.device import Device, Mark, Source
from perfgate.npu.device_change import change_device
from perfgate.npu.device_file import list_devices, load_device
from perfgate.npu.simulation import simulate
from tests.programs import programs

RATES = (
    "freq_mhz", "cores.matrix", "cores.vector", "matrix.macs_per_cycle", "vector.bytes_per_cycle",
    "dram.gb_s",
    "rates.l2_read", "rates.l2_write", "rates.l1_l0a", "rates.l1_l0b", "rates.l0c_ub", "rates.ub_l2",
    "rates.ub_dram", "link.gb_s", "l2.mb",
)  # fmt: skip
SOURCE = Source(Mark.ASSUMED, "twice", "test")
DEVICES = {name: load_device(name) for name in list_devices()}


def twice(device: Device, rate: str) -> Device:
    value: object = device
    for name in rate.split("."):
        value = getattr(value, name)
    assert isinstance(value, int | float)
    return change_device(device, {rate: value * 2}, SOURCE)


@settings(max_examples=60, deadline=None)
@given(program=programs(largest=12), rate=st.sampled_from(RATES), name=st.sampled_from(list_devices()))
def test_doubling_any_rate_slows_no_kernel_and_no_one_stream_program(
    program: Program, rate: str, name: str
) -> None:
    slow, fast = simulate(program, DEVICES[name]), simulate(program, twice(DEVICES[name], rate))
    assert (fast.costs.duration <= slow.costs.duration).all()
    assert fast.makespan_ps <= slow.makespan_ps


@settings(max_examples=60, deadline=None)
@given(program=programs(largest=12), name=st.sampled_from(list_devices()))
def test_the_four_parts_of_a_kernel_sum_to_its_duration(program: Program, name: str) -> None:
    costs = simulate(program, DEVICES[name]).costs
    parts = np.stack([costs.dispatch, costs.transfer, costs.compute, costs.sync])
    assert (parts >= 0).all()
    assert (parts.sum(axis=0) == costs.duration).all()
    assert ((costs.utilisation >= 0) & (costs.utilisation <= 1)).all()


@settings(max_examples=40, deadline=None)
@given(program=programs(largest=12), name=st.sampled_from(list_devices()))
def test_bytes_of_the_operands_are_the_bytes_of_the_levels(program: Program, name: str) -> None:
    execution = simulate(program, DEVICES[name])
    traffic, rows = execution.traffic, execution.columns.accesses
    assert (traffic.dram_write + traffic.l2_write).sum() == rows.size[rows.is_write].sum()
    assert (traffic.dram_read + traffic.l2_read).sum() >= rows.size[~rows.is_write].sum()
