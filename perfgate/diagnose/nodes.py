"""The nodes of the model behind the operators of a profile: what two programs share, fused or not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from perfgate.diagnose.names import COPY_MARK, plain_leaf, plain_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import OperatorRow, SourceNode

Kind: TypeAlias = tuple[str, tuple[int, ...], bool]

NO_ROW = -1


@dataclass(frozen=True, slots=True)
class NodeList:
    """Nodes as columns, in the order of the model as far as it is known; else behind the kernel's own node.

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
    named = Counter([(operator.name, operator.scope) for operator in operators])
    hosts: dict[tuple[str, str], list[int]] = {}
    found: list[tuple[int, int, OperatorRow | SourceNode]] = []
    for row, operator in enumerate(operators):
        found.append((operator.number, row, operator))
        for source in operator.sources:
            key = (source.name, source.scope)
            if key == (operator.name, operator.scope):
                continue
            if named[key] != 1 and key not in hosts:
                number = source.number if source.number >= 0 else operator.number
                found.append((number, NO_ROW, source))
            hosts.setdefault(key, []).append(row)
    if hosts:
        found.sort(key=itemgetter(0))
    nodes = _columns([node for _, _, node in found], [row for _, row, _ in found])
    for position, (_, row, node) in enumerate(found if hosts else ()):
        key = (node.name, node.scope)
        if key in hosts and (row == NO_ROW or named[key] == 1):
            nodes.hosts[position] = hosts[key]
    return nodes


def _columns(found: Sequence[OperatorRow | SourceNode], rows: list[int]) -> NodeList:
    nodes = NodeList(rows=rows)
    plain: dict[str, str] = {}
    for node in found:
        # The simulator's scope is the node's whole path, that of other backends ends before the last word.
        path = node.name.replace("/", ".").strip(".") if "/" in node.name else node.name
        parent, _, word = path.rpartition(".")
        scope = parent if path == node.scope else node.scope
        if scope not in plain:
            plain[scope] = plain_scope(scope)
        leaf = plain_leaf(word, node.op)
        nodes.scopes.append(plain[scope])
        nodes.leaves.append(leaf)
        nodes.is_chosen.append(leaf == word)
        nodes.kinds.append((node.op, node.shape, COPY_MARK in word))
    return nodes
