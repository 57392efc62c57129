"""How one layout becomes another on the device: the route of the device's table, remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.layouts import strides_of
from perfgate.core.device import Stride, Via
from perfgate.graph.ir import ITEM_BYTES

if TYPE_CHECKING:
    from perfgate.compiler.workgraph import WorkValue
    from perfgate.core.device import Device, Position, Route


class RouteTable:
    """Answers of `Device.find_route` by layouts, position and strides."""

    __slots__ = ("_answers", "_device")

    def __init__(self, device: Device) -> None:
        self._device = device
        self._answers: dict[tuple[str, str, Position, str, tuple[int, ...]], Route] = {}

    def find(self, value: WorkValue, source: str, target: str, position: Position) -> Route:
        """The first route of the table that fits the value's strides."""
        key = (source, target, position, value.dtype, value.shape[1:])
        route = self._answers.get(key)
        if route is None:
            route = self._device.find_route(source, target, strides_of(value), position)
            self._answers[key] = route
        return route

    def passed_over(self, value: WorkValue, chosen: Route, source: str, target: str) -> dict[str, int | str]:
        """The alignment of the better route above the chosen one that the value's stride misses, if any."""
        for route in self._device.routes:
            if route is chosen:
                break
            if {source, target} == set(route.between) and route.stride is not Stride.NONE:
                facts = self.missed_alignment(value, source, target)
                return {**facts, "route": str(chosen.via)} if facts["stride"] != facts["pad_to"] else {}
        return {}

    def missed_alignment(self, value: WorkValue, source: str, target: str) -> dict[str, int | str]:
        """Why no route fits: the stride in elements, the alignment a device route would need, and remedies.

        `nearest` is the closest aligned stride, `pad_to` the next one above.
        """
        item = ITEM_BYTES[value.dtype]
        strides = strides_of(value)
        for route in self._device.routes:
            if {source, target} != set(route.between) or route.stride is Stride.NONE or route.via is Via.HOST:
                continue
            alignment = max(1, route.multiple // item)
            stride = strides.get(route.stride, 0) // item
            below = stride // alignment * alignment
            above = below if below == stride else below + alignment
            nearest = below if below and stride - below <= above - stride else above
            return {
                "stride": stride,
                "alignment": alignment,
                "nearest": nearest,
                "pad_to": above,
                "route": "host",
            }
        return {"route": "host"}
