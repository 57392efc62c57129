"""Pass 8, quantise: int8 matrix kernels, from a QDQ model or because the command asks for them.

Weights are symmetric per output channel: scale = max abs / 127. The store path of any kernel quantises and
dequantises for nothing; where it cannot, because users disagree, a Quant kernel is inserted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.compiler.opclass import PRODUCTS
from perfgate.compiler.passnames import QUANTISE
from perfgate.compiler.workgraph import inserted

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue
    from perfgate.core.device import Device

MOST_INT8 = 127
_QUANTISABLE = ("Conv", "ConvTranspose", "MatMul", "Gemm")
_INT8 = "int8"
_STEP = (QUANTISE, "inserted")


def quantised_weights(weights: Any, axis: int = 0) -> tuple[Any, Any]:  # noqa: ANN401 - numpy arrays
    """Int8 values and one scale per index of `axis`; the round trip is off by at most half a scale.

    A channel of zeros gets scale 1, any scale would do.
    """
    others = tuple(index for index in range(weights.ndim) if index != axis)
    largest = np.abs(weights).max(axis=others, keepdims=True)
    scales = np.where(largest > 0, largest / MOST_INT8, 1.0)
    values = np.clip(np.rint(weights / scales), -MOST_INT8, MOST_INT8).astype(np.int8)
    return values, scales


def quantise(work: WorkGraph, log: PassLog, config: CompileConfig, device: Device) -> None:
    """Fuse QDQ pairs around matrix operators; with `quantize: int8` also quantise float ones."""
    is_qdq = bool(work.of("DequantizeLinear"))
    if not is_qdq and not config.quantise:
        return
    candidates = [node for node in work.nodes() if node.op in _QUANTISABLE]
    chosen = [node for node in candidates if _is_candidate(node, log, config, device)]
    if is_qdq:
        _fuse_pairs(work, log, chosen)
    if config.quantise:
        _quantise_floats(work, log, [node for node in chosen if node.dtype != _INT8])


def _is_candidate(node: WorkNode, log: PassLog, config: CompileConfig, device: Device) -> bool:
    if node.name in config.quantise_exclude or node.sources[0].scope in config.quantise_exclude:
        log.refused(QUANTISE, node, "excluded", f"{node.name} is on the exclude list")
        return False
    if device.matrix_rate(_INT8) == 0.0:
        log.refused(QUANTISE, node, "unsupported-type", f"{device.name} has no int8 products")
        return False
    weight = _dequantised(node.inputs[1]) or node.inputs[1]
    if weight is None or not weight.is_constant:
        log.refused(
            QUANTISE, node, "dynamic-scale", "both operands are computed at run time, so no scale is known"
        )
        return False
    return True


def _dequantised(value: WorkValue | None) -> WorkValue | None:
    """The quantised operand behind a DequantizeLinear with a constant scale."""
    node = value.producer if value is not None else None
    if node is None or node.op != "DequantizeLinear":
        return None
    scale = node.inputs[1]
    return node.inputs[0] if scale is not None and scale.is_constant else None


def _fuse_pairs(work: WorkGraph, log: PassLog, nodes: list[WorkNode]) -> None:
    """DequantizeLinear before and QuantizeLinear behind a matrix operator become part of its kernel."""
    for node in nodes:
        data = _dequantised(node.inputs[0])
        if data is None:
            if not _has_pair(node):
                continue
            log.refused(QUANTISE, node, "dynamic-scale", "the scale of an operand is computed at run time")
            continue
        removed = 0
        for position, operand in enumerate(node.inputs):
            source = _dequantised(operand)
            if source is not None and operand is not None:
                removed += _read_past(work, node, position, (operand, source))
        node.dtype = _INT8
        weight = node.inputs[1]
        if weight is not None and weight.is_constant:  # its DequantizeLinear was folded
            weight.dtype = _INT8
        removed += _store_quantised(work, node)
        log.applied(
            QUANTISE, node, "quantised kernel", after=(node.label,), saved=(node.outputs[0].size, removed)
        )


def _has_pair(node: WorkNode) -> bool:
    operand = node.inputs[0]
    return operand is not None and operand.producer is not None and operand.producer.op == "DequantizeLinear"


def _read_past(work: WorkGraph, node: WorkNode, position: int, pair: tuple[WorkValue, WorkValue]) -> int:
    """Read the quantised operand; a DequantizeLinear without other users goes."""
    old, new = pair
    node.inputs[position] = new
    if not old.is_constant:
        old.consumers.remove(node)
    if not new.is_constant:
        new.consumers.append(node)
    dequantise = old.producer
    if dequantise is None or old.consumers or old.is_output:
        return 0
    work.remove(dequantise)
    node.sources += dequantise.sources
    return 1


def _store_quantised(work: WorkGraph, node: WorkNode) -> int:
    """Take a QuantizeLinear that is the only user of the result into the store path."""
    result = node.outputs[0]
    users = result.consumers
    if (
        len(users) != 1
        or result.is_output
        or users[0].op != "QuantizeLinear"
        or users[0].inputs[0] is not result
    ):
        return 0
    scale = users[0].inputs[1]
    if scale is None or not scale.is_constant:
        return 0
    kept = len(node.inputs)
    work.absorb(node, users[0], result, step=(QUANTISE, "fused"))
    del node.inputs[kept:]
    node.epilogue.pop()
    return 1


def _quantise_floats(work: WorkGraph, log: PassLog, nodes: list[WorkNode]) -> None:
    chosen = {id(node) for node in nodes}
    before: dict[int, list[WorkNode]] = {}
    shared: dict[str, WorkValue] = {}
    for node in nodes:
        data, weight = node.inputs[0], node.inputs[1]
        if data is None or weight is None:
            continue
        node.dtype = weight.dtype = _INT8
        saved = weight.elements
        if data.dtype != _INT8 and not data.is_constant:
            if _all_want_int8(data, chosen) and _can_store(data):
                data.dtype = _INT8
                saved += data.elements
            else:
                quant = _quant_kernel(work, node, data, shared)
                if quant is not None:
                    before.setdefault(id(node), []).append(quant)
        log.applied(QUANTISE, node, _scale_text(weight, node.op), after=(node.label,), saved=(saved, 0))
    if before:
        order: list[WorkNode] = []
        for node in work.nodes():
            order.extend(before.get(id(node), ()))
            order.append(node)
        work.reorder(order)


def _scale_text(weight: WorkValue, op: str) -> str:
    if weight.value is None:
        return "int8 kernel, weights per output channel"
    axis = weight.value.ndim - 1 if op in PRODUCTS else 0
    _, scales = quantised_weights(np.asarray(weight.value, dtype=np.float64), axis)
    return f"int8 kernel, weights per output channel, largest scale {float(scales.max()):.6g}"


def _all_want_int8(value: WorkValue, chosen: set[int]) -> bool:
    return not value.is_output and all(
        id(user) in chosen and user.inputs[0] is value for user in value.consumers
    )


def _can_store(value: WorkValue) -> bool:
    """The producer computes, so its store path can quantise; a view or the caller's copy cannot."""
    node = value.producer
    return node is not None and node.op not in _NO_STORE_PATH


_NO_STORE_PATH = frozenset(
    {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Concat", "Split", "Slice", "LoopEnter"}
)


def _quant_kernel(
    work: WorkGraph, node: WorkNode, data: WorkValue, shared: dict[str, WorkValue]
) -> WorkNode | None:
    """Let the node read an int8 form of its data; the kernel that makes it, if it is new."""
    found = shared.get(data.name)
    created = None
    if found is None:
        found = shared[data.name] = work.new_value(f"{data.name}.{_INT8}", data.shape, _INT8)
        created = inserted("QuantizeLinear", node, data, found, _STEP)
        created.dtype = _INT8
        data.consumers.append(created)
    data.consumers.remove(node)
    found.consumers.append(node)
    node.inputs[0] = found
    return created
