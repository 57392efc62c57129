"""What a switched-off clean-up pass would have taken away: refused entries, so a log shows the waste."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfgate.compiler import cse, dce, invariants
from perfgate.compiler.folding import RANDOM
from perfgate.compiler.passnames import CSE, DCE, LOOP_INVARIANT

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode

SWITCHED_OFF = "switched-off"


def log_waste(name: str, work: WorkGraph, log: PassLog) -> None:
    """Entries for a pass that is off; passes that clean nothing up have none."""
    find = _FINDERS.get(name)
    if find is not None:
        find(work, log)


def _log_duplicates(work: WorkGraph, log: PassLog) -> None:
    """As value numbering would: the operands of a later node count as those of their first twins."""
    twins: dict[int, int] = {}
    seen: dict[tuple[Any, ...], list[WorkNode]] = {}
    for node in work.nodes():
        if node.op in RANDOM or cse.has_body(node) or any(value.is_output for value in node.outputs):
            continue
        key = _key(node, twins)
        first = seen.setdefault(key, [])
        twin = next((other for other in first if cse.is_same(other, node)), None)
        if twin is None:
            first.append(node)
            continue
        for mine, theirs in zip(node.outputs, twin.outputs, strict=True):
            twins[id(mine)] = id(theirs)
        log.refused(CSE, node, SWITCHED_OFF, f"computes the same as {twin.label}")


def _key(node: WorkNode, twins: dict[int, int]) -> tuple[Any, ...]:
    op, *numbers = cse.number_of(node)
    mapped = [twins.get(part, part) if isinstance(part, int) else part for part in numbers]
    return (op, *(sorted(mapped, key=repr) if op in cse.COMMUTATIVE else mapped))


def _log_dead_nodes(work: WorkGraph, log: PassLog) -> None:
    dead: set[int] = set()
    for node in reversed(work.nodes()):
        users = [user for value in node.outputs for user in value.consumers]
        is_output = any(value.is_output for value in node.outputs)
        if is_output or node.sources[0].is_estimated or any(id(user) not in dead for user in users):
            continue
        dead.add(id(node))
        log.refused(DCE, node, SWITCHED_OFF, dce.dead_text(node))


def _log_invariants(work: WorkGraph, log: PassLog) -> None:
    """Only those of the innermost loop around a node; `times` is how often one of its values is made."""
    for enter, node in invariants.invariant_nodes(work):
        times = node.repeat // max(1, enter.repeat)
        reason = f"the same in each of {times} iterations of {enter.label}"
        log.refused(LOOP_INVARIANT, node, SWITCHED_OFF, reason, details={"times": times})


_FINDERS: dict[str, Callable[[WorkGraph, PassLog], None]] = {
    CSE: _log_duplicates,
    DCE: _log_dead_nodes,
    LOOP_INVARIANT: _log_invariants,
}
