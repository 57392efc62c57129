"""The two synthetic operators around a repeated body (see `graph.loops`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ops.costs import free, total_bytes
from perfgate.graph.ops.rows import OpFacts, OpKind, Result, Row, Site

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor


def _declared(site: Site) -> list[Result]:
    return [(tensor.shape, tensor.dtype) for tensor in site.inputs if tensor is not None]


def _exit_cost(node: Node, _inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    # Carried values change hands for nothing; a stacked output is written once, slice by slice.
    carried = {name for name in node.outputs[: node.attributes["carried"]] if name}
    stacked = total_bytes([tensor for tensor in outputs if tensor.name not in carried])
    if not stacked:
        return OpFacts(kind=OpKind.FREE)
    return OpFacts(kind=OpKind.MOVE, read_bytes=stacked, write_bytes=stacked)


ROWS: dict[str, Row] = {
    "LoopEnter": Row(shape=_declared, cost=free),
    "LoopExit": Row(shape=_declared, cost=_exit_cost),
}
