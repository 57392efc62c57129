"""Operators that copy elements to other places: concatenation, slices, padding, repetition."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfgate.graph.ops.costs import gather, generate, move
from perfgate.graph.ops.elementwise import operand_values
from perfgate.graph.ops.rows import Result, Row, Shape, Site, axis_of, broadcast
from perfgate.graph.problems import ValueNeeded, mismatch

NEW_FORM_OPSET = 10  # Slice (10), Pad (11) and Split (13) moved attributes to inputs


def _concat(site: Site) -> list[Result]:
    first = site.tensor(0)
    rank = len(first.shape)
    axis = axis_of(site.attributes.get("axis", 1), rank)
    total = 0
    before, after = first.shape[:axis], first.shape[axis + 1 :]
    for position in range(len(site.inputs)):
        shape = site.tensor(position).shape
        if len(shape) != rank or shape[:axis] != before or shape[axis + 1 :] != after:
            axes = [i for i in range(min(rank, len(shape))) if i != axis and shape[i] != first.shape[i]]
            raise mismatch(
                f"{list(first.shape)} and {list(shape)} cannot be joined along axis {axis}: "
                + (f"axes {axes} differ" if axes else "the ranks differ")
            )
        total += shape[axis]
    return [((*before, total, *after), first.dtype)]


def _concat_value(site: Site, _results: list[Result]) -> list[Any]:
    return [np.concatenate(operand_values(site), axis=site.attributes.get("axis", 1))]


def split_sizes(site: Site, size: int) -> Shape:
    """Lengths of the parts along the split axis."""
    sizes = site.integers(1, "split sizes") or site.attributes.get("split")
    if sizes:
        if sum(sizes) != size or min(sizes) < 0 or len(sizes) < site.outputs:
            raise mismatch(f"split {list(sizes)} does not add up to {size} in {site.outputs} outputs")
        return tuple(sizes)
    parts = site.attributes.get("num_outputs", site.outputs)
    if parts != site.outputs:
        raise mismatch(f"num_outputs is {parts}, the node has {site.outputs} outputs", "make them equal")
    chunk = -(-size // parts)
    return tuple(max(0, min(chunk, size - index * chunk)) for index in range(parts))


def _split(site: Site) -> list[Result]:
    source = site.tensor(0)
    axis = axis_of(site.attributes.get("axis", 0), len(source.shape))
    before, after = source.shape[:axis], source.shape[axis + 1 :]
    sizes = split_sizes(site, source.shape[axis])
    return [((*before, size, *after), source.dtype) for size in sizes[: site.outputs]]


def _split_value(site: Site, results: list[Result]) -> list[Any]:
    source = site.tensor(0)
    axis = axis_of(site.attributes.get("axis", 0), len(source.shape))
    ends = np.cumsum([shape[axis] for shape, _ in results])
    return list(np.split(source.value, ends, axis=axis))[: len(results)]


def _slices(site: Site) -> tuple[range, ...]:
    shape = site.tensor(0).shape
    if site.opset < NEW_FORM_OPSET or "starts" in site.attributes:
        starts, ends = site.attributes.get("starts", ()), site.attributes.get("ends", ())
        axes, steps = site.attributes.get("axes"), None
    else:
        starts, ends = site.integers(1, "starts") or (), site.integers(2, "ends") or ()
        axes, steps = site.integers(3, "axes"), site.integers(4, "steps")
    axes = axes if axes is not None else tuple(range(len(starts)))
    steps = steps if steps is not None else (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise mismatch(f"starts {list(starts)}, ends {list(ends)}, axes {list(axes)} differ in length")
    if 0 in steps:
        raise mismatch("a step of 0", "use a step other than 0")
    result = [range(size) for size in shape]
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        index = axis_of(axis, len(shape))
        result[index] = _cut(shape[index], start, end, step)
    return tuple(result)


def _cut(size: int, start: int, end: int, step: int) -> range:
    """Positions that a slice keeps; ONNX clamps a start before the data to the first element."""
    start = start + size if start < 0 else start
    end = end + size if end < 0 else end
    if step > 0:
        return range(min(max(start, 0), size), min(max(end, 0), size), step)
    return range(min(max(start, 0), size - 1), min(max(end, -1), size - 1), step)


def _slice(site: Site) -> list[Result]:
    source = site.tensor(0)
    return [(tuple([len(cut) for cut in _slices(site)]), source.dtype)]


def _slice_value(site: Site, _results: list[Result]) -> list[Any]:
    return [site.tensor(0).value[np.ix_(*_slices(site))]]


def _expand(site: Site) -> list[Result]:
    source = site.tensor(0)
    return [(broadcast(source.shape, site.integers(1, "target shape") or ()), source.dtype)]


def _expand_value(site: Site, results: list[Result]) -> list[Any]:
    return [np.broadcast_to(site.tensor(0).value, results[0][0])]


def _tile(site: Site) -> list[Result]:
    source = site.tensor(0)
    repeats = site.integers(1, "repeats")
    if repeats is None or len(repeats) != len(source.shape) or min(repeats, default=0) < 0:
        raise mismatch(f"repeats {repeats} do not fit {list(source.shape)}", "give one count for each axis")
    return [(tuple(size * count for size, count in zip(source.shape, repeats, strict=True)), source.dtype)]


def _tile_value(site: Site, _results: list[Result]) -> list[Any]:
    return [np.tile(site.tensor(0).value, site.integers(1, "repeats") or ())]


def _pads(site: Site) -> list[tuple[int, int]]:
    rank = len(site.tensor(0).shape)
    pads = site.integers(1, "pads")
    if pads is None:
        pads = site.attributes.get("pads") or site.attributes.get("paddings") or ()
    axes = site.integers(3, "axes")
    axes = axes if axes is not None else tuple(range(rank))
    if len(pads) != 2 * len(axes):
        raise mismatch(
            f"pads {list(pads)} need {2 * len(axes)} entries", "give a begin and an end for each axis"
        )
    result = [(0, 0)] * rank
    for index, axis in enumerate(axes):
        result[axis_of(axis, rank)] = (pads[index], pads[index + len(axes)])
    return result


def _pad(site: Site) -> list[Result]:
    source = site.tensor(0)
    sizes = tuple(size + low + high for size, (low, high) in zip(source.shape, _pads(site), strict=True))
    if min(sizes, default=0) < 0:
        raise mismatch(f"pads cut {list(source.shape)} down to {list(sizes)}")
    return [(sizes, source.dtype)]


def _pad_value(site: Site, _results: list[Result]) -> list[Any]:
    pads = _pads(site)
    if site.attributes.get("mode", "constant") != "constant" or min(min(pair) for pair in pads) < 0:
        return [None]
    fill = site.optional(2)
    constant = fill.value.ravel()[0] if fill is not None else site.attributes.get("value", 0)
    return [np.pad(site.tensor(0).value, pads, constant_values=constant)]


def _range(site: Site) -> list[Result]:
    start, limit, delta = (_scalar(site, position) for position in range(3))
    if delta == 0:
        raise mismatch("a delta of 0", "use a delta other than 0")
    count = max(0, int(np.ceil((limit - start) / delta)))
    return [((count,), site.tensor(0).dtype)]


def _scalar(site: Site, position: int) -> float:
    value = site.tensor(position).value
    if value is None:
        raise ValueNeeded(position, ("start", "limit", "delta")[position])
    number: float = value.ravel().tolist()[0]
    return number


def _range_value(site: Site, results: list[Result]) -> list[Any]:
    start, _, delta = (_scalar(site, position) for position in range(3))
    shape, dtype = results[0]
    return [(start + np.arange(shape[0]) * delta).astype(dtype)]


ROWS: dict[str, Row] = {
    "Concat": Row(shape=_concat, cost=move, value=_concat_value),
    "Split": Row(shape=_split, cost=move, value=_split_value, parameters=(1,)),
    "Slice": Row(shape=_slice, cost=gather, value=_slice_value, parameters=(1, 2, 3, 4)),
    "Expand": Row(shape=_expand, cost=move, value=_expand_value, parameters=(1,)),
    "Tile": Row(shape=_tile, cost=move, value=_tile_value, parameters=(1,)),
    "Pad": Row(shape=_pad, cost=move, value=_pad_value, parameters=(1, 2, 3)),
    "Range": Row(shape=_range, cost=generate, value=_range_value, parameters=(0, 1, 2)),
}
