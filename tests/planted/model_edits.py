"""Changes of a model's graph that somebody makes in an export script, each by its name."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

Model = Any  # onnx carries no types


def edited(model: Model, edit: str, at: str, times: int) -> Model:
    """A copy of the model, edited at the first `times` nodes that fit `at` (a name or an op, with `*`).

    Raises:
        UsageError: no such edit, or no node fits.
    """
    if edit not in EDITS:
        raise UsageError(f"unknown edit {edit!r}", "plant", f"choose from {', '.join(sorted(EDITS))}")
    change, default = EDITS[edit]
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    draft = Draft(copy.graph)
    pattern = at or default
    chosen = [
        node
        for node in draft.nodes
        if fnmatch.fnmatchcase(node.name, pattern) or fnmatch.fnmatchcase(node.op_type, pattern)
    ][:times]
    if not chosen:
        raise UsageError(f"no node fits {pattern!r}", f"plant: {edit}", "name a node or an op of the model")
    for number, node in enumerate(chosen):
        change(draft, node, number)
    draft.write()
    return copy


class Draft:
    """A graph while its nodes are changed; protobuf's own list copies what is put in."""

    def __init__(self, graph: Model) -> None:
        self.graph = graph
        self.nodes: list[Model] = []
        for node in graph.node:
            own = onnx.NodeProto()
            own.CopyFrom(node)
            self.nodes.append(own)

    def place(self, node: Model) -> int:
        """Where a node stands."""
        return next(index for index, item in enumerate(self.nodes) if item is node)

    def insert_after(self, node: Model, new: list[Model]) -> None:
        """Put nodes behind another."""
        place = self.place(node) + 1
        self.nodes[place:place] = new

    def replace(self, node: Model, new: list[Model]) -> None:
        """Put nodes in the place of another."""
        place = self.place(node)
        self.nodes[place : place + 1] = new

    def write(self) -> None:
        """Back into the graph."""
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)


def _constant(graph: Model, name: str, values: Any, node: Model) -> str:  # noqa: ANN401 - numbers
    """A scalar of the type that the model's tensors have."""
    kind = _type_of(graph, node)
    array = np.array(values, dtype=helper.tensor_dtype_to_np_dtype(kind))
    graph.initializer.append(numpy_helper.from_array(array, name))
    return name


def _type_of(graph: Model, node: Model) -> int:
    """The element type of a node's data, by the declared value, a weight, or the model's first input."""
    names = {*node.input, *node.output}
    declared = {
        item.name: item.type.tensor_type.elem_type
        for item in (*graph.value_info, *graph.input, *graph.output)
    }
    weights = {item.name: item.data_type for item in graph.initializer}
    floats = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16}
    for name in names:
        for known in (declared, weights):
            if known.get(name) in floats:
                return int(known[name])
    return next((kind for kind in declared.values() if kind in floats), int(TensorProto.FLOAT))


def _renamed_output(node: Model, suffix: str) -> tuple[str, str]:
    """The node's first output under a new name; those who read the old one read what is put behind it."""
    old = node.output[0]
    node.output[0] = f"{old}.{suffix}"
    return node.output[0], old


def _where_relu(draft: Draft, node: Model, number: int) -> None:
    """`Where(x > 0, x, 0)` for a Relu: equal numbers, and no activation that a fusion knows."""
    zero = _constant(draft.graph, f"planted_zero_{number}", 0, node)
    source, result, name = node.input[0], node.output[0], node.name
    mask = f"{result}.mask"
    new = [
        helper.make_node("Greater", [source, zero], [mask], name=f"{name}.greater"),
        helper.make_node("Where", [mask, source, zero], [result], name=f"{name}.where"),
    ]
    draft.replace(node, new)


def _extra_output(draft: Draft, node: Model, number: int) -> None:
    """The inner tensor becomes an output of the model, for debugging."""
    del number
    kind = _type_of(draft.graph, node)
    draft.graph.output.append(helper.make_tensor_value_info(node.output[0], kind, None))


def _second_consumer(draft: Draft, node: Model, number: int) -> None:
    """Somebody else reads the inner tensor as well: a statistic that is an output of the model."""
    result = f"planted_statistic_{number}"
    mean = helper.make_node("Neg", [node.output[0]], [result], name=f"{node.name}.statistic")
    draft.insert_after(node, [mean])
    draft.graph.output.append(helper.make_tensor_value_info(result, _type_of(draft.graph, node), None))


def _slow_activation(draft: Draft, node: Model, number: int) -> None:
    """A chain of expensive elementwise operators behind the node."""
    del number
    inner, result = _renamed_output(node, "plain")
    names = [inner, *(f"{result}.slow{step}" for step in range(3)), result]
    ops = ("Exp", "Log", "Erf", "Softplus")
    new = [
        helper.make_node(op, [names[step]], [names[step + 1]], name=f"{node.name}.{op.lower()}")
        for step, op in enumerate(ops)
    ]
    draft.insert_after(node, new)


def _transposes(draft: Draft, node: Model, number: int) -> None:
    """The data goes to channels-last, through a Softmax, and back."""
    del number
    inner, result = _renamed_output(node, "first")
    turned, done = f"{result}.turned", f"{result}.done"
    new = [
        helper.make_node("Transpose", [inner], [turned], name=f"{node.name}.turn", perm=[0, 2, 3, 1]),
        helper.make_node("Softmax", [turned], [done], name=f"{node.name}.soft", axis=-1),
        helper.make_node("Transpose", [done], [result], name=f"{node.name}.back", perm=[0, 3, 1, 2]),
    ]
    draft.insert_after(node, new)


def _repeat_layer(draft: Draft, node: Model, number: int) -> None:
    """The same Conv once more behind itself: the layer was added twice."""
    weight = next(item for item in draft.graph.initializer if item.name == node.input[1])
    out_channels, in_channels = weight.dims[0], weight.dims[1]
    if out_channels != in_channels or any(
        item.name == "strides" and set(item.ints) != {1} for item in node.attribute
    ):
        raise UsageError(f"{node.name} changes the shape", "plant: repeat_layer", "name a Conv that keeps it")
    inner, result = _renamed_output(node, f"once{number}")
    again = onnx.NodeProto()
    again.CopyFrom(node)
    again.name = f"{node.name}.again"
    again.input[0] = inner
    again.output[0] = result
    draft.insert_after(node, [again])


def _random(draft: Draft, node: Model, number: int) -> None:
    """Noise is added to the data: the operator cannot be folded, merged or fused away."""
    del number
    inner, result = _renamed_output(node, "clean")
    noise = f"{result}.noise"
    kind = _type_of(draft.graph, node)
    new = [
        helper.make_node("RandomNormalLike", [inner], [noise], name=f"{node.name}.noise", dtype=kind),
        helper.make_node("Add", [inner, noise], [result], name=f"{node.name}.noisy"),
    ]
    draft.insert_after(node, new)


EDITS: dict[str, tuple[Callable[[Draft, Model, int], None], str]] = {
    "where_relu": (_where_relu, "Relu"),
    "extra_output": (_extra_output, "Conv"),
    "second_consumer": (_second_consumer, "Conv"),
    "slow_activation": (_slow_activation, "Relu"),
    "transposes": (_transposes, "Conv"),
    "repeat_layer": (_repeat_layer, "Conv"),
    "random": (_random, "Relu"),
}
