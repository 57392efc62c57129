"""What ONNX Runtime traced in several executions, as one quiet execution."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

PS_PER_US = 1_000_000
RUN = "model_run"  # the span of one call


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """One node of one execution on one thread, in picoseconds; `own_ps` is without the nodes inside it."""

    name: str
    op: str
    thread: int
    start_ps: int
    length_ps: int
    own_ps: int
    size: int


class _Node(msgspec.Struct, frozen=True):
    """A node as it was traced, in microseconds."""

    name: str
    op: str
    thread: int
    start: int
    length: int
    size: int

    @property
    def end(self) -> int:
        return self.start + self.length


class _Execution(msgspec.Struct, frozen=True):
    """One call; its nodes in order of their start, which counts from the call's."""

    length: int
    nodes: tuple[_Node, ...]

    @property
    def gaps(self) -> list[int]:
        """Time before each node and after the last one; negative where nodes overlap."""
        ends = [0, *(node.end for node in self.nodes)]
        starts = [*(node.start for node in self.nodes), self.length]
        return [start - end for end, start in zip(ends, starts, strict=True)]


def quiet_execution(spans: Sequence[Sequence[Any]]) -> tuple[int, list[Span]]:
    """Length in picoseconds and nodes of an execution in which each node and each gap is at its shortest.

    What interferes only adds: on a busy machine every single execution holds a scheduler's pause somewhere.
    Where executions are not one and the same sequence of nodes, it is the shortest of them. The first one
    warms up, unless it is alone.

    Raises:
        ValueError: the trace holds no execution.
    """
    found = _executions(spans)
    if not found:
        raise ValueError("the trace holds no execution")
    found = found[1:] or found
    names = {tuple(node.name for node in execution.nodes) for execution in found}
    is_one_sequence = len(names) == 1 and all(min(execution.gaps) >= 0 for execution in found)
    chosen = _at_its_shortest(found) if is_one_sequence else min(found, key=lambda item: item.length)
    return max(chosen.length, 1) * PS_PER_US, _own_times(chosen.nodes)


def _executions(spans: Sequence[Sequence[Any]]) -> list[_Execution]:
    """From rows of category, name, operator, thread, start, length and bytes."""
    runs = [(start, length) for _, name, _, _, start, length, _ in spans if name == RUN]
    return [
        _Execution(
            length,
            tuple(
                sorted(
                    (
                        _Node(name, op, thread, at - start, spent, size)
                        for category, name, op, thread, at, spent, size in spans
                        if category == "Node" and start <= at < start + max(length, 1)
                    ),
                    key=lambda node: (node.start, -node.length),
                )
            ),
        )
        for start, length in runs
    ]


def _at_its_shortest(found: list[_Execution]) -> _Execution:
    gaps = [min(times) for times in zip(*(execution.gaps for execution in found), strict=True)]
    now, nodes = 0, []
    for gap, same in zip(gaps[:-1], zip(*(execution.nodes for execution in found), strict=True), strict=True):
        shortest = min(same, key=lambda node: node.length)
        nodes.append(msgspec.structs.replace(shortest, start=now + gap))
        now += gap + shortest.length
    return _Execution(now + gaps[-1], tuple(nodes))


def _own_times(nodes: tuple[_Node, ...]) -> list[Span]:
    """Each node without the time of those inside it, as the body of a loop is."""
    inside = [0] * len(nodes)
    around: dict[int, list[int]] = defaultdict(list)
    for index, node in enumerate(nodes):
        stack = around[node.thread]
        while stack and node.end > nodes[stack[-1]].end:
            stack.pop()
        if stack:
            inside[stack[-1]] += node.length
        stack.append(index)
    return [
        Span(
            name=node.name,
            op=node.op,
            thread=node.thread,
            start_ps=node.start * PS_PER_US,
            length_ps=node.length * PS_PER_US,
            own_ps=(node.length - inside[index]) * PS_PER_US,
            size=node.size,
        )
        for index, node in enumerate(nodes)
    ]
