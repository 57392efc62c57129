"""Pass 4, dead code: what reaches no output leaves a tombstone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.origin import ResidueKind
from perfgate.compiler.passnames import DCE

if TYPE_CHECKING:
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode


def remove_dead_nodes(work: WorkGraph, log: PassLog) -> None:
    """Remove nodes without users, last ones first: their operands lose a user before they are looked at.

    An estimated operator may do more than compute its outputs, so it stays, with an entry.
    """
    for node in reversed(work.slots):
        if node is None or _is_used(node):
            continue
        if node.sources[0].is_estimated:
            log.refused(DCE, node, "side-effect", f"{node.op} is not known to be free of side effects")
            continue
        saved = sum(value.size for value in node.outputs)
        work.remove(node)
        work.bury(node, ResidueKind.TOMBSTONE, f"dead: no output needs {node.label}")
        log.applied(DCE, node, dead_text(node), saved=(saved, 1))


def dead_text(node: WorkNode) -> str:
    """Why a node goes."""
    return f"dead: {node.label} reaches no output"


def _is_used(node: WorkNode) -> bool:
    for value in node.outputs:  # noqa: SIM110 - any() costs a generator per node
        if value.consumers or value.is_output:
            return True
    return False
