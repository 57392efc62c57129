"""Operators that pick or place elements by index, and those whose output size depends on data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.graph.ops.costs import gather, generate, move, total_bytes, vector_per_input
from perfgate.graph.ops.elementwise import same
from perfgate.graph.ops.rows import OpFacts, OpKind, Result, Row, Shape, Site, axis_of
from perfgate.graph.problems import mismatch
from perfgate.graph.protobuf import element_type

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

BOX_NUMBERS, BOX_RANK = 4, 3  # boxes are batch, box, corner; scores are batch, class, box


def _gather(site: Site) -> list[Result]:
    source, indices = site.tensor(0), site.tensor(1)
    axis = axis_of(site.attributes.get("axis", 0), len(source.shape))
    return [((*source.shape[:axis], *indices.shape, *source.shape[axis + 1 :]), source.dtype)]


def _gather_value(site: Site, results: list[Result]) -> list[Any]:
    source, indices = site.tensor(0), site.tensor(1)
    axis = site.attributes.get("axis", 0)
    return [
        np.asarray(np.take(source.value, indices.value.astype(np.int64), axis=axis)).reshape(results[0][0])
    ]


def _gather_elements(site: Site) -> list[Result]:
    source, indices = site.tensor(0), site.tensor(1)
    if len(source.shape) != len(indices.shape):
        raise mismatch(f"indices {list(indices.shape)} need the rank of {list(source.shape)}")
    axis_of(site.attributes.get("axis", 0), len(source.shape))
    return [(indices.shape, source.dtype)]


def _gather_nd(site: Site) -> list[Result]:
    source, indices = site.tensor(0), site.tensor(1)
    batch = site.attributes.get("batch_dims", 0)
    depth = indices.shape[-1] if indices.shape else 0
    if depth < 1 or batch + depth > len(source.shape) or source.shape[:batch] != indices.shape[:batch]:
        raise mismatch(f"indices {list(indices.shape)} do not address {list(source.shape)}")
    return [((*indices.shape[:-1], *source.shape[batch + depth :]), source.dtype)]


def _scatter_elements(site: Site) -> list[Result]:
    source, indices, updates = site.tensor(0), site.tensor(1), site.tensor(2)
    if indices.shape != updates.shape or len(indices.shape) != len(source.shape):
        raise mismatch(
            f"indices {list(indices.shape)} and updates {list(updates.shape)} must have one shape,"
            f" with the rank of {list(source.shape)}"
        )
    return [(source.shape, source.dtype)]


def _scatter_nd(site: Site) -> list[Result]:
    source, indices, updates = site.tensor(0), site.tensor(1), site.tensor(2)
    depth = indices.shape[-1] if indices.shape else 0
    if not 1 <= depth <= len(source.shape):
        raise mismatch(f"indices {list(indices.shape)} do not address {list(source.shape)}")
    expected = (*indices.shape[:-1], *source.shape[depth:])
    if updates.shape != expected:
        raise mismatch(f"updates {list(updates.shape)} should be {list(expected)}")
    return [(source.shape, source.dtype)]


def _one_hot(site: Site) -> list[Result]:
    indices, values = site.tensor(0), site.tensor(2)
    depth = (site.integers(1, "depth") or (-1,))[0]
    if depth < 0:
        raise mismatch(f"depth {depth} is negative", "use a depth of 0 or more")
    axis = axis_of(site.attributes.get("axis", -1), len(indices.shape) + 1)
    return [((*indices.shape[:axis], depth, *indices.shape[axis:]), values.dtype)]


def _eye_like(site: Site) -> list[Result]:
    source = site.tensor(0)
    code = site.attributes.get("dtype")
    return [(source.shape, source.dtype if code is None else element_type(code, "EyeLike"))]


def _limited(site: Site, limit: int, axis: int) -> int:
    """Size of a data-dependent axis: as asked, else as declared, never above what is possible."""
    if site.bound >= 0:
        return min(site.bound, limit)
    if site.declared is not None and axis < len(site.declared):
        return min(site.declared[axis], limit)
    return limit


def _non_zero(site: Site) -> list[Result]:
    source = site.tensor(0)
    limit = source.elements if source.value is None else int(np.count_nonzero(source.value))
    return [((len(source.shape), _limited(site, limit, 1)), "int64")]


def _non_zero_value(site: Site, results: list[Result]) -> list[Any]:
    found = np.array(np.nonzero(np.atleast_1d(site.tensor(0).value)), dtype=np.int64)
    return [found if found.shape == results[0][0] else None]


def _non_max_suppression(site: Site) -> list[Result]:
    boxes, scores = site.tensor(0), site.tensor(1)
    if len(boxes.shape) != BOX_RANK or boxes.shape[2] != BOX_NUMBERS or len(scores.shape) != BOX_RANK:
        raise mismatch(f"boxes {list(boxes.shape)} and scores {list(scores.shape)} must be B,N,4 and B,C,N")
    most = site.optional(2)
    kept = boxes.shape[1]
    if most is None:
        kept = 0
    elif most.value is not None:
        kept = min(kept, max(0, int(most.value.ravel()[0])))
    return [((_limited(site, scores.shape[0] * scores.shape[1] * kept, 0), 3), "int64")]


def _suppression_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    # Every box is scored and sorted; each kept box is compared with the others: 16 operations an overlap.
    boxes = inputs[0]
    work = 16 * outputs[0].shape[0] * (boxes.shape[1] if boxes is not None else 1)
    facts = vector_per_input(2, 2)(node, inputs[1:], outputs)
    return OpFacts(
        kind=facts.kind,
        flops=facts.flops + work,
        vector_work=facts.vector_work + work,
        read_bytes=facts.read_bytes + (boxes.elements * 4 if boxes is not None else 0),
        write_bytes=facts.write_bytes,
    )


def _compress(site: Site) -> list[Result]:
    source, condition = site.tensor(0), site.tensor(1)
    axis = site.attributes.get("axis")
    if axis is None:
        size = min(source.elements, condition.elements)
        kept = size if condition.value is None else int(np.count_nonzero(condition.value[: source.elements]))
        return [((_limited(site, kept, 0),), source.dtype)]
    axis = axis_of(axis, len(source.shape))
    size = min(source.shape[axis], condition.elements)
    kept = size if condition.value is None else int(np.count_nonzero(condition.value[: source.shape[axis]]))
    return [((*source.shape[:axis], _limited(site, kept, axis), *source.shape[axis + 1 :]), source.dtype)]


def _unique(site: Site) -> list[Result]:
    source = site.tensor(0)
    axis = site.attributes.get("axis")
    if axis is None:
        count = _limited(site, source.elements, 0)
        shape: Shape = (count,)
        length = source.elements
    else:
        axis = axis_of(axis, len(source.shape))
        length = source.shape[axis]
        count = _limited(site, length, axis)
        shape = (*source.shape[:axis], count, *source.shape[axis + 1 :])
    results = [(shape, source.dtype), ((count,), "int64"), ((length,), "int64"), ((count,), "int64")]
    return results[: site.outputs]


def _sort_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    elements = inputs[0].elements if inputs[0] is not None else 1
    steps = max(1, elements.bit_length())
    return vector_per_input(steps, steps)(node, inputs, outputs)


def _trilu_value(site: Site, _results: list[Result]) -> list[Any]:
    offset = (site.integers(1, "k") or (0,))[0]
    cut = np.triu if site.attributes.get("upper", 1) else np.tril
    return [cut(site.tensor(0).value, offset)]


def _tensor_scatter(site: Site) -> list[Result]:
    cache, update = site.tensor(0), site.tensor(1)
    if len(cache.shape) != len(update.shape):
        raise mismatch(f"the update {list(update.shape)} needs the rank of the cache {list(cache.shape)}")
    return [(cache.shape, cache.dtype)]


def _update_cost(_node: Node, inputs: list[Tensor | None], _outputs: list[Tensor]) -> OpFacts:
    """The cache is written in place: only the update moves. An output that may not alias pays a copy more."""
    moved = total_bytes(inputs[1:2])
    return OpFacts(kind=OpKind.MOVE, read_bytes=moved, write_bytes=moved)


ROWS: dict[str, Row] = {
    "Gather": Row(shape=_gather, cost=gather, value=_gather_value),
    "GatherElements": Row(shape=_gather_elements, cost=gather),
    "GatherND": Row(shape=_gather_nd, cost=gather),
    "Scatter": Row(shape=_scatter_elements, cost=move),
    "ScatterElements": Row(shape=_scatter_elements, cost=move),
    "ScatterND": Row(shape=_scatter_nd, cost=move),
    "TensorScatter": Row(shape=_tensor_scatter, cost=_update_cost),
    "OneHot": Row(shape=_one_hot, cost=generate, parameters=(1, 2)),
    "EyeLike": Row(shape=_eye_like, cost=generate, parameters=(0,)),
    "ReverseSequence": Row(shape=same, cost=move),
    "Trilu": Row(shape=same, cost=move, value=_trilu_value, parameters=(1,)),
    "NonZero": Row(shape=_non_zero, cost=vector_per_input(2), value=_non_zero_value, is_data_dependent=True),
    "Compress": Row(shape=_compress, cost=move, is_data_dependent=True),
    "Unique": Row(shape=_unique, cost=_sort_cost, is_data_dependent=True),
    "NonMaxSuppression": Row(
        shape=_non_max_suppression, cost=_suppression_cost, is_data_dependent=True, parameters=(2, 3, 4)
    ),
}
