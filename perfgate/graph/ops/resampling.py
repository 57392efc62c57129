"""Operators that change a map's resolution or rearrange its pixels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from perfgate.graph.ops.convolution import SPATIAL_START, per_axis
from perfgate.graph.ops.costs import move, total_bytes, vector
from perfgate.graph.ops.rows import OpFacts, OpKind, Result, Row, Shape, Site, axis_of, product
from perfgate.graph.problems import ValueNeeded, mismatch

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

SEPARATE_SIZES_OPSET = 11  # Resize 10 took (X, scales); 11 takes (X, roi, scales, sizes)
MAP_RANK, COLUMNS_RANK = 4, 3  # N, C, H, W; N, C x window, positions
LINEAR_WORK, CUBIC_WORK = 8, 36  # products and sums for 4 and 16 taps of a 2-D map, and the cubic's weights


def _floats(site: Site, position: int, meaning: str) -> tuple[float, ...]:
    operand = site.optional(position)
    if operand is None or 0 in operand.shape:
        return ()
    if operand.value is None:
        raise ValueNeeded(position, meaning)
    return tuple(operand.value.ravel().tolist())


def _scaled(shape: Shape, axes: Shape, scales: tuple[float, ...], extents: tuple[float, ...]) -> Shape:
    if len(scales) != len(axes):
        raise mismatch(f"scales {list(scales)} do not fit the {len(axes)} axes of {list(shape)}")
    sizes = list(shape)
    for axis, scale, extent in zip(axes, scales, extents, strict=True):
        if scale <= 0:
            raise mismatch(f"scale {scale} of axis {axis} is not positive", "use a scale above 0")
        # Single precision, as runtimes multiply: 10 * 0.7 is 7 there and 6.99... in double.
        sizes[axis] = int(np.floor(np.float32(shape[axis]) * np.float32(extent) * np.float32(scale)))
    return tuple(sizes)


def _sized(site: Site, shape: Shape, axes: Shape, sizes: Shape) -> Shape:
    if len(sizes) != len(axes):
        raise mismatch(f"sizes {list(sizes)} do not fit the {len(axes)} axes of {list(shape)}")
    policy = site.attributes.get("keep_aspect_ratio_policy", "stretch")
    result = list(shape)
    if policy == "stretch":
        for axis, size in zip(axes, sizes, strict=True):
            result[axis] = size
        return tuple(result)
    ratios = [size / shape[axis] for axis, size in zip(axes, sizes, strict=True)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    for axis in axes:
        result[axis] = math.floor(scale * shape[axis] + 0.5)
    return tuple(result)


def _resize(site: Site) -> list[Result]:
    source = site.tensor(0)
    shape = source.shape
    axes = tuple(axis_of(axis, len(shape)) for axis in site.attributes.get("axes") or range(len(shape)))
    scales = _floats(site, 1 if site.opset < SEPARATE_SIZES_OPSET else 2, "scales")
    if scales:
        extents = (1.0,) * len(axes)
        if site.attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize":
            roi = _floats(site, 1, "region of interest")
            if len(roi) == 2 * len(axes):
                extents = tuple(roi[i + len(axes)] - roi[i] for i in range(len(axes)))
        return [(_scaled(shape, axes, scales, extents), source.dtype)]
    sizes = site.integers(3, "sizes")
    if not sizes:
        raise mismatch("neither scales nor sizes are given", "give one of them")
    return [(_sized(site, shape, axes, sizes), source.dtype)]


def _upsample(site: Site) -> list[Result]:
    source = site.tensor(0)
    scales = site.attributes.get("scales") or _floats(site, 1, "scales")
    axes = tuple(range(len(source.shape)))
    return [(_scaled(source.shape, axes, tuple(scales), (1.0,) * len(axes)), source.dtype)]


def _resize_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    mode = node.attributes.get("mode", "nearest")
    if mode == "nearest":
        return move(node, inputs[:1], outputs)
    work = CUBIC_WORK if mode == "cubic" else LINEAR_WORK
    return vector(work, work)(node, inputs[:1], outputs)


def _grid_sample(site: Site) -> list[Result]:
    source, grid = site.tensor(0), site.tensor(1)
    rank = len(source.shape)
    if len(grid.shape) != rank or grid.shape[0] != source.shape[0] or grid.shape[-1] != rank - SPATIAL_START:
        raise mismatch(f"the grid {list(grid.shape)} does not address {list(source.shape)}")
    return [((*source.shape[:SPATIAL_START], *grid.shape[1:-1]), source.dtype)]


def _depth_to_space(site: Site) -> list[Result]:
    source = site.tensor(0)
    block = site.attributes.get("blocksize", 0)
    batch, channels, height, width = _four(source)
    if block < 1 or channels % (block * block):
        raise mismatch(
            f"{channels} channels of {list(source.shape)} do not divide into blocks of {block} x {block}"
        )
    return [((batch, channels // (block * block), height * block, width * block), source.dtype)]


def _space_to_depth(site: Site) -> list[Result]:
    source = site.tensor(0)
    block = site.attributes.get("blocksize", 0)
    batch, channels, height, width = _four(source)
    if block < 1 or height % block or width % block:
        raise mismatch(f"the map of {list(source.shape)} does not divide into blocks of {block} x {block}")
    return [((batch, channels * block * block, height // block, width // block), source.dtype)]


def _four(source: Tensor) -> tuple[int, int, int, int]:
    if len(source.shape) != MAP_RANK:
        raise mismatch(f"the data must be N,C,H,W, not {list(source.shape)}")
    batch, channels, height, width = source.shape
    return batch, channels, height, width


def _affine_grid(site: Site) -> list[Result]:
    theta = site.tensor(0)
    size = site.integers(1, "size") or ()
    if len(size) not in {4, 5}:
        raise mismatch(f"size {list(size)} is neither N,C,H,W nor N,C,D,H,W")
    return [((size[0], *size[SPATIAL_START:], len(size) - SPATIAL_START), theta.dtype)]


def _center_crop_pad(site: Site) -> list[Result]:
    source = site.tensor(0)
    wanted = site.integers(1, "shape") or ()
    axes = site.attributes.get("axes") or tuple(range(len(source.shape)))
    if len(wanted) != len(axes):
        raise mismatch(f"shape {list(wanted)} does not fit the axes {list(axes)}")
    sizes = list(source.shape)
    for axis, size in zip(axes, wanted, strict=True):
        sizes[axis_of(axis, len(sizes))] = size
    return [(tuple(sizes), source.dtype)]


def _col2im(site: Site) -> list[Result]:
    source = site.tensor(0)
    image, block = site.integers(1, "image shape") or (), site.integers(2, "block shape") or ()
    rank = len(image)
    if len(source.shape) != COLUMNS_RANK or len(block) != rank or source.shape[1] % max(1, product(block)):
        raise mismatch(f"columns {list(source.shape)} do not fit blocks of {list(block)}")
    per_axis(site.attributes, "pads", 2 * rank, 0)
    return [((source.shape[0], source.shape[1] // product(block), *image), source.dtype)]


def _col2im_cost(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    columns = inputs[0].elements if inputs[0] is not None else 0
    return OpFacts(
        kind=OpKind.VECTOR,
        flops=columns,
        vector_work=columns,
        read_bytes=total_bytes(inputs),
        write_bytes=total_bytes(outputs),
    )


ROWS: dict[str, Row] = {
    "Resize": Row(shape=_resize, cost=_resize_cost, parameters=(1, 2, 3)),
    "Upsample": Row(shape=_upsample, cost=_resize_cost, parameters=(1,)),
    "GridSample": Row(shape=_grid_sample, cost=vector(LINEAR_WORK + 6, LINEAR_WORK + 6)),
    "DepthToSpace": Row(shape=_depth_to_space, cost=move),
    "SpaceToDepth": Row(shape=_space_to_depth, cost=move),
    "AffineGrid": Row(shape=_affine_grid, cost=vector(4, 4), parameters=(1,)),
    "CenterCropPad": Row(shape=_center_crop_pad, cost=move, parameters=(1,)),
    "Col2Im": Row(shape=_col2im, cost=_col2im_cost, parameters=(1, 2)),
}
