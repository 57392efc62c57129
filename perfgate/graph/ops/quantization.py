"""Changes of the element type: casts, quantisation and its inverse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfgate.graph.ops.costs import free, move, vector
from perfgate.graph.ops.rows import OpFacts, Result, Row, Site
from perfgate.graph.problems import mismatch
from perfgate.graph.protobuf import NUMPY_TYPES, element_type

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

_QUANTIZE = vector(8, 4)  # divide 4, round, add, saturate twice
_CAST = vector(1, 1)


def _cast(site: Site) -> list[Result]:
    code = site.attributes.get("to")
    if code is None:
        raise mismatch("the attribute 'to' is absent", "set the target type")
    return [(site.tensor(0).shape, element_type(code, site.op))]


def _cast_like(site: Site) -> list[Result]:
    return [(site.tensor(0).shape, site.tensor(1).dtype)]


def _cast_value(site: Site, results: list[Result]) -> list[Any]:
    value, dtype = site.tensor(0).value, results[0][1]
    if dtype not in NUMPY_TYPES or site.tensor(0).dtype not in NUMPY_TYPES:
        return [None]
    return [value.astype(dtype)]


def _cast_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    source = inputs[0]
    if source is not None and source.dtype == outputs[0].dtype:
        return free(node, inputs, outputs)
    return _CAST(node, inputs[:1], outputs)


def _quantize(site: Site) -> list[Result]:
    source, zero = site.tensor(0), site.optional(2)
    site.tensor(1)
    code = site.attributes.get("output_dtype")
    if zero is not None:
        return [(source.shape, zero.dtype)]
    return [(source.shape, element_type(code, site.op) if code else "uint8")]


def _dequantize(site: Site) -> list[Result]:
    source, scale = site.tensor(0), site.tensor(1)
    code = site.attributes.get("output_dtype")
    return [(source.shape, element_type(code, site.op) if code else scale.dtype)]


def _dynamic_quantize(site: Site) -> list[Result]:
    results = [(site.tensor(0).shape, "uint8"), ((), "float32"), ((), "uint8")]
    return results[: site.outputs]


ROWS: dict[str, Row] = {
    "Cast": Row(shape=_cast, cost=_cast_cost, value=_cast_value),
    "CastLike": Row(shape=_cast_like, cost=_cast_cost, value=_cast_value, parameters=(1,)),
    "BitCast": Row(shape=_cast, cost=move),
    "QuantizeLinear": Row(shape=_quantize, cost=_QUANTIZE),
    "DequantizeLinear": Row(shape=_dequantize, cost=vector(2, 2)),
    "DynamicQuantizeLinear": Row(shape=_dynamic_quantize, cost=vector(10, 6)),
}
