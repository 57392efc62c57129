"""Operators that only rename axes: the bytes stay where they are (Transpose excepted)."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfgate.graph.ops.costs import free, move
from perfgate.graph.ops.rows import Result, Row, Shape, Site, axis_of, product
from perfgate.graph.problems import mismatch


def reshaped(shape: Shape, wanted: Shape, *, allow_zero: bool) -> Shape:
    """Target shape with 0 (copy the axis) and one -1 (the rest) filled in."""
    sizes = list(wanted)
    if not allow_zero:
        for index, size in enumerate(sizes):
            if size == 0:
                if index >= len(shape):
                    raise mismatch(
                        f"target {list(wanted)} copies axis {index}, which {list(shape)} does not have"
                    )
                sizes[index] = shape[index]
    total = product(shape)
    holes = sizes.count(-1)
    if holes:
        known = -product(tuple(sizes)) if holes == 1 else 0
        if known > 0 and total % known == 0:
            sizes[sizes.index(-1)] = total // known
        elif holes == 1 and known == 0 and total == 0:
            sizes[sizes.index(-1)] = 0
        else:
            raise mismatch(f"{list(shape)} ({total} elements) cannot become {list(wanted)}")
    if min(sizes, default=0) < 0 or product(tuple(sizes)) != total:
        raise mismatch(f"{list(shape)} ({total} elements) cannot become {list(wanted)}")
    return tuple(sizes)


def _reshape(site: Site) -> list[Result]:
    source = site.tensor(0)
    wanted = site.integers(1, "target shape")
    if wanted is None:
        wanted = site.attributes.get("shape", ())
    return [(reshaped(source.shape, wanted, allow_zero=bool(site.attributes.get("allowzero"))), source.dtype)]


def _flatten(site: Site) -> list[Result]:
    source = site.tensor(0)
    rank = len(source.shape)
    axis = site.attributes.get("axis", 1)
    if not -rank <= axis <= rank:
        raise mismatch(f"axis {axis} is outside rank {rank}", "use an axis within the tensor's rank")
    axis = axis + rank if axis < 0 else axis
    return [((product(source.shape[:axis]), product(source.shape[axis:])), source.dtype)]


def _axes(site: Site) -> Shape | None:
    axes = site.integers(1, "axes")
    return axes if axes is not None else site.attributes.get("axes")


def _squeeze(site: Site) -> list[Result]:
    source = site.tensor(0)
    axes = _axes(site)
    if axes is None:
        return [(tuple(size for size in source.shape if size != 1), source.dtype)]
    dropped = {axis_of(axis, len(source.shape)) for axis in axes}
    for axis in sorted(dropped):
        if source.shape[axis] != 1:
            raise mismatch(
                f"axis {axis} of {list(source.shape)} is {source.shape[axis]}, only 1 can be squeezed"
            )
    return [(tuple(s for i, s in enumerate(source.shape) if i not in dropped), source.dtype)]


def _unsqueeze(site: Site) -> list[Result]:
    source = site.tensor(0)
    axes = _axes(site)
    if axes is None:
        raise mismatch("axes are absent", "set the axes: Unsqueeze requires them")
    rank = len(source.shape) + len(axes)
    added = {axis_of(axis, rank) for axis in axes}
    if len(added) != len(axes):
        raise mismatch(f"axes {list(axes)} repeat", "name each axis once")
    rest = iter(source.shape)
    return [(tuple(1 if i in added else next(rest) for i in range(rank)), source.dtype)]


def _reshape_value(site: Site, results: list[Result]) -> list[Any]:
    return [site.tensor(0).value.reshape(results[0][0])]


def _transpose(site: Site) -> list[Result]:
    source = site.tensor(0)
    shape = source.shape
    order = site.attributes.get("perm")
    if order is None:
        return [(shape[::-1], source.dtype)]
    if sorted(order) != list(range(len(shape))):
        raise mismatch(f"perm {list(order)} is not an order of the {len(shape)} axes of {list(shape)}")
    return [(tuple([shape[axis] for axis in order]), source.dtype)]


def _transpose_value(site: Site, _results: list[Result]) -> list[Any]:
    return [np.transpose(site.tensor(0).value, site.attributes.get("perm"))]


def _shape(site: Site) -> list[Result]:
    rank = len(site.tensor(0).shape)
    return [((len(range(*_shape_range(site, rank))),), "int64")]


def _shape_range(site: Site, rank: int) -> tuple[int, int]:
    start, end, _ = slice(site.attributes.get("start"), site.attributes.get("end")).indices(rank)
    return start, end


def _shape_value(site: Site, _results: list[Result]) -> list[Any]:
    shape = site.tensor(0).shape
    start, end = _shape_range(site, len(shape))
    return [np.array(shape[start:end], dtype=np.int64)]


def _size(site: Site) -> list[Result]:
    site.tensor(0)
    return [((), "int64")]


def _size_value(site: Site, _results: list[Result]) -> list[Any]:
    return [np.array(site.tensor(0).elements, dtype=np.int64)]


ROWS: dict[str, Row] = {
    "Reshape": Row(shape=_reshape, cost=free, value=_reshape_value, parameters=(1,)),
    "Flatten": Row(shape=_flatten, cost=free, value=_reshape_value),
    "Squeeze": Row(shape=_squeeze, cost=free, value=_reshape_value, parameters=(1,)),
    "Unsqueeze": Row(shape=_unsqueeze, cost=free, value=_reshape_value, parameters=(1,)),
    "Transpose": Row(shape=_transpose, cost=move, value=_transpose_value),
    "Shape": Row(shape=_shape, cost=free, value=_shape_value, is_static=True, parameters=(0,)),
    "Size": Row(shape=_size, cost=free, value=_size_value, is_static=True, parameters=(0,)),
}
