"""Makes the forms of a value that a kernel needs: by the load or store path, a device kernel, or the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.layouts import LOGICAL, MATRIX_LOGICAL, stored_bytes
from perfgate.compiler.opclass import CONVOLUTIONS, PRODUCTS
from perfgate.compiler.passnames import LAYOUT
from perfgate.compiler.routes import RouteTable
from perfgate.compiler.workgraph import inserted
from perfgate.core.device import Position, Via

if TYPE_CHECKING:
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue
    from perfgate.core.device import Device, Route

FREE_VIEW = "free_view"  # note of a Transpose that moves nothing
LOAD = "load"  # note: DMA efficiency by operand name of conversions done while loading
STORE = "store"  # note: the same while storing
EFFICIENCY = "efficiency"  # note of a conversion node
CONVERSION, ROUND_TRIP, MOVE = "TransData", "HostRoundTrip", "Transpose"
_STEP = (LAYOUT, "inserted")


class Converter:
    """Finds or makes forms; conversions are appended to the order right where they are needed."""

    __slots__ = ("_device", "_log", "_order", "_routes", "_work")

    def __init__(self, work: WorkGraph, log: PassLog, device: Device, order: list[WorkNode]) -> None:
        self._work = work
        self._log = log
        self._device = device
        self._order = order
        self._routes = RouteTable(device)

    def form(self, asker: WorkNode, value: WorkValue, layout: str) -> WorkValue:
        """The value stored in `layout`, as an operand between storage layouts (an edge)."""
        forms = _forms(value)
        found = forms.get(layout)
        if found is not None:
            return found
        if _is_flexible(value):
            return self._moved(value, layout)
        return self._converted(asker, value, _best_form(value), layout, Position.EDGE)

    def to_port(self, asker: WorkNode, value: WorkValue, pin: str, own: str) -> WorkValue:
        """An operand of a matrix kernel in its own layout, read from the pinned storage layout if one is set.

        A form in the own layout that still exists is read instead: the pair of conversions cancels.
        """
        native = _forms(value).get(own)
        if native is not None:
            if pin and pin != own:
                self._log.applied(
                    LAYOUT,
                    asker,
                    f"pair-cancels: {value.name} still exists in {own}",
                    saved=(2 * native.size, 1),
                )
            return native
        if not pin or pin == own:
            return self._converted(asker, value, _best_form(value), own, Position.EDGE)
        stored = self.form(asker, value, pin)
        return self._converted(asker, value, (pin, stored), own, Position.PORT)

    def to_matrix(self, asker: WorkNode, value: WorkValue, own: str) -> WorkValue:
        """An operand of a matrix product in the device's matrix layout; storage is the logical order."""
        forms = value.forms
        if forms is not None and own in forms:
            return forms[own]
        return self._converted(asker, value, (MATRIX_LOGICAL, value), own, Position.EDGE)

    def from_port(
        self, node: WorkNode, result: WorkValue, storage: str, own: str, position: Position
    ) -> None:
        """Store a matrix kernel's result: as it is, by the store path, or converted where it is read."""
        is_image = own != self._device.matrix_layout
        if storage == own:
            result.layout = own if is_image else ""
            return
        route = self._routes.find(result, own, storage, position)
        if route.via is Via.DMA:
            result.layout = storage if is_image else ""
            if route.efficiency != 1.0:
                node.notes[STORE] = route.efficiency
            return
        native = self._work.new_value(f"{result.name}@{own}", result.shape, result.dtype)
        native.layout = own
        native.producer = node
        node.outputs[0] = native
        result.layout = storage if is_image else ""
        result.forms = {own: native}
        if result.is_output or not all(_reads_own(user, result, is_image) for user in result.consumers):
            self._insert(node, native, result, route, (own, storage))
            result.forms[LOGICAL if storage == MATRIX_LOGICAL else storage] = result
        else:
            result.producer = None

    def output(self, value: WorkValue, layout: str) -> None:
        """An output of the model in the caller's layout; it keeps its name."""
        owner = value.producer
        if owner is None:
            return
        found = self.form(owner, value, layout)
        self._work.outputs[self._work.outputs.index(value)] = found
        found.is_output, value.is_output = True, False
        found.name, value.name = value.name, found.name

    def _converted(
        self,
        asker: WorkNode,
        value: WorkValue,
        held_form: tuple[str, WorkValue],
        layout: str,
        position: Position,
    ) -> WorkValue:
        """Convert one form (layout, value) to another; a conversion on the load path makes no new form."""
        held, source = held_form
        route = self._routes.find(source, held, layout, position)
        if route.via is Via.DMA and (asker.op in CONVOLUTIONS or asker.op in PRODUCTS):
            if route.efficiency != 1.0:
                asker.notes.setdefault(LOAD, {})[source.name] = route.efficiency
            return source
        target = self._work.new_value(f"{value.name}@{layout}", value.shape, value.dtype)
        target.layout = layout
        self._insert(asker, source, target, route, (held, layout))
        if value.forms is None:
            value.forms = {LOGICAL if held == MATRIX_LOGICAL else held: value}
        value.forms[layout] = target
        return target

    def _insert(
        self, asker: WorkNode, source: WorkValue, target: WorkValue, route: Route, pair: tuple[str, str]
    ) -> None:
        op = ROUND_TRIP if route.via is Via.HOST else CONVERSION
        node = inserted(op, asker, source, target, _STEP)
        node.name = f"{target.name}<-{pair[0]}"
        node.dtype = source.dtype
        node.notes["pair"] = pair
        node.notes[EFFICIENCY] = route.efficiency
        source.consumers.append(node)
        self._order.append(node)
        change = f"{source.name} {pair[0]} -> {pair[1]}"
        size = stored_bytes(source, pair[0], self._device) + stored_bytes(target, pair[1], self._device)
        if route.via is not Via.HOST:
            self._log.applied(
                LAYOUT,
                asker,
                f"{change} by a device kernel",
                after=(node.label,),
                saved=(-size, -1),
                details=self._routes.passed_over(source, route, *pair),
            )
            return
        facts = self._routes.missed_alignment(source, *pair)
        self._log.no_route(LAYOUT, asker, change, facts, size)

    def _moved(self, value: WorkValue, layout: str) -> WorkValue:
        """The result of a Transpose written in another layout: one move, always on the device."""
        transpose = value.producer
        if transpose is None:
            return value
        target = self._work.new_value(f"{value.name}@{layout}", value.shape, value.dtype)
        target.layout = layout
        operand = transpose.inputs[0]
        if operand is None:
            return value
        node = inserted(MOVE, transpose, operand, target, _STEP)
        node.name, node.attributes, node.dtype = transpose.name, transpose.attributes, value.dtype
        node.steps = transpose.steps
        node.sources = transpose.sources
        operand.consumers.append(node)
        self._order.append(node)
        if value.forms is not None:
            value.forms[layout] = target
        return target


def _forms(value: WorkValue) -> dict[str, WorkValue]:
    if value.forms is None:
        value.forms = {value.layout or LOGICAL: value}
    return value.forms


def _best_form(value: WorkValue) -> tuple[str, WorkValue]:
    """The form to convert from: the declared storage if it exists, else the first that was made."""
    forms = _forms(value)
    layout = value.layout or LOGICAL
    return (layout, forms[layout]) if layout in forms else next(iter(forms.items()))


def _is_flexible(value: WorkValue) -> bool:
    return value.layout == "*"


def _reads_own(user: WorkNode, value: WorkValue, is_image: bool) -> bool:  # noqa: FBT001 - private
    """The user is a kernel of the same kind and takes this value in its own layout."""
    if is_image:
        return user.op in CONVOLUTIONS and (user.inputs[0] is value or user.residual is value)
    return user.op in PRODUCTS and (value in user.inputs[:2] or user.residual is value)
