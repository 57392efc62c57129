"""Pass 9, layout: which storage layout each 4-D tensor has, and which conversions that costs.

Pinned ports, graph inputs and operators that see the logical order fix layouts; agnostic operators take their
producer's, a Transpose absorbs one. `conversion.py` makes the forms that are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.conversion import FREE_VIEW, Converter
from perfgate.compiler.identity import permutation
from perfgate.compiler.layouts import BLOCKED, CHANNELS_LAST, LOGICAL, MATRIX_LOGICAL, RANK, has_layout
from perfgate.compiler.opclass import CONVOLUTIONS, LOGICAL_ORDER, PRODUCTS, SENSITIVE_VECTOR
from perfgate.core.device import Position

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue
    from perfgate.core.device import Device

_TO_CHANNELS_LAST = (0, 2, 3, 1)
_TO_CHANNELS_FIRST = (0, 3, 1, 2)
PACKED = "packed"  # note of a convolution whose few channels are not padded
SMALL_CHANNELS = 4  # --enable_small_channel
_TAKES_ANY = "*"  # layout of a Transpose's result: whatever the first user needs


def assign_layouts(work: WorkGraph, log: PassLog, config: CompileConfig, device: Device) -> None:
    """One walk in topological order: operands get the form the node needs, results get a layout."""
    _LayoutWalk(work, log, config, device).run()


class _LayoutWalk:
    """State of the pass."""

    __slots__ = (
        "_bare",
        "_convert",
        "_has_fractals",
        "_input_layout",
        "_matrix",
        "_native",
        "_order",
        "_packs_channels",
        "_pins",
        "_work",
    )

    def __init__(self, work: WorkGraph, log: PassLog, config: CompileConfig, device: Device) -> None:
        self._work = work
        self._order: list[WorkNode] = []
        self._convert = Converter(work, log, device, self._order)
        self._native = device.native_layout
        self._matrix = device.matrix_layout
        self._has_fractals = device.matrix_layout != MATRIX_LOGICAL
        self._bare = config.layout
        self._packs_channels = config.small_channel and device.native_layout == BLOCKED
        self._pins = config.type_layouts
        self._input_layout = config.input_layout

    def run(self) -> None:
        """Visit every node; inputs and outputs of the model are stored in the caller's order."""
        work = self._work
        for value in work.inputs:
            if has_layout(value):
                value.layout = self._input_layout
        for node in work.slots:
            if node is not None:
                self._visit(node)
        for value in work.outputs:
            if value.layout not in {"", LOGICAL} and value.producer is not None:
                self._convert.output(value, LOGICAL)
        work.reorder(self._order)

    def _visit(self, node: WorkNode) -> None:
        op = node.op
        if op in CONVOLUTIONS:
            self._convolution(node)
        elif op in PRODUCTS:
            self._product(node)
        elif op == "Transpose":
            self._transpose(node)
        elif op in SENSITIVE_VECTOR:
            self._sensitive(node)
        elif op in LOGICAL_ORDER or node.sources[0].is_estimated:
            self._logical(node)
        else:
            self._agnostic(node)

    def _pin(self, op: str) -> str:
        return self._pins.get(op, self._bare) if self._pins else self._bare

    def _logical(self, node: WorkNode) -> None:
        self._fix_logical(node)
        self._order.append(node)

    def _agnostic(self, node: WorkNode) -> None:
        chosen = ""
        for operand in node.inputs:
            layout = "" if operand is None else operand.layout
            if (
                layout
                and (not chosen or chosen == _TAKES_ANY or layout == self._preferred())
                and layout != _TAKES_ANY
            ) or (layout and not chosen):
                chosen = layout
        if not chosen:
            self._order.append(node)
            return
        if chosen == _TAKES_ANY:
            chosen = CHANNELS_LAST
        for position, operand in enumerate(node.inputs):
            if operand is not None and operand.layout != chosen and has_layout(operand):
                node.inputs[position] = self._convert.form(node, operand, chosen)
        self._set_results(node, chosen)
        self._order.append(node)

    def _preferred(self) -> str:
        return self._bare or self._native

    def _sensitive(self, node: WorkNode) -> None:
        data = node.inputs[0]
        if data is None or not has_layout(data):
            self._logical(node)
            return
        layout = self._pin(node.op) or data.layout or LOGICAL
        if layout == _TAKES_ANY:
            layout = CHANNELS_LAST
        node.inputs[0] = self._convert.form(node, data, layout)
        self._set_results(node, layout)
        self._order.append(node)

    @staticmethod
    def _set_results(node: WorkNode, layout: str) -> None:
        for value in node.outputs:
            if has_layout(value):
                value.layout = layout

    def _convolution(self, node: WorkNode) -> None:
        pin = self._pin(node.op)
        data, residual = node.inputs[0], node.residual
        for position, operand in enumerate(node.inputs):
            if operand is None or not has_layout(operand):
                continue
            if operand is data:
                node.inputs[position] = self._convert.to_port(
                    node, operand, pin, self._data_layout(node, data)
                )
            elif operand is residual:
                node.inputs[position] = self._convert.to_port(node, operand, pin, self._native)
        self._order.append(node)
        result = node.outputs[0]
        if has_layout(result):
            self._convert.from_port(node, result, pin or self._native, self._native, Position.PORT)

    def _data_layout(self, node: WorkNode, data: WorkValue) -> str:
        """What a convolution reads; the first one may pack few channels: it takes them last, unpadded."""
        is_first, self._packs_channels = self._packs_channels, False
        if is_first and data.shape[1] <= SMALL_CHANNELS:
            node.notes[PACKED] = True
            return CHANNELS_LAST
        return self._native

    def _product(self, node: WorkNode) -> None:
        """Matrices see the logical order; a device with fractal matrices converts at their edges."""
        self._fix_logical(node)
        if self._has_fractals:
            for position, operand in enumerate(node.inputs):
                if operand is None or operand.is_constant or not _is_matrix_operand(node, position, operand):
                    continue
                node.inputs[position] = self._convert.to_matrix(node, operand, self._matrix)
        self._order.append(node)
        if self._has_fractals and node.outputs and len(node.outputs[0].shape) > 1:
            self._convert.from_port(node, node.outputs[0], MATRIX_LOGICAL, self._matrix, Position.EDGE)

    def _fix_logical(self, node: WorkNode) -> None:
        for position, operand in enumerate(node.inputs):
            if operand is not None and operand.layout not in {"", LOGICAL}:
                node.inputs[position] = self._convert.form(node, operand, LOGICAL)

    def _transpose(self, node: WorkNode) -> None:
        """A free view where the storage order equals the result, else a move; never over the host."""
        source, result = node.inputs[0], node.outputs[0]
        order = permutation(node)
        self._order.append(node)
        if source is None or len(result.shape) != RANK:
            return
        if order == _TO_CHANNELS_LAST:
            view = (
                source.forms.get(CHANNELS_LAST)
                if source.forms
                else source
                if source.layout == CHANNELS_LAST
                else None
            )
            if view is not None:
                node.inputs[0] = view
                node.notes[FREE_VIEW] = True
        elif order == _TO_CHANNELS_FIRST and has_layout(result):
            self._order.pop()
            self._logical(node)
            node.notes[FREE_VIEW] = True
            result.layout = _TAKES_ANY
            result.forms = {CHANNELS_LAST: result}


def _is_matrix_operand(node: WorkNode, position: int, operand: WorkValue) -> bool:
    """The two factors, a fused residual, and the values of an attention block."""
    if position < 2 or operand is node.residual:  # noqa: PLR2004 - the factors come first
        return len(operand.shape) > 1
    return node.notes.get("pattern") == "attention" and position == len(node.inputs) - 1
