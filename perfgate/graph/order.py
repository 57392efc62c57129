"""Puts nodes in topological order where a model does not (the format asks for it, some writers do not)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perfgate.graph.protobuf import Message


def in_order(protos: list[Message]) -> list[Any]:
    """The nodes with producers before consumers, otherwise as they were; members of a cycle come last."""
    producers = {name: index for index, proto in enumerate(protos) for name in proto.output if name}
    waits: list[set[int]] = []
    consumers: dict[int, list[int]] = {}
    for index, proto in enumerate(protos):
        needs = {producers[name] for name in proto.input if name in producers}
        waits.append(needs)
        for producer in needs:
            consumers.setdefault(producer, []).append(index)
    ready = [index for index, needs in enumerate(waits) if not needs]
    order: list[int] = []
    for index in ready:  # grows while it is walked
        order.append(index)
        for consumer in consumers.get(index, ()):
            waits[consumer].discard(index)
            if not waits[consumer]:
                ready.append(consumer)
    left = [index for index, needs in enumerate(waits) if needs]
    return [protos[index] for index in (*order, *left)]
