"""The inputs of a model file as they are declared, and a first guess for the dimensions left open."""

from __future__ import annotations

IMAGE_RANK = 4
IMAGE_SIZE = 224  # what most image classifiers take; a guess that a person edits
SEQUENCE = 128


def guessed_inputs(model: bytes) -> dict[str, tuple[int, ...]]:
    """A shape for every input, if one of them has an open dimension; empty when all are fixed.

    The first open dimension is a batch of 1, open height and width of an image 224, others 128.

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
    declared = {
        item.name: [(int(dim.dim_value), str(dim.dim_param)) for dim in item.type.tensor_type.shape.dim]
        for item in graph.input
        if item.name not in weights and item.type.HasField("tensor_type")
    }
    if all(size > 0 for dims in declared.values() for size, _ in dims):
        return {}
    known: dict[str, int] = {}
    return {
        name: tuple(_guess(dims, axis, known) for axis in range(len(dims))) for name, dims in declared.items()
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
