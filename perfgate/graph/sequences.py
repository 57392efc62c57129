"""Sequence and optional operators, folded away: while importing, a sequence is a tuple of tensor names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np

from perfgate.graph.inlining import alias, body_frame, body_of
from perfgate.graph.ir import Node, Place, Tensor, TensorKind
from perfgate.graph.ops.rows import axis_of
from perfgate.graph.problems import ProblemCode, Refusal, ValueNeeded, mismatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.graph.frame import Frame
    from perfgate.graph.importer import Importer
    from perfgate.graph.protobuf import AttributeValue, Message

Sequence: TypeAlias = tuple[str, ...]
MOST_ITEMS = 4096  # a longer sequence is data, not structure


class Call(msgspec.Struct, frozen=True):
    """One sequence node being folded."""

    importer: Importer
    proto: Message
    inputs: tuple[str, ...]
    frame: Frame
    outputs: tuple[str, ...]

    def sequence(self) -> Sequence:
        """The first input as a sequence."""
        found = self.importer.sequences.get(self.inputs[0])
        if found is None:
            raise Refusal(
                ProblemCode.UNKNOWN_OPERATOR,
                f"'{self.inputs[0]}' is no sequence whose members are known",
                "export the model without sequences",
            )
        return found

    def position(self, operand: int, size: int, default: int) -> int:
        """A constant position within the sequence."""
        if len(self.inputs) <= operand or not self.inputs[operand]:
            return default
        value = self.importer.tensors[self.inputs[operand]].value
        if value is None:
            raise ValueNeeded(operand, "position")
        index = int(value.ravel()[0])
        if not -size <= index < max(size, 1) and index != size:
            raise mismatch(f"position {index} is outside a sequence of {size}")
        return index + size if index < 0 else index

    def node(self, op: str, inputs: Sequence, outputs: Sequence, **attributes: AttributeValue) -> None:
        """Adds a tensor node that does a part of this one's work."""
        importer = self.importer
        index = importer.next_index
        importer.next_index += 1
        name = outputs[0]
        importer.add_computed(
            Node(
                index=index,
                name=name,
                op=op,
                domain="",
                inputs=inputs,
                outputs=outputs,
                attributes=attributes,
                scope=name.replace("/", ".").strip("."),
                place=Place(importer.source, index),
                repeat=self.frame.repeat,
                opset=self.frame.opset,
            )
        )


def _construct(call: Call) -> None:
    call.importer.sequences[call.outputs[0]] = call.inputs


def _empty(call: Call) -> None:
    call.importer.sequences[call.outputs[0]] = ()


def _insert(call: Call) -> None:
    items = call.sequence()
    at = call.position(2, len(items), len(items))
    call.importer.sequences[call.outputs[0]] = (*items[:at], call.inputs[1], *items[at:])


def _erase(call: Call) -> None:
    items = call.sequence()
    at = call.position(1, len(items), len(items) - 1)
    call.importer.sequences[call.outputs[0]] = items[:at] + items[at + 1 :]


def _at(call: Call) -> None:
    items = call.sequence()
    at = call.position(1, len(items), 0)
    if at >= len(items):
        raise mismatch(f"position {at} is outside a sequence of {len(items)}")
    alias(call.importer, items[at], call.outputs[0], call.frame)


def _length(call: Call) -> None:
    value = np.array(len(call.sequence()), dtype=np.int64)
    call.importer.define_weight(Tensor(call.outputs[0], (), "int64", TensorKind.WEIGHT, value))


def _split(call: Call) -> None:
    source = call.importer.tensors[call.inputs[0]]
    attributes = call.importer.attributes(call.proto, call.frame)
    axis = axis_of(attributes.get("axis", 0), len(source.shape))
    size = source.shape[axis]
    is_dropped = False
    if len(call.inputs) > 1 and call.inputs[1]:
        given = call.importer.tensors[call.inputs[1]]
        if given.value is None:
            raise ValueNeeded(1, "split sizes")
        sizes = tuple(int(item) for item in given.value.ravel().tolist())
        if not given.shape:
            chunk = max(1, sizes[0])
            sizes = tuple(min(chunk, size - start) for start in range(0, size, chunk))
    else:
        sizes, is_dropped = (1,) * min(size, MOST_ITEMS + 1), not attributes.get("keepdims", 1)
    if len(sizes) > MOST_ITEMS:
        raise mismatch(f"a sequence of {size} members is longer than {MOST_ITEMS}", "use tensors")
    name = call.outputs[0]
    items = tuple(f"{name}/{index}" for index in range(len(sizes)))
    call.node("Split", (source.name,), items, axis=axis, split=sizes)
    if is_dropped:
        for item in items:
            call.node("Squeeze", (item,), (f"{item}/squeezed",), axes=(axis,))
        items = tuple(f"{item}/squeezed" for item in items)
    call.importer.sequences[name] = items


def _concat(call: Call) -> None:
    items = call.sequence()
    attributes = call.importer.attributes(call.proto, call.frame)
    axis = attributes["axis"]
    if attributes.get("new_axis"):
        for position, item in enumerate(items):
            call.node("Unsqueeze", (item,), (f"{call.outputs[0]}/{position}",), axes=(axis,))
        items = tuple(f"{call.outputs[0]}/{position}" for position in range(len(items)))
    call.node("Concat", items, call.outputs, axis=axis)


def _map(call: Call) -> None:
    body = body_of(call.proto, "body")
    results: list[list[str]] = [[] for _ in call.outputs]
    for index in range(len(call.sequence())):
        inner = body_frame(call.frame, call.proto, f"body.{index}", 1)
        names = inner.names if inner.names is not None else {}
        for formal, given in zip(body.input, call.inputs, strict=False):
            members = call.importer.sequences.get(given)
            names[formal.name] = given if members is None else members[index]
        call.importer.add_weights(body.initializer, inner)
        call.importer.add_nodes(body.node, inner)
        for items, item in zip(results, body.output, strict=False):
            items.append(names.get(item.name, item.name))
    for output, items in zip(call.outputs, results, strict=True):
        call.importer.sequences[output] = tuple(items)


def _optional(call: Call) -> None:
    if not call.inputs:
        raise Refusal(
            ProblemCode.UNKNOWN_OPERATOR, "an empty optional has no cost", "export without optionals"
        )
    alias(call.importer, call.inputs[0], call.outputs[0], call.frame)


def _has_element(call: Call) -> None:
    value = np.array(bool(call.inputs and call.inputs[0]))
    call.importer.define_weight(Tensor(call.outputs[0], (), "bool", TensorKind.WEIGHT, value))


def _handler(fold: Callable[[Call], None]) -> Callable[[Importer, Any, tuple[str, ...], Frame], bool]:
    def handle(importer: Importer, proto: Message, inputs: tuple[str, ...], frame: Frame) -> bool:
        fold(Call(importer, proto, inputs, frame, importer.output_names(proto, frame)))
        return True

    return handle


def _identity(importer: Importer, proto: Message, inputs: tuple[str, ...], frame: Frame) -> bool:
    if not inputs or inputs[0] not in importer.sequences:
        return False
    (name,) = importer.output_names(proto, frame)
    importer.sequences[name] = importer.sequences[inputs[0]]
    return True


HANDLERS: dict[str, Callable[[Any, Any, tuple[str, ...], Any], bool]] = {
    "SequenceConstruct": _handler(_construct),
    "SequenceEmpty": _handler(_empty),
    "SequenceInsert": _handler(_insert),
    "SequenceErase": _handler(_erase),
    "SequenceAt": _handler(_at),
    "SequenceLength": _handler(_length),
    "SplitToSequence": _handler(_split),
    "ConcatFromSequence": _handler(_concat),
    "SequenceMap": _handler(_map),
    "Optional": _handler(_optional),
    "OptionalGetElement": _handler(_optional),
    "OptionalHasElement": _handler(_has_element),
    "Identity": _identity,
}
