"""The op table: one row per operator of the default ONNX domain, and the facts of a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ops import (
    attention,
    borders,
    convolution,
    elementwise,
    generators,
    indexing,
    matrix,
    movement,
    normalization,
    pooling,
    quantization,
    recurrent,
    reduction,
    resampling,
    spectral,
    views,
)
from perfgate.graph.ops.costs import estimated
from perfgate.graph.ops.rows import OWN_DOMAIN, OpFacts, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.graph.ir import Node, Tensor

TABLE: dict[str, Row] = {
    **attention.ROWS,
    **borders.ROWS,
    **convolution.ROWS,
    **elementwise.ROWS,
    **generators.ROWS,
    **indexing.ROWS,
    **matrix.ROWS,
    **movement.ROWS,
    **normalization.ROWS,
    **pooling.ROWS,
    **quantization.ROWS,
    **recurrent.ROWS,
    **reduction.ROWS,
    **resampling.ROWS,
    **spectral.ROWS,
    **views.ROWS,
}


KNOWN_DOMAINS = frozenset({"", "ai.onnx", OWN_DOMAIN})


def row_of(op: str, domain: str) -> Row | None:
    """The table row, or None for an operator that is only estimated."""
    return TABLE.get(op) if domain in KNOWN_DOMAINS else None


def facts(node: Node, tensors: Mapping[str, Tensor]) -> OpFacts:
    """Class, MACs, FLOPs, matrix sizes and bytes of one execution of `node` (`repeat` is not applied).

    Operands that only steer the compiler (shapes, axes) are not counted as bytes.
    """
    row = None if node.is_estimated else row_of(node.op, node.domain)
    outputs = [tensors[name] for name in node.outputs if name]
    if row is None:
        return estimated(node, [tensors[name] if name else None for name in node.inputs], outputs)
    steering = row.parameters
    inputs = [
        tensors[name] if name and position not in steering else None
        for position, name in enumerate(node.inputs)
    ]
    return row.cost(node, inputs, outputs)


def data_inputs(node: Node) -> tuple[str, ...]:
    """Names of the inputs that a kernel reads; steering operands (shapes, axes, pads) are left out."""
    row = row_of(node.op, node.domain)
    if row is None or not row.parameters:
        return tuple(name for name in node.inputs if name)
    steering = row.parameters
    return tuple(name for position, name in enumerate(node.inputs) if name and position not in steering)
