"""Pass 2, identities: nodes that only rename, and pairs that undo or merge with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.origin import ResidueKind
from perfgate.compiler.passnames import IDENTITY

if TYPE_CHECKING:
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue

VIEWS = ("Reshape", "Flatten", "Squeeze", "Unsqueeze")
_SWAP = (0, 2, 1)
_TO_CHANNELS_LAST = (0, 2, 3, 1)
_TO_CHANNELS_FIRST = (0, 3, 1, 2)
_RANK = 4


def simplify(work: WorkGraph, log: PassLog) -> None:
    """Remove what passes its operand on; merge Transposes and Reshapes; move swaps outwards."""
    for op in ("Identity", "Dropout", "Cast", "CastLike"):
        for node in work.of(op):
            if op in {"Identity", "Dropout"} or _keeps_type(node):
                _bypass(work, log, node, "passes its operand on unchanged")
    for node in _views(work):
        _merge_views(work, log, node)
    for node in work.of("Transpose"):
        _merge_transposes(work, log, node)
    for node in work.of("Transpose"):
        if permutation(node) == _SWAP:
            _swap_after_flatten(work, log, node)
    for node in _views(work):
        _unflatten_after_swap(work, log, node)


def _keeps_type(cast: WorkNode) -> bool:
    operand = cast.inputs[0]
    return operand is not None and operand.dtype == cast.outputs[0].dtype


def _views(work: WorkGraph) -> list[WorkNode]:
    return [node for op in VIEWS for node in work.of(op)]


def permutation(node: WorkNode) -> tuple[int, ...]:
    """Axis order of a Transpose; without one, the axes are reversed."""
    order = node.attributes.get("perm")
    if order is not None:
        return tuple(order)
    return tuple(range(len(node.outputs[0].shape)))[::-1]


def _bypass(work: WorkGraph, log: PassLog, node: WorkNode, why: str) -> bool:
    """Let the users of a node read its operand; a model output keeps its name, so its node stays."""
    operand, result = node.inputs[0], node.outputs[0]
    if operand is None:
        return False
    if any(value.consumers for value in node.outputs[1:]):
        return False
    if result.is_output:
        log.refused(
            IDENTITY, node, "graph-output", f"{result.name} is an output of the model and keeps its own bytes"
        )
        return False
    work.redirect(result, operand)
    work.remove(node)
    work.bury(node, ResidueKind.TOMBSTONE, f"{node.label} {why}")
    log.applied(IDENTITY, node, f"{node.label} {why}", saved=(0, 1 if node.op not in VIEWS else 0))
    return True


def _feeding(node: WorkNode, ops: tuple[str, ...]) -> WorkNode | None:
    """The producer of the first operand if it is one of `ops` and this node is its only user."""
    operand = node.inputs[0]
    if operand is None or operand.is_output or len(operand.consumers) != 1:
        return None
    producer = operand.producer
    return producer if producer is not None and producer.op in ops else None


def _merge_views(work: WorkGraph, log: PassLog, node: WorkNode) -> None:
    """A view of a view is a view of the first; one that restores the shape is nothing."""
    before = _feeding(node, VIEWS)
    if before is None:
        return
    if _bypass(work, log, before, f"is covered by {node.label}"):
        node.op = "Reshape"
    operand = node.inputs[0]
    if operand is not None and operand.shape == node.outputs[0].shape:
        _bypass(work, log, node, "restores the shape that was there")


def _merge_transposes(work: WorkGraph, log: PassLog, node: WorkNode) -> None:
    """Two Transposes are one; an order that changes nothing is none."""
    before = _feeding(node, ("Transpose",))
    order = permutation(node)
    if before is not None:
        first = permutation(before)
        if _bypass(work, log, before, f"is merged into {node.label}"):
            order = tuple(first[axis] for axis in order)
            node.attributes = {**node.attributes, "perm": order}
            node.sources = before.sources + node.sources
            _unbury(work, before)
    if order == tuple(range(len(order))):
        _bypass(
            work, log, node, "undoes the one before it" if before is not None else "keeps the order of axes"
        )


def _unbury(work: WorkGraph, node: WorkNode) -> None:
    for _ in node.sources:
        work.residues.pop()


def _is_flattened(whole: tuple[int, ...], flat: tuple[int, ...], channel: int) -> bool:
    """`flat` is `whole` with its two spatial axes merged; the channel axis is 1 (first) or 3 (last)."""
    if len(whole) != _RANK or len(flat) != _RANK - 1 or flat[0] != whole[0]:
        return False
    if channel == 1:
        return flat[1] == whole[1] and flat[2] == whole[2] * whole[3]
    return flat[2] == whole[3] and flat[1] == whole[1] * whole[2]


def _swap_after_flatten(work: WorkGraph, log: PassLog, swap: WorkNode) -> None:
    """[N,C,H,W] -> [N,C,HW] -> [N,HW,C] becomes [N,C,H,W] -> [N,H,W,C] -> [N,HW,C]."""
    flatten = _feeding(swap, VIEWS)
    if flatten is None or flatten.inputs[0] is None:
        return
    source = flatten.inputs[0]
    if not _is_flattened(source.shape, flatten.outputs[0].shape, 1):
        return
    n, c, h, w = source.shape
    _exchange(work, log, (flatten, swap), (n, h, w, c), _TO_CHANNELS_LAST, swap_first=True)


def _unflatten_after_swap(work: WorkGraph, log: PassLog, view: WorkNode) -> None:
    """[N,HW,C] -> [N,C,HW] -> [N,C,H,W] becomes [N,HW,C] -> [N,H,W,C] -> [N,C,H,W], likewise."""
    swap = _feeding(view, ("Transpose",))
    if (
        swap is None
        or permutation(swap) != _SWAP
        or not _is_flattened(view.outputs[0].shape, swap.outputs[0].shape, 1)
    ):
        return
    n, c, h, w = view.outputs[0].shape
    _exchange(work, log, (swap, view), (n, h, w, c), _TO_CHANNELS_FIRST, swap_first=False)


def _exchange(  # noqa: PLR0913 - one keyword; the pair is one thing, and so are shape and order
    work: WorkGraph,
    log: PassLog,
    pair: tuple[WorkNode, WorkNode],
    between: tuple[int, ...],
    order: tuple[int, ...],
    *,
    swap_first: bool,
) -> None:
    """Change the order of a view and a swap; the nodes keep places and names, the value between is new."""
    first, second = pair
    before = (first.label, second.label)
    old = first.outputs[0]
    middle: WorkValue = work.new_value(old.name, between, old.dtype)
    transpose, view = (first, second) if swap_first else (second, first)
    transpose.op, view.op = "Transpose", "Reshape"
    transpose.attributes, view.attributes = {"perm": order}, {}
    _keep_first_operand(first)
    _keep_first_operand(second)
    first.outputs, second.inputs[0] = [middle], middle
    middle.producer, middle.consumers = first, [second]
    work.by_op.setdefault("Transpose", []).append(transpose)
    work.by_op.setdefault("Reshape", []).append(view)
    log.applied(
        IDENTITY, first, "transposed before the axes are merged, so that a storage layout can absorb it",
        before=before, after=(first.label, second.label),
    )  # fmt: skip


def _keep_first_operand(node: WorkNode) -> None:
    for operand in node.inputs[1:]:
        if operand is not None and not operand.is_constant:
            operand.consumers.remove(node)
    node.inputs = node.inputs[:1]
