"""Reductions, scans along an axis and selections of extreme elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.graph.ops.costs import total_bytes, vector_per_input
from perfgate.graph.ops.elementwise import same
from perfgate.graph.ops.rows import OpFacts, OpKind, Result, Row, Shape, Site, axis_of
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.graph.ir import Node, Tensor

REDUCE_WORK: dict[str, tuple[int, int]] = {  # operator -> (work, FLOPs) for each input element
    "ReduceSum": (1, 1), "ReduceMean": (1, 1), "ReduceMax": (1, 1), "ReduceMin": (1, 1), "ReduceProd": (1, 1),
    "ReduceL1": (2, 2), "ReduceL2": (2, 2), "ReduceSumSquare": (2, 2), "ReduceLogSum": (1, 1),
    "ReduceLogSumExp": (11, 4),
}  # fmt: skip
_VALUES: dict[str, Callable[..., Any]] = {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min,
    "ReduceProd": np.prod,
}  # fmt: skip
K_AS_INPUT_OPSET = 10  # TopK took k as an attribute before


def reduce_axes(site: Site, rank: int) -> Shape:
    """Axes that disappear, counted from the front; all of them by default."""
    axes = site.integers(1, "axes")
    if axes is None:
        axes = site.attributes.get("axes")
    if not axes:
        return () if site.attributes.get("noop_with_empty_axes") else tuple(range(rank))
    return tuple(axis_of(axis, rank) for axis in axes)


def without_axes(shape: Shape, axes: Shape, *, keep: bool) -> Shape:
    """The shape with `axes` reduced to 1 or removed."""
    if keep:
        return tuple(1 if index in axes else size for index, size in enumerate(shape))
    return tuple(size for index, size in enumerate(shape) if index not in axes)


def _reduce(site: Site) -> list[Result]:
    source = site.tensor(0)
    axes = reduce_axes(site, len(source.shape))
    shape = without_axes(source.shape, axes, keep=bool(site.attributes.get("keepdims", 1)))
    return [(shape, source.dtype)]


def _reduce_value(site: Site, results: list[Result]) -> list[Any]:
    source = site.tensor(0)
    axes = reduce_axes(site, len(source.shape))
    shape, dtype = results[0]
    if not source.value.size and site.op in {"ReduceMax", "ReduceMin", "ReduceMean"}:
        return [None]  # the extreme of nothing
    return [np.asarray(_VALUES[site.op](source.value, axis=axes)).reshape(shape).astype(dtype)]


def _arg(site: Site) -> list[Result]:
    source = site.tensor(0)
    axis = axis_of(site.attributes.get("axis", 0), len(source.shape))
    keep = bool(site.attributes.get("keepdims", 1))
    return [(without_axes(source.shape, (axis,), keep=keep), "int64")]


def _top_k(site: Site) -> list[Result]:
    source = site.tensor(0)
    if site.opset < K_AS_INPUT_OPSET:
        count = site.attributes.get("k", -1)
    else:
        count = (site.integers(1, "k") or (-1,))[0]
    axis = axis_of(site.attributes.get("axis", -1), len(source.shape))
    if not 0 <= count <= source.shape[axis]:
        raise mismatch(f"k = {count} is outside axis {axis} of {list(source.shape)}")
    shape = (*source.shape[:axis], count, *source.shape[axis + 1 :])
    return [(shape, source.dtype), (shape, "int64")][: site.outputs]


def _top_k_cost(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    # A heap of k: each element is compared once, and log2(k) times when it enters.
    source = inputs[0]
    elements = source.elements if source is not None else 0
    kept = max(tensor.shape[-1] if tensor.shape else 1 for tensor in outputs)
    work = elements * (1 + kept.bit_length())
    return OpFacts(
        kind=OpKind.VECTOR,
        flops=work,
        vector_work=work,
        read_bytes=total_bytes(inputs),
        write_bytes=total_bytes(outputs),
    )


ROWS: dict[str, Row] = {
    **{
        name: Row(
            shape=_reduce,
            cost=vector_per_input(*weights, with_row=True),
            value=_reduce_value if name in _VALUES else None,
            parameters=(1,),
        )
        for name, weights in REDUCE_WORK.items()
    },
    "ArgMax": Row(shape=_arg, cost=vector_per_input(2, 1, with_row=True)),
    "ArgMin": Row(shape=_arg, cost=vector_per_input(2, 1, with_row=True)),
    "CumSum": Row(shape=same, cost=vector_per_input(1), parameters=(1,)),
    "CumProd": Row(shape=same, cost=vector_per_input(1), parameters=(1,)),
    "TopK": Row(shape=_top_k, cost=_top_k_cost, parameters=(1,)),
}
