"""`tea_cache`: iterations that reuse the stored output of the cacheable region run a smaller program."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from perfgate.compiler.layouts import has_layout

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkValue
    from perfgate.core.device import Device
    from perfgate.graph.ir import Graph

NAME = "step_cache"


def stored_tensor(graph: Graph, log: PassLog) -> str:
    """Name of the tensor that the region's description stores; "" with a refusal in the log.

    The description is the model's entry `step_cache`: a JSON object with `scopes` and `tensor`.
    """
    where = graph.name
    text = graph.metadata.get("step_cache")
    if text is None:
        log.note(NAME, where, "no-region: the model describes no cacheable region (metadata step_cache)")
        return ""
    try:
        tensor = json.loads(text)["tensor"]
    except (ValueError, TypeError, KeyError):
        log.note(NAME, where, "no-region: metadata step_cache is no object with scopes and tensor")
        return ""
    if not isinstance(tensor, str) or tensor not in graph.tensors or tensor in graph.inputs:
        log.note(NAME, where, f"no-region: the model computes no tensor '{tensor}'")
        return ""
    return tensor


def keep(work: WorkGraph, tensor: str) -> None:
    """Let no fusion swallow the tensor: a later iteration reads it."""
    work.values[tensor].is_output = True


def cut(work: WorkGraph, tensor: str, config: CompileConfig, device: Device) -> WorkValue:
    """Turn the tensor into one that is there already; what only it needed is dead code then."""
    value = work.values[tensor]
    producer = value.producer
    if producer is not None:
        unused = work.new_value(f"{tensor}.not_computed", value.shape, value.dtype)
        unused.producer = producer
        producer.outputs = [unused if output is value else output for output in producer.outputs]
    value.producer, value.is_input = None, True
    if has_layout(value):
        value.layout = config.layout or device.native_layout
    work.inputs.append(value)
    return value
