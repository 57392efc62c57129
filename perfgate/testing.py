"""For test files: the devices to parametrise over, and sizes to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GiB", "KiB", "MiB", "perfgate_devices"]

KiB = 1024
MiB = 1024 * KiB
GiB = 1024 * MiB


def perfgate_devices(*names: str) -> Sequence[str]:
    """The named devices, else every device that perfgate ships, by name.

    Use it with `@pytest.mark.parametrize("device", perfgate_devices())`: the ids are the names, and
    `--perfgate-device` restricts such tests as it does suites.
    """
    if names:
        return names
    from perfgate.npu.device_file import list_devices  # noqa: PLC0415 - yaml, only where asked for

    return list_devices()
