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
    """A copy of the model with the edit made at the first `times` nodes that `at` names (all ops by default).

    Raises:
        UsageError: no such edit, or no node fits.
    """
    if edit not in EDITS:
        raise UsageError(f"unknown edit {edit!r}", "plant", f"choose from {', '.join(sorted(EDITS))}")
    change, default = EDITS[edit]
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    pattern = at or default
    nodes = [
        node
        for node in copy.graph.node
        if fnmatch.fnmatchcase(node.name, pattern) or fnmatch.fnmatchcase(node.op_type, pattern)
    ][:times]
    if not nodes:
        raise UsageError(f"no node fits {pattern!r}", f"plant: {edit}", "name a node or an op of the model")
    for number, node in enumerate(nodes):
        change(copy.graph, node, number)
    return copy


def _insert_after(graph: Model, node: Model, new: list[Model]) -> None:
    """Put nodes behind another, which has to stay before them."""
    position = list(graph.node).index(node) + 1
    rest = list(graph.node)[position:]
    del graph.node[position:]
    graph.node.extend([*new, *rest])


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


def _where_relu(graph: Model, node: Model, number: int) -> None:
    """`Where(x > 0, x, 0)` for a Relu: equal numbers, and no activation that a fusion knows."""
    zero = _constant(graph, f"planted_zero_{number}", 0, node)
    source, result, name = node.input[0], node.output[0], node.name
    mask = f"{result}.mask"
    index = list(graph.node).index(node)
    new = [
        helper.make_node("Greater", [source, zero], [mask], name=f"{name}.greater"),
        helper.make_node("Where", [mask, source, zero], [result], name=f"{name}.where"),
    ]
    rest = list(graph.node)[index + 1 :]
    del graph.node[index:]
    graph.node.extend([*new, *rest])


def _extra_output(graph: Model, node: Model, number: int) -> None:
    """The inner tensor becomes an output of the model, for debugging."""
    del number
    kind = _type_of(graph, node)
    graph.output.append(helper.make_tensor_value_info(node.output[0], kind, None))


def _second_consumer(graph: Model, node: Model, number: int) -> None:
    """Somebody else reads the inner tensor as well: a statistic that is an output of the model."""
    result = f"planted_statistic_{number}"
    mean = helper.make_node("Neg", [node.output[0]], [result], name=f"{node.name}.statistic")
    _insert_after(graph, node, [mean])
    graph.output.append(helper.make_tensor_value_info(result, _type_of(graph, node), None))


def _slow_activation(graph: Model, node: Model, number: int) -> None:
    """A chain of expensive elementwise operators behind the node."""
    del number
    inner, result = _renamed_output(node, "plain")
    names = [inner, *(f"{result}.slow{step}" for step in range(3)), result]
    ops = ("Exp", "Log", "Erf", "Softplus")
    new = [
        helper.make_node(op, [names[step]], [names[step + 1]], name=f"{node.name}.{op.lower()}")
        for step, op in enumerate(ops)
    ]
    _insert_after(graph, node, new)


def _transposes(graph: Model, node: Model, number: int) -> None:
    """The data goes to channels-last, through a Softmax, and back."""
    del number
    inner, result = _renamed_output(node, "first")
    turned, done = f"{result}.turned", f"{result}.done"
    new = [
        helper.make_node("Transpose", [inner], [turned], name=f"{node.name}.turn", perm=[0, 2, 3, 1]),
        helper.make_node("Softmax", [turned], [done], name=f"{node.name}.soft", axis=-1),
        helper.make_node("Transpose", [done], [result], name=f"{node.name}.back", perm=[0, 3, 1, 2]),
    ]
    _insert_after(graph, node, new)


def _repeat_layer(graph: Model, node: Model, number: int) -> None:
    """The same Conv once more behind itself: the layer was added twice."""
    weight = next(item for item in graph.initializer if item.name == node.input[1])
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
    _insert_after(graph, node, [again])


def _random(graph: Model, node: Model, number: int) -> None:
    """Noise is added to the data: the operator cannot be folded, merged or fused away."""
    del number
    inner, result = _renamed_output(node, "clean")
    noise = f"{result}.noise"
    kind = _type_of(graph, node)
    new = [
        helper.make_node("RandomNormalLike", [inner], [noise], name=f"{node.name}.noise", dtype=kind),
        helper.make_node("Add", [inner, noise], [result], name=f"{node.name}.noisy"),
    ]
    _insert_after(graph, node, new)


EDITS: dict[str, tuple[Callable[[Model, Model, int], None], str]] = {
    "where_relu": (_where_relu, "Relu"),
    "extra_output": (_extra_output, "Conv"),
    "second_consumer": (_second_consumer, "Conv"),
    "slow_activation": (_slow_activation, "Relu"),
    "transposes": (_transposes, "Conv"),
    "repeat_layer": (_repeat_layer, "Conv"),
    "random": (_random, "Relu"),
}
