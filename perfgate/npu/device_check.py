"""Which values of a device make sense: positive rates, shares between 0 and 1, nothing infinite."""

from __future__ import annotations

from math import isfinite
from typing import Any

import msgspec

_MAY_BE_ZERO = (
    "block_bytes", "matrix.bf16_rate", "matrix.int8_rate", "matrix.fp32_rate", "wave.prologue_cycles",
    "buffers.l0a_kb", "buffers.l0b_kb", "buffers.l0c_kb",
    "rates.l1_l0a", "rates.l1_l0b", "rates.l0c_ub", "rates.ub_l2", "rates.ub_dram", "rates.ub_l1",
    "dma.latency_ns", "launch.", "link.latency_us", "host.", "runtime.", "power.idle_share", "energy.",
)  # fmt: skip
_SHARES = ("efficiency.", "l2.reuse_share", "link.pageable_share", "power.idle_share")
_DRAM_KINDS = ("hbm", "lpddr", "ddr")  # each has its energy per byte
_LARGEST = 1e12  # beyond it a typing error is certain, and int64 picoseconds are no longer safe


def check_value(dotted: str, value: Any) -> str:  # noqa: ANN401 - any value of a device file
    """What to do about a value that cannot be, or "" when it can."""
    if isinstance(value, tuple):
        return next(filter(None, (_check_item(item) for item in value)), "")
    if isinstance(value, bool) or not isinstance(value, int | float):
        is_wrong = dotted == "dram.energy" and value not in _DRAM_KINDS
        return f"use one of {', '.join(_DRAM_KINDS)}" if is_wrong else ""
    if not isfinite(value) or value < 0 or value > _LARGEST:
        return f"give a number from 0 to {_LARGEST:.0e}"
    if value == 0 and not dotted.startswith(_MAY_BE_ZERO):
        return "give a number above 0"
    if dotted.startswith(_SHARES) and value > 1:
        return "give a share from 0 to 1"
    return ""


def _check_item(item: Any) -> str:  # noqa: ANN401 - an item of a list in a device file
    if not isinstance(item, msgspec.Struct):
        return ""
    for name, value in msgspec.structs.asdict(item).items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            if not isfinite(value) or value <= 0:
                return f"give a {name} above 0"
            if name == "efficiency" and value > 1:
                return "give an efficiency from 0 to 1"
    return ""
