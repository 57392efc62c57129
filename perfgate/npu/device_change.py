"""A device with single values changed: for imports, what-ifs and tests of single rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.core.device import Device, Source
from perfgate.npu.device_check import check_value
from perfgate.npu.device_file import DeviceError, device_digest

if TYPE_CHECKING:
    from collections.abc import Mapping


def change_device(base: Device, changes: Mapping[str, Any], source: Source) -> Device:
    """A copy of `base` with values changed by dotted key (`dram.gb_s`), as imports and what-ifs need it.

    Raises:
        DeviceError: an unknown key, or a value that does not fit.
    """
    content = msgspec.to_builtins(base)
    for dotted, value in changes.items():
        *groups, key = dotted.split(".")
        target = content
        for group in groups:
            target = target.get(group, {})
        if key not in target:
            raise DeviceError(f"unknown key {dotted!r}", source.place, "use a key of the device file")
        problem = check_value(dotted, value)
        if problem:
            raise DeviceError(f"{dotted!r} is {value!r}", source.place, problem)
        target[key] = value
    try:
        device = msgspec.convert(content, Device)
    except msgspec.ValidationError as error:
        what = f"a changed value does not fit, {str(error).lower()}"
        raise DeviceError(what, source.place, "correct the value") from error
    sources = {**base.sources, **dict.fromkeys(changes, source)}
    changed = msgspec.structs.replace(device, sources=sources)
    return msgspec.structs.replace(changed, digest=device_digest(changed))
