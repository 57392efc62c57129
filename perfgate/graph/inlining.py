"""Calls of model functions are replaced by the function's nodes; scope becomes `caller/inline@callee`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.graph.ir import Node, Place
from perfgate.graph.protobuf import Message, attribute_value, broken

if TYPE_CHECKING:
    from perfgate.graph.frame import Frame
    from perfgate.graph.importer import Importer

DEEPEST = 100  # calls and bodies inside each other; protobuf itself stops nested messages at 100


def call_function(importer: Importer, proto: Message, inputs: tuple[str, ...], frame: Frame) -> None:
    """Adds the callee's nodes with arguments in place of formal names."""
    function = importer.functions[proto.domain, proto.op_type]
    name = node_name(proto)
    deeper_than(frame, name)
    outputs = importer.output_names(proto, frame)
    prefix = f"{frame.prefix}/{name}" if frame.prefix and proto.name else name
    formal = tuple(function.input)
    names = dict(zip(formal, inputs, strict=False)) | dict.fromkeys(formal[len(inputs) :], "")
    results = tuple(function.output)
    produced = {item for node in function.node for item in node.output}
    for inner, outer in zip(results, outputs, strict=False):
        if inner in produced and outer and inner not in names:
            names[inner] = outer
    arguments = {item.name: attribute_value(item) for item in function.attribute_proto}
    arguments |= importer.attributes(proto, frame)
    versions = {entry.domain or "": entry.version for entry in function.opset_import}
    inner_frame = msgspec.structs.replace(
        frame,
        opset=versions.get("", versions.get("ai.onnx", frame.opset)),
        versions=versions,
        names=names,
        prefix=f"{prefix}/inline@{proto.op_type}",
        attributes=arguments,
        depth=frame.depth + 1,
    )
    importer.add_nodes(function.node, inner_frame)
    for inner, outer in zip(results, outputs, strict=False):
        alias(importer, names.get(inner, inner), outer, inner_frame)


def node_name(proto: Message) -> str:
    """Name by which the user's options mean the node."""
    return proto.name or next(iter(proto.output), "")


def body_of(proto: Message, name: str) -> Message:
    """The body graph of a control node."""
    for item in proto.attribute:
        if item.name == name:
            return item.g
    raise broken(f"the body '{name}' is absent")


def body_frame(frame: Frame, proto: Message, part: str, repeat: int) -> Frame:
    """Frame of a body: sees the names outside, its own names get the prefix where they collide."""
    deeper_than(frame, node_name(proto))
    prefix = f"{node_name(proto)}/{part}"
    return msgspec.structs.replace(
        frame,
        names=dict(frame.names or {}),
        prefix=f"{frame.prefix}/{prefix}" if frame.prefix else prefix,
        repeat=frame.repeat * repeat,
        depth=frame.depth + 1,
    )


def alias(importer: Importer, source: str, target: str, frame: Frame) -> None:
    """Makes `target` another name of `source` by an Identity, unless it already is the same tensor."""
    if not target or source == target or target in importer.tensors:
        return
    if source in importer.poisoned:
        importer.poisoned.add(target)
        return
    if source in importer.sequences:
        importer.sequences[target] = importer.sequences[source]
        return
    tensor = importer.tensors.get(source)
    if tensor is None:
        raise broken(f"the body's result '{source}' is produced by nothing")
    index = importer.next_index
    importer.next_index += 1
    node = Node(
        index=index,
        name=target,
        op="Identity",
        domain="",
        inputs=(source,),
        outputs=(target,),
        attributes={},
        scope=target.replace("/", ".").strip("."),
        place=Place(importer.source, index),
        repeat=frame.repeat,
        opset=frame.opset,
    )
    importer.add_synthetic(node, [(tensor.shape, tensor.dtype)], [tensor.value])


def deeper_than(frame: Frame, name: str) -> None:
    """Stops bodies that are nested beyond sense, for example functions that call each other."""
    if frame.depth >= DEEPEST:
        raise broken(
            f"bodies are nested more than {DEEPEST} deep at '{name}'", "call no function from itself"
        )


def resolved_attributes(proto: Message, arguments: dict[str, Any]) -> dict[str, Any]:
    """Attributes of a function's node; references take the caller's argument or stay absent."""
    resolved = {}
    for item in proto.attribute:
        reference = item.ref_attr_name
        if not reference:
            resolved[item.name] = attribute_value(item)
        elif reference in arguments:
            resolved[item.name] = arguments[reference]
    return resolved
