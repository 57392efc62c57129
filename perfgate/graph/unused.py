"""What a model file carries and nobody uses: initialisers, nodes and imported operator sets.

They cost disk, download and load time, and often mean that an export cut the wrong part off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.graph.ir import ITEM_BYTES
from perfgate.graph.loading import parsed_model
from perfgate.graph.protobuf import ELEMENT_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfgate.graph.protobuf import Message

_DEFAULT = "ai.onnx"  # what the empty domain stands for


class UnusedParts(msgspec.Struct, frozen=True, kw_only=True):
    """`initialisers` with their bytes, the largest first; `nodes` no output of the model depends on.

    `domains` are operator sets that no node of the graph or of a model function comes from.
    """

    initialisers: tuple[tuple[str, int], ...] = ()
    nodes: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()


def unused_parts(model: bytes, name: str = "model.onnx") -> UnusedParts:
    """Look at the outer graph of a model; what only a branch or a loop body reads is used.

    An initialiser that only unused nodes read is unused as well.

    Raises:
        GraphError: the bytes are no model.
    """
    proto = parsed_model(model, name)
    graph = proto.graph
    dead = _dead_nodes(graph)
    alive = [node for index, node in enumerate(graph.node) if index not in dead]
    read = {value for node in alive for value in _reads(node)} | {item.name for item in graph.output}
    sizes = [(item.name, _bytes(item)) for item in graph.initializer if item.name not in read]
    domains = {_domain(node.domain) for node in _all_nodes(proto)}
    imported = (_domain(entry.domain) for entry in proto.opset_import)
    return UnusedParts(
        initialisers=tuple(sorted(sizes, key=lambda item: (-item[1], item[0]))),
        nodes=tuple(_label(graph.node[index]) for index in sorted(dead)),
        domains=tuple(domain for domain in imported if domain not in domains),
    )


def _dead_nodes(graph: Message) -> set[int]:
    """Indices of nodes that no output depends on."""
    makers = {output: index for index, node in enumerate(graph.node) for output in node.output if output}
    pending = [item.name for item in graph.output]
    alive: set[int] = set()
    while pending:
        index = makers.get(pending.pop())
        if index is not None and index not in alive:
            alive.add(index)
            pending.extend(_reads(graph.node[index]))
    return set(range(len(graph.node))) - alive


def _reads(node: Message) -> Iterator[str]:
    """Values that a node reads, in its bodies as well; names of a body's own values do no harm."""
    yield from node.input
    for body in _bodies(node):
        for inner in body.node:
            yield from _reads(inner)
        yield from (item.name for item in body.output)


def _bodies(node: Message) -> Iterator[Message]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _all_nodes(proto: Message) -> Iterator[Message]:
    yield from _with_inner(proto.graph.node)
    for function in proto.functions:
        yield from _with_inner(function.node)


def _with_inner(nodes: Iterable[Message]) -> Iterator[Message]:
    for node in nodes:
        yield node
        for body in _bodies(node):
            yield from _with_inner(body.node)


def _domain(text: str) -> str:
    return text or _DEFAULT


def _bytes(tensor: Message) -> int:
    count = 1
    for size in tensor.dims:
        count *= size
    return round(count * ITEM_BYTES.get(ELEMENT_TYPES.get(tensor.data_type, ""), 0))


def _label(node: Message) -> str:
    return f"{node.op_type} {node.name or next(iter(node.output), '?')}"
