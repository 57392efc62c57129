"""Norms and softmax: every element depends on a row, a channel or a neighbourhood.

Work for each element: softmax max 1, subtract 1, exp 8, sum 1, divide 4 = 15; a norm sums, subtracts,
squares, sums, scales twice and shifts = 7; a batch norm at inference is one multiply and one add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ops.costs import total_bytes, vector
from perfgate.graph.ops.elementwise import same
from perfgate.graph.ops.rows import CostRule, OpFacts, OpKind, Result, Row, Shape, Site, axis_of, product
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.graph.ir import Node, Tensor

SOFTMAX_WORK = (15, 5)
NORM_WORK = (7, 7)
PER_AXIS_SOFTMAX_OPSET = 13  # before it, softmax flattened everything behind `axis` into one row
CHANNEL_AXIS = 1


def _norm_cost(weights: tuple[int, int], row_of: Callable[[Node, Shape], int]) -> CostRule:
    work, flops = weights

    def cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
        elements = outputs[0].elements
        return OpFacts(
            kind=OpKind.VECTOR,
            flops=flops * elements,
            vector_work=work * elements,
            row=row_of(node, outputs[0].shape),
            read_bytes=total_bytes(inputs),
            write_bytes=total_bytes(outputs),
        )

    return cost


def _softmax(site: Site) -> list[Result]:
    source = site.tensor(0)
    if site.opset < PER_AXIS_SOFTMAX_OPSET:
        # Cost rules see attributes only, so the old meaning is written there.
        site.attributes.setdefault("axis", 1)
        site.attributes["is_flattened"] = 1
    axis = site.attributes.get("axis", -1)
    if axis != len(source.shape):  # the flattening form allows one past the end
        axis_of(axis, len(source.shape))
    return [(source.shape, source.dtype)]


def _softmax_row(node: Node, shape: Shape) -> int:
    axis = node.attributes.get("axis", -1)
    if node.attributes.get("is_flattened"):
        return product(shape[axis:])
    return shape[axis] if -len(shape) <= axis < len(shape) else 1


def _layer_row(node: Node, shape: Shape) -> int:
    axis = node.attributes.get("axis", -1)
    return product(shape[axis:]) if axis else product(shape)


def _spatial_row(_node: Node, shape: Shape) -> int:
    return product(shape[2:])


def _group_row(node: Node, shape: Shape) -> int:
    groups: int = node.attributes.get("num_groups", 1)
    return product(shape[1:]) // max(1, groups)


def _layer_norm(site: Site) -> list[Result]:
    source = site.tensor(0)
    axis = axis_of(site.attributes.get("axis", -1), len(source.shape))
    _check_stretch(source.shape, site.optional(1), "scale")
    _check_stretch(source.shape, site.optional(2), "bias")
    statistics = (source.shape[:axis] + (1,) * (len(source.shape) - axis), "float32")
    return [(source.shape, source.dtype), statistics, statistics][: site.outputs]


def _check_stretch(shape: Shape, operand: Tensor | None, name: str) -> None:
    if operand is None:
        return
    given = operand.shape
    tail = shape[len(shape) - len(given) :]
    if len(given) > len(shape) or any(size not in {1, full} for size, full in zip(given, tail, strict=True)):
        raise mismatch(f"{name} {list(given)} does not broadcast to {list(shape)}")


def _channel_norm(site: Site) -> list[Result]:
    source = site.tensor(0)
    if len(source.shape) < CHANNEL_AXIS + 1:
        raise mismatch(f"the data {list(source.shape)} has no channel axis")
    channels = source.shape[CHANNEL_AXIS]
    groups = site.attributes.get("num_groups", 1)
    if groups < 1 or channels % groups:
        raise mismatch(f"{channels} channels do not divide into {groups} groups")
    fitting = ((channels,), (groups,))
    for position, operand in enumerate(site.inputs[1:], 1):
        if operand is None or operand.shape not in fitting:
            raise mismatch(
                f"input {position} {list(site.tensor(position).shape)} does not match the {channels} channels"
                f" of {list(source.shape)} (axis 1)"
            )
    return [(source.shape, source.dtype)]


def _batch_norm(site: Site) -> list[Result]:
    result = _channel_norm(site)
    running = [(operand.shape, operand.dtype) for operand in site.inputs[1:] if operand is not None][-2:]
    # Opset 7 and 9 name saved statistics as outputs 3 and 4: they have the same shapes.
    return (result + running + running)[: site.outputs]


def _rms_norm(site: Site) -> list[Result]:
    source = site.tensor(0)
    axis_of(site.attributes.get("axis", -1), len(source.shape))
    _check_stretch(source.shape, site.optional(1), "scale")
    return [(source.shape, source.dtype)]


def _lrn_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    # size squares and sums, then a power (16) and a divide.
    size = node.attributes.get("size", 1)
    return vector(2 * size + 20, 2 * size + 2)(node, inputs, outputs)


def _lp_norm(site: Site) -> list[Result]:
    source = site.tensor(0)
    axis_of(site.attributes.get("axis", -1), len(source.shape))
    return [(source.shape, source.dtype)]


def _axes_row(node: Node, shape: Shape) -> int:
    axes = node.attributes.get("axes", (0, 2, 3))
    return product(tuple(shape[axis] for axis in axes if -len(shape) <= axis < len(shape)))


ROWS: dict[str, Row] = {
    "BatchNormalization": Row(shape=_batch_norm, cost=vector(2, 2)),
    "InstanceNormalization": Row(shape=_channel_norm, cost=_norm_cost(NORM_WORK, _spatial_row)),
    "GroupNormalization": Row(shape=_channel_norm, cost=_norm_cost(NORM_WORK, _group_row)),
    "LayerNormalization": Row(shape=_layer_norm, cost=_norm_cost(NORM_WORK, _layer_row)),
    "RMSNormalization": Row(shape=_rms_norm, cost=_norm_cost((4, 4), _layer_row)),
    "MeanVarianceNormalization": Row(shape=same, cost=_norm_cost((6, 6), _axes_row)),
    "LRN": Row(shape=same, cost=_lrn_cost),
    "LpNormalization": Row(shape=_lp_norm, cost=_norm_cost((6, 3), _softmax_row)),
    "Softmax": Row(shape=_softmax, cost=_norm_cost(SOFTMAX_WORK, _softmax_row)),
    "LogSoftmax": Row(shape=_softmax, cost=_norm_cost((20, 6), _softmax_row)),
    "Hardmax": Row(shape=_softmax, cost=_norm_cost((2, 2), _softmax_row)),
}
