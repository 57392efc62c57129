"""LSTM, GRU and RNN: one matrix product of input and state for each step and direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ops.costs import total_bytes
from perfgate.graph.ops.rows import CostRule, OpFacts, OpKind, Result, Row, Site
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

RANK = 3  # steps, batch, width; directions, gates, width
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
GATE_WORK = {"LSTM": 75, "GRU": 47, "RNN": 16}  # sigmoids 13 and tanhs 15 of each cell, and its products


def _recurrent(site: Site) -> list[Result]:
    source, weight, recurrence = site.tensor(0), site.tensor(1), site.tensor(2)
    if not len(source.shape) == len(weight.shape) == len(recurrence.shape) == RANK:
        raise mismatch(
            f"X {list(source.shape)}, W {list(weight.shape)}, R {list(recurrence.shape)} must have rank 3"
        )
    hidden = recurrence.shape[2]
    gates = GATES[site.op]
    directions = 2 if site.attributes.get("direction") == "bidirectional" else 1
    if (
        weight.shape != (directions, gates * hidden, source.shape[2])
        or recurrence.shape[:2] != weight.shape[:2]
    ):
        raise mismatch(
            f"W {list(weight.shape)} and R {list(recurrence.shape)} should be"
            f" {[directions, gates * hidden, source.shape[2]]} and {[directions, gates * hidden, hidden]}"
        )
    is_batch_first = site.attributes.get("layout") == 1
    steps, batch = source.shape[1::-1] if is_batch_first else source.shape[:2]
    if is_batch_first:
        every, last = (batch, steps, directions, hidden), (batch, directions, hidden)
    else:
        every, last = (steps, directions, batch, hidden), (directions, batch, hidden)
    return [(every, source.dtype), (last, source.dtype), (last, source.dtype)][: site.outputs]


def _cost(op: str) -> CostRule:
    def cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
        source, weight = inputs[0], inputs[1]
        if source is None or weight is None:
            return OpFacts(kind=OpKind.MATRIX)
        is_batch_first = node.attributes.get("layout") == 1
        steps, batch = source.shape[1::-1] if is_batch_first else source.shape[:2]
        directions, width, inner = weight.shape
        hidden = width // GATES[op]
        count = steps * directions
        macs = batch * width * (inner + hidden) * count
        cells = batch * hidden * count
        return OpFacts(
            kind=OpKind.MATRIX,
            macs=macs,
            flops=2 * macs + GATES[op] * 4 * cells,
            vector_work=GATE_WORK[op] * cells,
            m=batch,
            n=width,
            k=inner + hidden,
            count=count,
            read_bytes=total_bytes(inputs),
            write_bytes=total_bytes(outputs),
        )

    return cost


ROWS: dict[str, Row] = {op: Row(shape=_recurrent, cost=_cost(op)) for op in GATES}
