"""docs/reference/DEVICES.md: every value of every device file with its mark and note."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import yaml

from perfgate.core.device import Device, Mark
from perfgate.npu.device_file import BUILT_IN, list_devices, load_device
from tests.documentation.tables import code, page, table

if TYPE_CHECKING:
    from collections.abc import Iterator

INTRODUCTION = """\
The simulator reads these values and no others. A mark says where each comes from: **P** published by the
maker or measured in public papers, **D** derived from published values, **A** assumed, **C** calibrated on
measurements. "-like" in a name means: built after these figures, not checked against the machine.
Simulated times say which of two versions is slower on such a device, and why; they are no forecast of the
machine's own times. A file of your own: [howto/ADD_DEVICE.md](../howto/ADD_DEVICE.md). Units stand in the
names; rates are bytes per cycle and core."""


def devices_page() -> str:
    """The page."""
    devices = [load_device(name) for name in list_devices()]
    summary = table(
        ("device", "chips", "matrix unit", *(f"{mark.value}" for mark in Mark)), map(_summary, devices)
    )
    return page(
        "Devices",
        INTRODUCTION,
        summary,
        *(
            part
            for device in devices
            for part in (f"## {device.name}", _values(device), _routes(device))
            if part
        ),
    )


def _summary(device: Device) -> tuple[str, ...]:
    counts = Counter(source.mark for source in device.sources.values())
    name = f"[{device.name}](#{device.name})"
    chips = ", ".join(map(code, device.soc_versions))
    return (name, chips, str(device.matrix.style), *(str(counts[mark]) for mark in Mark))


def _values(device: Device) -> str:
    rows = (
        (code(dotted), _shown(value), source.mark.value, source.note)
        for dotted, source in device.sources.items()
        if not isinstance(value := _value(device, dotted), tuple | None)
    )
    return table(("value", "is", "mark", "note"), rows)


def _value(device: Device, dotted: str) -> Any:  # noqa: ANN401 - numbers, words and booleans
    found: Any = device
    for part in dotted.split("."):
        found = getattr(found, part, None)
    return found


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _routes(device: Device) -> str:
    rows = list(_route_rows(device))
    return (
        table(("conversion", "condition", "where", "by", "share of the DMA rate", "mark", "note"), rows)
        if rows
        else ""
    )


def _route_rows(device: Device) -> Iterator[tuple[str, ...]]:
    written = _written_routes(device.name)
    for route, raw in zip(device.routes, written, strict=True):
        condition = (
            "" if route.stride == "none" else f"{route.stride} stride a multiple of {route.multiple} B"
        )
        between = " <-> ".join(map(str, route.between))
        yield (
            between,
            condition,
            str(route.position),
            str(route.via),
            f"{route.efficiency:g}",
            raw["mark"],
            raw["note"],
        )


def _written_routes(name: str) -> list[dict[str, Any]]:
    """The routes as the file, or its base, has them: a loaded device keeps no marks of routes."""
    raw = yaml.safe_load((BUILT_IN / f"{name}.yaml").read_text(encoding="utf-8"))
    return raw["routes"] if "routes" in raw else _written_routes(raw["base"])
