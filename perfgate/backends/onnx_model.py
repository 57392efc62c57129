"""A model as ONNX Runtime can run it: with weights where a sketch has none, and a name for every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST_WEIGHTS = 1 << 30  # bytes; a protobuf file ends at 2 GiB
WEIGHTS = ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data")


def parsed(model: bytes, name: str, place: str) -> Any:  # noqa: ANN401 - onnx.ModelProto, which carries no types
    """The model.

    Raises:
        UsageError: the bytes are none.
    """
    import onnx  # noqa: PLC0415 - 120 ms, only for model files
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - loaded by onnx

    try:
        return onnx.load_from_string(model)
    except DecodeError:
        raise UsageError(f"{name} is no ONNX model", place, "name an ONNX file") from None


def with_weights(model: bytes, name: str, place: str) -> bytes:
    """The model with made-up weights where it has shapes only, as the zoo's have.

    Matrices and kernels have a variance of 1 / inputs, so that values neither vanish (denormal numbers are
    slow) nor overflow; vectors lie in [.5, 1.5).

    Raises:
        UsageError: no model, or too large.
    """
    import onnx  # noqa: PLC0415 - as above

    proto = parsed(model, name, place)
    size = 0
    for tensor in _empty(proto.graph):
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        shape = tuple(tensor.dims)
        size += int(np.prod(shape)) * dtype.itemsize
        if size > LARGEST_WEIGHTS:
            what = f"the weights of {name} are larger than {LARGEST_WEIGHTS >> 30} GiB"
            raise UsageError(what, place, "choose a smaller `preset`")
        source = np.random.default_rng(len(shape))
        if len(shape) > 1:
            values = source.standard_normal(shape, dtype=np.float32) / np.sqrt(np.prod(shape[1:]))
        else:
            values = source.random(shape, dtype=np.float32) + np.float32(0.5)
        tensor.raw_data = values.astype(dtype).tobytes()
    return bytes(proto.SerializeToString())


def _empty(graph: Any) -> Iterator[Any]:  # noqa: ANN401 - protobuf messages
    for tensor in graph.initializer:
        has_data = any(getattr(tensor, field) for field in WEIGHTS) or tensor.external_data
        if not has_data and all(tensor.dims):
            yield tensor


def with_names(proto: Any) -> bytes | None:  # noqa: ANN401 - onnx.ModelProto
    """The model with every node named, by its first output.

    None when all have names, or data lie in other files. ONNX Runtime calls a node without a name by its
    position, which the next optimisation changes.
    """
    unnamed = [node for node in proto.graph.node if not node.name and node.output]
    if not unnamed or any(tensor.external_data for tensor in proto.graph.initializer):
        return None
    taken = {node.name for node in proto.graph.node}
    for node in unnamed:
        node.name = node.output[0] if node.output[0] not in taken else f"{node.output[0]}:{node.op_type}"
    return bytes(proto.SerializeToString())
