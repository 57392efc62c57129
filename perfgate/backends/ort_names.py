"""The nodes of a model found again among the nodes that ONNX Runtime executes.

Optimised graphs hold generated names: `fused conv1`, `conv1_token_12`, `r2_nchwc` (of a tensor, not of a
node), `norm/LayerNormFusion/`. Two profiles can be compared only by the names of the model.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any

import msgspec

_SUFFIXES = re.compile(r"_kernel_time$|_token_\d+$|_nchwc$|/\w*Fusion\w*/?$")
_BLOCKED = re.compile(r"_nchwc(_token_\d+)?(_kernel_time)?$")  # named after the tensor, not after a node
_FARTHEST = 8  # nodes between the last output of a fused chain and its first node


class ModelNode(msgspec.Struct, frozen=True):
    """A node: its place in the model's order, its operator, and the nodes that its inputs come from."""

    number: int
    name: str
    op: str
    sources: tuple[int, ...]


class ModelNodes:
    """The nodes of a model by name and by the tensors they produce."""

    def __init__(self, proto: Any) -> None:  # noqa: ANN401 - onnx.ModelProto, which carries no types
        producers: dict[str, int] = {}
        self._nodes: list[ModelNode] = []
        for number, node in enumerate(proto.graph.node):
            sources = tuple(producers[name] for name in node.input if name in producers)
            self._nodes.append(ModelNode(number, node.name, node.op_type, sources))
            producers.update(dict.fromkeys(node.output, number))
        self._producers = producers
        self._by_name = {node.name: node for node in self._nodes if node.name}

    def __len__(self) -> int:
        return len(self._nodes)

    def find(self, name: str, op: str) -> ModelNode | None:
        """The model's node that an executed node stands for; None for one that ONNX Runtime put in."""
        plain = plain_name(name)
        if plain in self._by_name and not _BLOCKED.search(name):
            return self._by_name[plain]
        if plain in self._producers:
            return self._first(self._nodes[self._producers[plain]], op.removeprefix("Fused"))
        return self._by_name.get(plain)

    def _first(self, last: ModelNode, op: str) -> ModelNode:
        """Back from the node that gives a fused chain its output to the one that gives it its operator."""
        queue = deque([last])
        for _ in range(_FARTHEST):
            if not queue:
                break
            node = queue.popleft()
            if node.op == op:
                return node
            queue.extend(self._nodes[number] for number in node.sources)
        return last


def plain_name(name: str) -> str:
    """A generated name without what ONNX Runtime added to it."""
    before = None
    while before != name:
        before, name = name, _SUFFIXES.sub("", name).removeprefix("fused ")
    return name
