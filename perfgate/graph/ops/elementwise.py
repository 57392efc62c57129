"""Operators that work element by element, with broadcasting.

Work weights: add, compare, multiply 1; divide, square root 4; exp, log, sin 8; erf 12 (SIMULATOR section
7); a composed function is the sum of its steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.graph.ops.costs import free, vector, vector_per_operand
from perfgate.graph.ops.rows import Result, Row, Site, broadcast
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from collections.abc import Callable

UNARY: dict[str, tuple[int, int]] = {  # operator -> (work, FLOPs) for each element
    "Abs": (1, 1), "Neg": (1, 1), "Sign": (1, 1), "Floor": (1, 1), "Ceil": (1, 1), "Round": (1, 1),
    "Not": (1, 1), "BitwiseNot": (1, 1), "IsNaN": (1, 1), "IsInf": (1, 1),
    "Relu": (1, 1), "Clip": (2, 2), "LeakyRelu": (2, 2), "ThresholdedRelu": (2, 1), "Shrink": (3, 2),
    "HardSigmoid": (4, 4), "HardSwish": (5, 5), "Reciprocal": (4, 1), "Sqrt": (4, 1), "Softsign": (6, 3),
    "Exp": (8, 1), "Log": (8, 1), "Sin": (8, 1), "Cos": (8, 1), "Tan": (16, 1),
    "Asin": (16, 1), "Acos": (16, 1), "Atan": (16, 1), "Sinh": (16, 3), "Cosh": (16, 3), "Asinh": (16, 4),
    "Acosh": (16, 4), "Atanh": (16, 4), "Erf": (12, 1),
    "Elu": (11, 3), "Selu": (12, 4), "Celu": (16, 5), "Sigmoid": (13, 3), "Tanh": (15, 4),
    "Softplus": (17, 3), "Mish": (33, 8), "Swish": (14, 4),
}  # fmt: skip
BOOL_MASK_OPSET = 10
GELU_ERF = (16, 5)  # x/2 * (1 + erf(x / sqrt 2)): erf 12, three multiplies, one add
GELU_TANH = (22, 10)  # tanh 15 and a cubic polynomial

BINARY: dict[str, tuple[int, int]] = {
    "Add": (1, 1), "Sub": (1, 1), "Mul": (1, 1), "Div": (4, 1), "Pow": (16, 1), "Mod": (5, 1),
    "PRelu": (2, 2), "BitShift": (1, 1), "BitwiseAnd": (1, 1), "BitwiseOr": (1, 1), "BitwiseXor": (1, 1),
    "And": (1, 1), "Or": (1, 1), "Xor": (1, 1),
    "Equal": (1, 1), "Less": (1, 1), "LessOrEqual": (1, 1), "Greater": (1, 1), "GreaterOrEqual": (1, 1),
}  # fmt: skip
_TO_BOOL = {
    "And",
    "Or",
    "Xor",
    "Not",
    "Equal",
    "Less",
    "LessOrEqual",
    "Greater",
    "GreaterOrEqual",
    "IsNaN",
    "IsInf",
}

_UNARY_VALUES: dict[str, Callable[[Any], Any]] = {
    "Abs": np.abs, "Neg": np.negative, "Sign": np.sign, "Floor": np.floor, "Ceil": np.ceil, "Round": np.round,
    "Not": np.logical_not, "Sqrt": np.sqrt, "Reciprocal": np.reciprocal, "Exp": np.exp, "Log": np.log,
    "Relu": lambda x: np.maximum(x, 0), "BitwiseNot": np.invert, "IsNaN": np.isnan,
}  # fmt: skip
_BINARY_VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Pow": np.power,
    "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor, "Equal": np.equal, "Less": np.less,
    "LessOrEqual": np.less_equal, "Greater": np.greater, "GreaterOrEqual": np.greater_equal,
}  # fmt: skip


def same(site: Site) -> list[Result]:
    """The output has the shape and type of the first input."""
    source = site.tensor(0)
    return [(source.shape, source.dtype)]


def _unary_to_bool(site: Site) -> list[Result]:
    return [(site.tensor(0).shape, "bool")]


def _binary(site: Site) -> list[Result]:
    left, right = site.tensor(0), site.tensor(1)
    shape = left.shape if left.shape == right.shape else broadcast(left.shape, right.shape)
    return [(shape, left.dtype)]


def _binary_to_bool(site: Site) -> list[Result]:
    return [(broadcast(site.tensor(0).shape, site.tensor(1).shape), "bool")]


def _variadic(site: Site) -> list[Result]:
    first = site.tensor(0)
    shape = first.shape
    for position in range(1, len(site.inputs)):
        shape = broadcast(shape, site.tensor(position).shape)
    return [(shape, first.dtype)]


def _prelu(site: Site) -> list[Result]:
    source, slope = site.tensor(0), site.tensor(1)
    per_channel = (
        len(source.shape) > 1 and slope.shape == source.shape[1:2]
    )  # the form before opset 7, still common
    if not per_channel and broadcast(source.shape, slope.shape) != source.shape:
        raise mismatch(f"slope {list(slope.shape)} does not stretch to {list(source.shape)}")
    return [(source.shape, source.dtype)]


def _where(site: Site) -> list[Result]:
    yes, no = site.tensor(1), site.tensor(2)
    return [(broadcast(broadcast(site.tensor(0).shape, yes.shape), no.shape), yes.dtype)]


def operand_values(site: Site) -> list[Any]:
    """Values of the given inputs, in order."""
    return [tensor.value for tensor in site.inputs if tensor is not None]


def _unary_value(site: Site, results: list[Result]) -> list[Any]:
    return [np.asarray(_UNARY_VALUES[site.op](site.tensor(0).value)).astype(results[0][1])]


def _binary_value(site: Site, results: list[Result]) -> list[Any]:
    left, right = operand_values(site)
    return [np.asarray(_BINARY_VALUES[site.op](left, right)).astype(results[0][1])]


def _divide_value(site: Site, _results: list[Result]) -> list[Any]:
    left, right = operand_values(site)
    if not np.issubdtype(left.dtype, np.integer):
        return [np.asarray(np.divide(left, right))]
    if not right.all():
        return [None]
    # ONNX integer division truncates toward zero as C does; numpy's floors.
    quotient = np.abs(left) // np.abs(right)
    return [np.asarray(np.where((left < 0) != (right < 0), -quotient, quotient)).astype(left.dtype)]


def _modulo_value(site: Site, _results: list[Result]) -> list[Any]:
    left, right = operand_values(site)
    if np.issubdtype(left.dtype, np.integer) and not right.all():
        return [None]
    return [np.asarray((np.fmod if site.attributes.get("fmod") else np.mod)(left, right))]


def _reduced_value(function: Callable[[Any, Any], Any]) -> Callable[[Site, list[Result]], list[Any]]:
    def value(site: Site, results: list[Result]) -> list[Any]:
        total, *rest = operand_values(site)
        for operand in rest:
            total = function(total, operand)
        return [np.asarray(total).astype(results[0][1])]

    return value


def _where_value(site: Site, results: list[Result]) -> list[Any]:
    condition, yes, no = operand_values(site)
    return [np.where(condition, yes, no).astype(results[0][1])]


def _clip_value(site: Site, _results: list[Result]) -> list[Any]:
    value = site.tensor(0).value
    low, high = site.optional(1), site.optional(2)
    if low is not None:
        value = np.maximum(value, low.value)
    if high is not None:
        value = np.minimum(value, high.value)
    if "min" in site.attributes or "max" in site.attributes:
        value = np.clip(value, site.attributes.get("min", -np.inf), site.attributes.get("max", np.inf))
    return [np.asarray(value).astype(site.tensor(0).dtype)]


def pass_through(site: Site, _results: list[Result]) -> list[Any]:
    """The value of the first input, unchanged."""
    return [site.tensor(0).value]


def _dropout(site: Site) -> list[Result]:
    source = site.tensor(0)
    mask_type = "bool" if site.opset >= BOOL_MASK_OPSET else source.dtype
    return [(source.shape, source.dtype), (source.shape, mask_type)][: site.outputs]


def _gelu_row() -> Row:
    erf, tanh = vector(*GELU_ERF), vector(*GELU_TANH)
    return Row(
        shape=same,
        cost=lambda node, inputs, outputs: (tanh if node.attributes.get("approximate") == "tanh" else erf)(
            node, inputs, outputs
        ),
    )


def _unary_rows() -> dict[str, Row]:
    return {
        name: Row(
            shape=_unary_to_bool if name in _TO_BOOL else same,
            cost=vector(*weights),
            value=_unary_value if name in _UNARY_VALUES else None,
        )
        for name, weights in UNARY.items()
    }


def _binary_rows() -> dict[str, Row]:
    return {
        name: Row(
            shape=_binary_to_bool if name in _TO_BOOL else _binary,
            cost=vector(*weights),
            value=_binary_value if name in _BINARY_VALUES else None,
        )
        for name, weights in BINARY.items()
    }


ROWS: dict[str, Row] = {
    **_unary_rows(),
    **_binary_rows(),
    "PRelu": Row(shape=_prelu, cost=vector(*BINARY["PRelu"])),
    "Clip": Row(shape=same, cost=vector(2, 2), value=_clip_value),
    "Div": Row(shape=_binary, cost=vector(*BINARY["Div"]), value=_divide_value),
    "Mod": Row(shape=_binary, cost=vector(*BINARY["Mod"]), value=_modulo_value),
    "Min": Row(shape=_variadic, cost=vector_per_operand(1), value=_reduced_value(np.minimum)),
    "Max": Row(shape=_variadic, cost=vector_per_operand(1), value=_reduced_value(np.maximum)),
    "Sum": Row(shape=_variadic, cost=vector_per_operand(1), value=_reduced_value(np.add)),
    "Mean": Row(shape=_variadic, cost=vector_per_operand(1)),
    "Where": Row(shape=_where, cost=vector(1), value=_where_value),
    "Gelu": _gelu_row(),
    "Identity": Row(shape=same, cost=free, value=pass_through),
    "Dropout": Row(shape=_dropout, cost=free, parameters=(1, 2)),
}
