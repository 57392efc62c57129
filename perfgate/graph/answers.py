"""The user's answers to a model's open questions: which are used, and which name nothing."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError
from perfgate.graph.inlining import node_name
from perfgate.graph.ir import TensorKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfgate.graph.importer import Importer
    from perfgate.graph.protobuf import Message


def check_answers(importer: Importer, model: Message, bindings: Mapping[str, tuple[int, ...]]) -> None:
    """An answer that names nothing would silently do nothing.

    Raises:
        UsageError: an input, tensor or node of that name is not in the model.
    """
    options = importer.options
    for name in bindings:
        tensor = importer.tensors.get(name)
        if tensor is None or tensor.kind is not TensorKind.INPUT:
            inputs = [item.name for item in importer.tensors.values() if item.kind is TensorKind.INPUT]
            raise _unknown("input_shape", name, inputs, importer.source)
    for name in options.values:
        if name not in importer.tensors:
            raise _unknown("values", name, importer.tensors, importer.source)
    given = {"branches": options.branches, "trip_counts": options.trip_counts, "bounds": options.bounds}
    unused = [
        (key, name) for key, names in given.items() for name in names if (key, name) not in importer.answered
    ]
    if not unused:
        return
    known = _node_names(model)
    for key, name in unused:
        if name.rpartition("/")[2] not in known and name not in known:
            asked = [question for option, question in importer.questions if option == key]
            raise _unknown(key, name, asked, importer.source)
        importer.remark(
            "unused-answer", name, f"{key}: nothing is asked at this node, so the answer does nothing"
        )


def _unknown(option: str, name: str, known: Iterable[str], source: str) -> UsageError:
    choices = list(known)
    near = difflib.get_close_matches(name, choices, 1)
    hint = (
        f"did you mean '{near[0]}'?"
        if near
        else f"choose from {', '.join(choices[:5]) or 'nothing: none is open'}"
    )
    kind = "node" if option in {"branches", "trip_counts", "bounds"} else "tensor"
    return UsageError(f"{option} names no {kind} '{name}'", source, hint)


def _node_names(model: Message) -> set[str]:
    """Names of all nodes, those of bodies and functions as well."""
    names: set[str] = set()
    pending = [model.graph.node, *(function.node for function in model.functions)]
    while pending:
        for node in pending.pop():
            names.add(node_name(node))
            pending.extend(item.g.node for item in node.attribute if item.HasField("g"))
    return names
