"""Turns an operator's refusal into a problem that names node, version, operands, producers and remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ir import Tensor, TensorKind
from perfgate.graph.problems import Problem, ProblemCode, Refusal, ValueNeeded

if TYPE_CHECKING:
    from perfgate.graph.frame import Frame
    from perfgate.graph.importer import Importer
    from perfgate.graph.protobuf import Message

MOST_ROOTS = 3  # a message, not a listing


def explain(
    importer: Importer, refusal: Refusal, proto: Message, frame: Frame, inputs: tuple[str, ...]
) -> Problem:
    """The problem as the user reads it."""
    domain = proto.domain or "ai.onnx"
    version = frame.versions.get(proto.domain, frame.opset)
    name = proto.name or next(iter(proto.output), "?")
    if frame.prefix:
        name = f"{frame.prefix}/{name}"
    where = f"{importer.source}: node '{name}' ({proto.op_type}, {domain}:{version})"
    if isinstance(refusal, ValueNeeded):
        return _missing_value(importer, refusal, where, inputs)
    remedy = refusal.remedy
    if refusal.code is ProblemCode.SHAPE_MISMATCH:
        remedy = f"{remedy} ({_operands(importer, inputs)})"
    return Problem(refusal.code, refusal.what, where, remedy)


def _producers(importer: Importer) -> dict[str, str]:
    return {output: node.name for node in importer.nodes for output in node.outputs}


def _operands(importer: Importer, inputs: tuple[str, ...]) -> str:
    producers = _producers(importer)
    parts = []
    for name in inputs:
        tensor = importer.tensors.get(name)
        if tensor is not None:
            origin = f"from node '{producers[name]}'" if name in producers else f"{tensor.kind} of the model"
            parts.append(f"'{name}' {list(tensor.shape)} {origin}")
    return ", ".join(parts)


def _missing_value(importer: Importer, refusal: ValueNeeded, where: str, inputs: tuple[str, ...]) -> Problem:
    name = inputs[refusal.position]
    roots = _unknown_roots(importer, name)
    described, files, keys = [], [], []
    for root in roots:
        location = importer.external_files.get(root.name, "")
        described.append(f"'{root.name}' ({_origin(root, location)})")
        keys.append(f"{root.name}: [...]")
        if location:
            files.append(location)
    remedy = f"give values: {{{', '.join(keys)}}}"
    if files:
        remedy = f"put the file '{files[0]}' beside the model, or {remedy}"
    what = f"{refusal.what}: input {refusal.position} '{name}' depends on {', '.join(described)}"
    return Problem(ProblemCode.MISSING_VALUE, what, where, remedy)


def _origin(root: Tensor, location: str) -> str:
    if root.kind is TensorKind.INPUT:
        return "a graph input"
    if root.kind is TensorKind.WEIGHT:
        return f"shape-only initialiser, external file '{location}'" if location else "shape-only initialiser"
    return "computed from data"


def _unknown_roots(importer: Importer, name: str) -> list[Tensor]:
    """Inputs and shape-only initialisers that the value of `name` hangs on, at most three."""
    makers = {output: node for node in importer.nodes for output in node.outputs}
    roots: list[Tensor] = []
    pending, seen = [name], {name}
    while pending and len(roots) < MOST_ROOTS:
        tensor = importer.tensors[pending.pop()]
        if tensor.value is not None:
            continue
        maker = makers.get(tensor.name)
        if maker is None:
            roots.append(tensor)
            continue
        fresh = [item for item in maker.inputs if item and item not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return roots or [importer.tensors[name]]
