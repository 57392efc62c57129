"""Energy by consumer, from the prices of the device file."""

from __future__ import annotations

import pytest

from perfgate.npu.device_file import load_device
from perfgate.npu.energy import step_energy
from perfgate.npu.simulation import simulate
from tests.programs import make_program, matmul

DEVICE = load_device("ascend-310p-like")


def test_a_product_pays_for_its_macs_its_memory_bytes_and_the_time() -> None:
    execution = simulate(make_program([matmul(0, 512, 512, 512)]), DEVICE)
    joules = step_energy(execution)
    assert joules["matrix"] == pytest.approx(512**3 * 0.5e-12)  # 0.5 pJ per fp16 MAC
    assert joules["dram"] == pytest.approx(
        3 * 512 * 512 * 2 * 60e-12
    )  # three operands, LPDDR at 60 pJ per byte
    assert joules["idle"] == pytest.approx(0.3 * 72 * execution.makespan_ps * 1e-12)  # 30 % of 72 W
    assert joules["link"] == joules["vector"] == 0.0


def test_memory_of_another_kind_has_another_price() -> None:
    program = make_program([matmul(0, 512, 512, 512)])
    far = step_energy(simulate(program, load_device("ascend-910b-like")))
    assert far["dram"] == pytest.approx(3 * 512 * 512 * 2 * 40e-12)  # HBM
