"""Energy of one step from its work, its bytes and its time; for comparing configurations only.

macs * e_mac + vector work * e_vector + bytes per level * e_level + idle share * TDP * time (SIMULATOR
section 8). The energies per event are assumptions of the device file, so absolute joules mean little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from perfgate.core.device import Device
    from perfgate.npu.simulation import Execution

_JOULE_PER_PJ = 1e-12
_SECONDS_PER_PS = 1e-12


def step_energy(execution: Execution) -> dict[str, float]:
    """Joules by consumer: matrix, vector, l2, dram, link, idle."""
    device, columns, traffic = execution.device, execution.columns, execution.traffic
    times = columns.repeat
    prices = device.energy
    per_mac = np.array([_mac_price(device, name) for name in columns.dtypes])
    macs = columns.macs * times
    by_type = [int(macs[columns.dtype == code].sum()) for code in range(len(columns.dtypes))]
    dram = int(((traffic.dram_read + traffic.dram_write) * times).sum())
    crossing = int((execution.costs.l2_bytes * times).sum())
    pj = {
        "matrix": sum(count * price for count, price in zip(by_type, per_mac.tolist(), strict=True)),
        "vector": int((columns.vector_work * times).sum()) * prices.vector_pj,
        "l2": crossing * (prices.sram_pj + prices.l2_pj),
        "dram": dram * float(getattr(prices, f"{device.dram.energy}_pj")),
        "link": int((columns.link_bytes * times).sum()) * prices.link_pj,
    }
    joules = {name: value * _JOULE_PER_PJ for name, value in pj.items()}
    power = device.power
    joules["idle"] = power.idle_share * power.tdp_w * (execution.makespan_ps * _SECONDS_PER_PS)
    return joules


def _mac_price(device: Device, dtype: str) -> float:
    if dtype in ("int8", "uint8", "int4", "uint4"):
        return device.energy.mac_int8_pj
    if dtype in ("float16", "bfloat16"):
        return device.energy.mac_fp16_pj
    return device.energy.mac_fp32_pj
