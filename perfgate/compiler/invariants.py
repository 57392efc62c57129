"""Pass 5, loop invariants: what a body computes alike in every iteration moves in front of the loop.

The importer made bodies flat: `LoopEnter`, the body's nodes with their repetition, `LoopExit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.folding import RANDOM
from perfgate.compiler.passnames import LOOP_INVARIANT

if TYPE_CHECKING:
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode


class _Frame:
    """One loop that is open: its enter node, the body so far, what moves out, and what varies inside."""

    __slots__ = ("body", "enter", "moved", "varying")

    def __init__(self, enter: WorkNode | None) -> None:
        self.enter = enter
        self.body: list[WorkNode] = []
        self.moved: list[WorkNode] = []
        self.varying: set[int] = set() if enter is None else {id(value) for value in enter.outputs}


def move_invariants(work: WorkGraph, log: PassLog) -> None:
    """Move body nodes that depend on nothing that varies; a graph without loops costs nothing."""
    if not work.of("LoopEnter"):
        return
    frames = [_Frame(None)]
    for node in work.nodes():
        if node.op == "LoopEnter":
            frames.append(_Frame(node))
        elif node.op == "LoopExit" and len(frames) > 1:
            _close(frames, node, log)
        else:
            _visit(frames[-1], node, log)
    while len(frames) > 1:  # dead code may have taken a loop's exit
        _close(frames, None, log)
    work.reorder(frames[0].body)


def invariant_nodes(work: WorkGraph) -> list[tuple[WorkNode, WorkNode]]:
    """Loops with the body nodes that depend on nothing that varies in them; nothing is moved."""
    found: list[tuple[WorkNode, WorkNode]] = []
    loops: list[tuple[WorkNode, set[int]]] = []
    for node in work.nodes() if work.of("LoopEnter") else ():
        if node.op == "LoopEnter":
            loops.append((node, {id(value) for value in node.outputs}))
        elif node.op == "LoopExit" and loops:
            loops.pop()
        elif loops:
            enter, varying = loops[-1]
            if _varies(node, varying):
                varying.update(id(value) for value in node.outputs)
            else:
                found.append((enter, node))
    return found


def _varies(node: WorkNode, varying: set[int]) -> bool:
    return node.op in RANDOM or any(id(operand) in varying for operand in node.inputs)


def _visit(frame: _Frame, node: WorkNode, log: PassLog) -> None:
    enter = frame.enter
    if enter is None:
        frame.body.append(node)
        return
    if _varies(node, frame.varying):
        frame.varying.update(id(value) for value in node.outputs)
        frame.body.append(node)
        return
    saved = node.repeat // max(1, enter.repeat) - 1
    node.repeat = enter.repeat
    node.steps = (*node.steps, (LOOP_INVARIANT, "moved"))
    frame.moved.append(node)
    size = sum(value.size for value in node.outputs)
    log.applied(
        LOOP_INVARIANT, node, f"moved in front of {enter.label}: the same in each iteration",
        after=(node.label,), saved=(size * saved, saved),
    )  # fmt: skip


def _close(frames: list[_Frame], leave: WorkNode | None, log: PassLog) -> None:
    frame, outer = frames.pop(), frames[-1]
    for node in frame.moved:
        _visit(outer, node, log)
    enter = frame.enter
    if enter is None:
        return
    if frame.body:
        log.refused(
            LOOP_INVARIANT, enter, "carried-dependency",
            f"{len(frame.body)} nodes of the body depend on what the loop carries or counts",
        )  # fmt: skip
    whole = [enter, *frame.body] if leave is None else [enter, *frame.body, leave]
    outer.body.extend(whole)
    outer.varying.update(id(value) for node in whole for value in node.outputs)
