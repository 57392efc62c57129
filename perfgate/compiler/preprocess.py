"""Image preprocessing in the compiled model: the input becomes uint8 in channels-last order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.layouts import CHANNELS_LAST, IMAGE_LAYOUTS, RANK
from perfgate.compiler.passnames import LAYOUT
from perfgate.compiler.program import Unhandled
from perfgate.compiler.workgraph import inserted

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.preprocessing import Preprocessing
    from perfgate.compiler.workgraph import WorkGraph, WorkValue
    from perfgate.core.device import Device

_IMAGE_TYPE = "uint8"


def add_preprocessing(
    work: WorkGraph, log: PassLog, config: CompileConfig, device: Device
) -> list[Unhandled]:
    """Change the inputs that the preprocessing file names; the answer lists blocks that fit no input."""
    missed: list[Unhandled] = []
    for block in config.preprocessing:
        value = work.inputs[block.position] if block.position < len(work.inputs) else None
        if value is None or len(value.shape) != RANK or not value.consumers:
            missed.append(
                Unhandled(f"aipp_op of input {block.position}", "--insert_op_conf", "no 4-D input there")
            )
            continue
        if device.has_aipp:
            _in_load_path(log, value)
        else:
            _as_kernels(work, log, value, block)
    return missed


def _in_load_path(log: PassLog, value: WorkValue) -> None:
    """The load path delivers whatever layout and type the first kernel wants, for nothing."""
    before = value.size
    value.dtype = _IMAGE_TYPE
    value.layout = CHANNELS_LAST
    value.forms = dict.fromkeys(IMAGE_LAYOUTS, value)
    user = value.consumers[0]
    log.applied(
        LAYOUT, user, f"{value.name} is preprocessed while it is loaded", saved=(before - value.size, 0)
    )


def _as_kernels(work: WorkGraph, log: PassLog, value: WorkValue, block: Preprocessing) -> None:
    """One vector pass per step; the first also converts from uint8."""
    users = value.consumers
    first = users[0]
    result = work.new_value(f"{value.name}.preprocessed", value.shape, value.dtype)
    work.redirect(value, result)
    value.dtype, value.layout = _IMAGE_TYPE, CHANNELS_LAST
    operand = value
    steps = block.steps or ("convert",)
    nodes = []
    for step in steps:
        is_last = step == steps[-1]
        target = result if is_last else work.new_value(f"{value.name}.{step}", value.shape, result.dtype)
        node = inserted("Mul", first, operand, target, (LAYOUT, "inserted"))
        node.name = f"{value.name}.{step}"
        operand.consumers.append(node)
        nodes.append(node)
        operand = target
    log.applied(
        LAYOUT, first, f"{value.name} is preprocessed by {len(nodes)} vector kernels: no image unit",
        after=tuple(node.label for node in nodes), saved=(-2 * value.size * len(nodes), -len(nodes)),
    )  # fmt: skip
    work.reorder([*nodes, *work.nodes()])
