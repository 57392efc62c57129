"""Single values of a device changed by key."""

from __future__ import annotations

import pytest

from perfgate.core.device import Mark, Source
from perfgate.npu.device_change import change_device
from perfgate.npu.device_file import DeviceError, load_device

BASE = load_device("a100-like")
SOURCE = Source(Mark.ASSUMED, "what if", "test")


def test_only_the_named_value_changes() -> None:
    changed = change_device(BASE, {"dram.gb_s": 4078.0}, SOURCE)
    assert changed.dram.gb_s == 4078
    assert changed.dram.gb == BASE.dram.gb
    assert changed.matrix == BASE.matrix
    assert changed.digest != BASE.digest
    assert changed.sources["dram.gb_s"] == SOURCE


def test_no_change_keeps_the_digest() -> None:
    assert change_device(BASE, {}, SOURCE).digest == BASE.digest


@pytest.mark.parametrize(
    "changes", [{"dram.gbs": 1.0}, {"nothing.x": 1}, {"dram.gb_s": 0.0}, {"cores.matrix": "many"}]
)
def test_a_key_or_value_that_does_not_fit_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(DeviceError):
        change_device(BASE, changes, SOURCE)
