"""Pools: a window or the whole map becomes one element per channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ops.convolution import SPATIAL_START, per_axis, window_sizes
from perfgate.graph.ops.costs import move, total_bytes, vector_per_input
from perfgate.graph.ops.rows import CostRule, OpFacts, OpKind, Result, Row, Site, product
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

MAP_RANK = 4  # N, C, H, W


def _pool(site: Site) -> list[Result]:
    data = site.tensor(0)
    if len(data.shape) <= SPATIAL_START:
        raise mismatch(f"a pool needs data of rank 3 or more, not {list(data.shape)}")
    kernel = site.attributes.get("kernel_shape")
    if kernel is None:
        raise mismatch("kernel_shape is absent", "set it: pools require it")
    sizes = window_sizes(data.shape[SPATIAL_START:], tuple(kernel), site.attributes)
    shape = (*data.shape[:SPATIAL_START], *sizes)
    return [(shape, data.dtype), (shape, "int64")][: site.outputs]


def _global_pool(site: Site) -> list[Result]:
    data = site.tensor(0)
    if len(data.shape) < SPATIAL_START:
        raise mismatch(f"a global pool needs N and C axes, not {list(data.shape)}")
    ones = (1,) * (len(data.shape) - SPATIAL_START)
    return [((*data.shape[:SPATIAL_START], *ones), data.dtype)]


def _window_cost(work: int) -> CostRule:
    def cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
        steps = outputs[0].elements * product(node.attributes.get("kernel_shape", ()))
        return OpFacts(
            kind=OpKind.VECTOR,
            flops=work * steps,
            vector_work=work * steps,
            read_bytes=total_bytes(inputs),
            write_bytes=total_bytes(outputs),
        )

    return cost


def _max_unpool(site: Site) -> list[Result]:
    data = site.tensor(0)
    declared = site.integers(2, "output shape")
    if declared is not None:
        return [(declared, data.dtype)]
    rank = len(data.shape) - SPATIAL_START
    kernel = per_axis(site.attributes, "kernel_shape", rank, 1)
    strides = per_axis(site.attributes, "strides", rank, 1)
    pads = per_axis(site.attributes, "pads", 2 * rank, 0)
    sizes = (
        (data.shape[SPATIAL_START + i] - 1) * strides[i] + kernel[i] - pads[i] - pads[i + rank]
        for i in range(rank)
    )
    return [((*data.shape[:SPATIAL_START], *sizes), data.dtype)]


def _roi(site: Site) -> list[Result]:
    data, regions = site.tensor(0), site.tensor(1)
    if len(data.shape) != MAP_RANK or len(regions.shape) != SPATIAL_START:
        raise mismatch(
            f"RoI pooling takes N,C,H,W and a matrix, not {list(data.shape)}, {list(regions.shape)}"
        )
    if site.op == "MaxRoiPool":
        height, width = site.attributes.get("pooled_shape", (1, 1))
    else:
        height, width = site.attributes.get("output_height", 1), site.attributes.get("output_width", 1)
    return [((regions.shape[0], data.shape[1], height, width), data.dtype)]


def _roi_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    ratio = node.attributes.get("sampling_ratio", 0) or 2
    steps = outputs[0].elements * ratio * ratio * 8  # four products and sums for each bilinear sample
    return OpFacts(
        kind=OpKind.VECTOR,
        flops=steps,
        vector_work=steps,
        read_bytes=total_bytes(inputs),
        write_bytes=total_bytes(outputs),
    )


ROWS: dict[str, Row] = {
    "MaxPool": Row(shape=_pool, cost=_window_cost(1)),
    "AveragePool": Row(shape=_pool, cost=_window_cost(1)),
    "LpPool": Row(shape=_pool, cost=_window_cost(2)),
    "GlobalAveragePool": Row(shape=_global_pool, cost=vector_per_input(1, with_row=True)),
    "GlobalMaxPool": Row(shape=_global_pool, cost=vector_per_input(1, with_row=True)),
    "GlobalLpPool": Row(shape=_global_pool, cost=vector_per_input(2, 2, with_row=True)),
    "MaxUnpool": Row(shape=_max_unpool, cost=move, parameters=(2,)),
    "RoiAlign": Row(shape=_roi, cost=_roi_cost),
    "MaxRoiPool": Row(shape=_roi, cost=_roi_cost),
}
