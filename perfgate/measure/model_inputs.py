"""The inputs of a model file as they are declared, and a first guess for the dimensions left open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

IMAGE_RANK = 4
IMAGE_SIZE = 224  # what most image classifiers take; a guess that a person edits
SEQUENCE = 128


def bound_inputs(
    model: bytes, bind: Mapping[str, int], batch: int | None, where: str
) -> dict[str, tuple[int, ...]]:
    """A shape for every input whose open dimensions `bind` and `batch` name; `batch` is the first one.

    Raises:
        UsageError: the bytes are no ONNX model, or a dimension stays open.
    """
    try:
        declared = declared_inputs(model)
    except ValueError as problem:
        raise UsageError(f"the model is no ONNX model, {problem}", where, "correct the path") from None
    shapes = {}
    for name, dims in declared.items():
        sizes = [
            size or bind.get(symbol) or (batch if axis == 0 else None)
            for axis, (size, symbol) in enumerate(dims)
        ]
        still_open = next((dims[axis][1] or str(axis) for axis, size in enumerate(sizes) if not size), None)
        if still_open is not None:
            what = f"the dimension {still_open!r} of input {name!r} is not bound"
            raise UsageError(what, where, f"give bind={{{still_open!r}: 1}}, or inputs={{{name!r}: [...]}}")
        shapes[name] = tuple(size for size in sizes if size)
    return shapes


def guessed_inputs(model: bytes) -> dict[str, tuple[int, ...]]:
    """A shape for every input, if one of them has an open dimension; empty when all are fixed.

    The first open dimension is a batch of 1, open height and width of an image 224, others 128.

    Raises:
        ValueError: the bytes are no ONNX model.
    """
    declared = declared_inputs(model)
    if all(size > 0 for dims in declared.values() for size, _ in dims):
        return {}
    known: dict[str, int] = {}
    return {
        name: tuple(_guess(dims, axis, known) for axis in range(len(dims))) for name, dims in declared.items()
    }


def declared_inputs(model: bytes) -> dict[str, list[tuple[int, str]]]:
    """Size and symbol of every dimension of every input; a size of 0 is open.

    Raises:
        ValueError: the bytes are no ONNX model.
    """
    import onnx  # noqa: PLC0415 - 120 ms, only for model files
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - loaded by onnx

    try:
        graph = onnx.load_from_string(model).graph
    except DecodeError as problem:
        raise ValueError(str(problem)) from None
    weights = {item.name for item in graph.initializer}
    return {
        item.name: [(int(dim.dim_value), str(dim.dim_param)) for dim in item.type.tensor_type.shape.dim]
        for item in graph.input
        if item.name not in weights and item.type.HasField("tensor_type")
    }


def _guess(dims: list[tuple[int, str]], axis: int, known: dict[str, int]) -> int:
    """The size of one dimension; the same symbol is the same size in every input."""
    size, symbol = dims[axis]
    if size > 0:
        return size
    if symbol not in known:
        is_batch = axis == 0 or "batch" in symbol.lower()
        guess = 1 if is_batch else IMAGE_SIZE if len(dims) == IMAGE_RANK else SEQUENCE
        if not symbol:
            return guess
        known[symbol] = guess
    return known[symbol]
