"""The nodes of the model behind the operators of a profile: what two programs share, fused or not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from perfgate.diagnose.names import COPY_MARK, plain_leaf, plain_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import OperatorRow, SourceNode

Kind: TypeAlias = tuple[str, tuple[int, ...], bool]

NO_ROW = -1


@dataclass(frozen=True, slots=True)
class NodeList:
    """Nodes as columns, in the order of their operators; what a kernel has fused stands behind its own node.

    `rows`: the operator named after the node, `NO_ROW` when it only runs fused. `scopes`: path of what
    contains it. `leaves`: its own word, without generated parts. `is_chosen`: nobody generated any of it.
    `kinds`: type, output shape, and whether the name says that a compiler made a copy of something. `hosts`:
    operators that run the node in their kernels without being named after it.
    """

    rows: list[int] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    is_chosen: list[bool] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    hosts: dict[int, list[int]] = field(default_factory=dict)


def list_nodes(operators: Sequence[OperatorRow]) -> NodeList:
    """Every operator's own node, and every node that runs in another's kernel."""
    nodes = NodeList()
    plain: dict[str, str] = {}
    named = Counter([(operator.name, operator.scope) for operator in operators])
    hosts: dict[tuple[str, str], list[int]] = {}
    places: dict[tuple[str, str], int] = {}
    for row, operator in enumerate(operators):
        own = (operator.name, operator.scope)
        places[own] = len(nodes.rows)
        _append(nodes, row, operator, plain)
        for source in operator.sources:
            key = (source.name, source.scope)
            if key == own:
                continue
            hosts.setdefault(key, []).append(row)
            if named[key] != 1 and key not in places:
                places[key] = len(nodes.rows)
                _append(nodes, NO_ROW, source, plain)
    nodes.hosts.update({places[key]: rows for key, rows in hosts.items()})
    return nodes


def _append(nodes: NodeList, row: int, node: OperatorRow | SourceNode, plain: dict[str, str]) -> None:
    # The simulator's scope is the whole path of the node, that of other backends ends before the last word.
    path = node.name.replace("/", ".").strip(".") if "/" in node.name else node.name
    parent, _, word = path.rpartition(".")
    scope = parent if path == node.scope else node.scope
    leaf = plain_leaf(word, node.op)
    if scope not in plain:
        plain[scope] = plain_scope(scope)
    nodes.rows.append(row)
    nodes.scopes.append(plain[scope])
    nodes.leaves.append(leaf)
    nodes.is_chosen.append(leaf == word)
    nodes.kinds.append((node.op, node.shape, COPY_MARK in word))
