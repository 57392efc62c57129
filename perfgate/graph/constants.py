"""`Constant` and `ConstantOfShape` nodes become weights: some models keep all of theirs this way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.graph.ir import Tensor, TensorKind, is_integer_type
from perfgate.graph.ops.rows import MOST_VALUE_ELEMENTS, product
from perfgate.graph.problems import ValueNeeded
from perfgate.graph.protobuf import Array, Message, attribute_array, broken, element_type, weight_tensor

MOST_FLOATS = 16  # scales: one for each axis

if TYPE_CHECKING:
    from perfgate.graph.frame import Frame
    from perfgate.graph.importer import Importer


def fold_constant(importer: Importer, proto: Message, _inputs: tuple[str, ...], frame: Frame) -> bool:
    """Defines the output of a `Constant` as a weight."""
    (name,) = importer.output_names(proto, frame)
    attributes = list(proto.attribute)
    if len(attributes) != 1:
        raise broken(f"a Constant with {len(attributes)} values", "give it one value")
    kind = attributes[0].name
    if kind == "value" and not attributes[0].ref_attr_name:
        importer.define_weight(weight_tensor(attributes[0].t, name, importer.folder))
        return True
    value = importer.attributes(proto, frame).get(kind)
    if kind == "sparse_value":
        dims = tuple(attributes[0].sparse_tensor.dims)
        dtype = weight_tensor(attributes[0].sparse_tensor.values, name, None).dtype
        importer.define_weight(Tensor(name, dims, dtype, TensorKind.WEIGHT))
        return True
    types = {"value_float": "float32", "value_floats": "float32", "value_int": "int64", "value_ints": "int64"}
    array: Any = value if kind == "value" else np.array(value, dtype=types.get(kind, "object"))
    dtype = "string" if array.dtype == object else array.dtype.name
    importer.define_weight(Tensor(name, array.shape, dtype, TensorKind.WEIGHT, array))
    return True


def fold_constant_of_shape(importer: Importer, proto: Message, inputs: tuple[str, ...], frame: Frame) -> bool:
    """Defines the output of a `ConstantOfShape` as a weight; a big one carries no value."""
    (name,) = importer.output_names(proto, frame)
    operand = importer.tensors[inputs[0]]
    if operand.value is None and operand.shape != (0,):
        raise ValueNeeded(0, "shape")
    shape = tuple(operand.value.tolist()) if operand.value is not None else ()
    if min(shape, default=0) < 0:
        raise broken(f"the shape {list(shape)} has a negative size", "give sizes of 0 or more")
    dtype, fill = "float32", None
    for item in proto.attribute:
        dtype, fill = element_type(item.t.data_type, name), item.t
    value = _filled(shape, dtype, fill)
    importer.define_weight(Tensor(name, shape, dtype, TensorKind.WEIGHT, value))
    return True


def _filled(shape: tuple[int, ...], dtype: str, fill: Message) -> Array:
    """The elements where they can steer shapes; a filled float tensor stands for weights nobody shipped."""
    if product(shape) > (MOST_VALUE_ELEMENTS if is_integer_type(dtype) else MOST_FLOATS):
        return None
    return np.full(shape, 0 if fill is None else attribute_array(fill).ravel()[0], dtype=dtype)


HANDLERS = {"Constant": fold_constant, "ConstantOfShape": fold_constant_of_shape}
