"""What the model says about where things are: tensors that stay on the device, operators on the host."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.compiler.workgraph import WorkGraph


def resident_tensors(metadata: dict[str, str]) -> frozenset[str]:
    """Inputs and outputs that stay on the device between executions, by the model's entry `resident`.

    A JSON list of tensor names. An entry of another form counts as none.
    """
    return frozenset(_names(metadata, "resident"))


def host_scopes(metadata: dict[str, str]) -> tuple[str, ...]:
    """Scopes whose operators run on the CPU, by the model's entry `host_scopes`, a JSON list."""
    return tuple(_names(metadata, "host_scopes"))


def _names(metadata: dict[str, str], key: str) -> list[str]:
    try:
        names = json.loads(metadata.get(key, "[]"))
    except ValueError:
        return []
    return [str(name) for name in names] if isinstance(names, list) else []


def is_below(scope: str, roots: tuple[str, ...]) -> bool:
    """The scope is one of the roots or lies below one."""
    return any(scope == root or scope.startswith(f"{root}.") for root in roots)


def updated_states(work: WorkGraph) -> dict[str, str]:
    """States that the model updates in place, output name -> input name.

    A `TensorScatter` from a model input, read by nothing else, to a model output: the cache of a decoder. Its
    bytes stay on the device and only the new places are written.
    """
    states = {}
    for node in work.of("TensorScatter"):
        operand, result = node.inputs[0], node.outputs[0]
        if operand is not None and operand.is_input and result.is_output and len(operand.consumers) == 1:
            states[result.name] = operand.name
    return states
