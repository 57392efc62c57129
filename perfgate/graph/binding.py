"""Dynamic dimensions of graph inputs get their sizes before anything else is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ir import Tensor, TensorKind
from perfgate.graph.problems import Problem, ProblemCode
from perfgate.graph.protobuf import ELEMENT_TYPES, Message

if TYPE_CHECKING:
    from collections.abc import Mapping

DimensionName = int | str  # a size, a symbol, or "?" where the model says nothing


def declared_shape(type_proto: Message) -> tuple[DimensionName, ...] | None:
    """Sizes and symbols of a declared tensor; None when it is no tensor or has no shape."""
    if not type_proto.HasField("tensor_type") or not type_proto.tensor_type.HasField("shape"):
        return None
    dims: list[DimensionName] = []
    for dim in type_proto.tensor_type.shape.dim:
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            dims.append(dim.dim_value)
        else:
            dims.append(dim.dim_param or "?")
    return tuple(dims)


class BoundInputs:
    """Inputs with every dimension known, the sizes of the symbols, and what could not be bound."""

    __slots__ = ("problems", "shapes", "source", "symbols", "tensors")

    def __init__(self, shapes: Mapping[str, tuple[DimensionName, ...] | None], source: str) -> None:
        self.shapes = shapes
        self.source = source
        self.tensors: list[Tensor] = []
        self.symbols: dict[str, int] = {}
        self.problems: list[Problem] = []


def bind_inputs(protos: list[Message], bindings: Mapping[str, tuple[int, ...]], source: str) -> BoundInputs:
    """Binds inputs from `bindings` (-1 leaves a dimension open) and from symbols bound at other inputs."""
    shapes = {proto.name: declared_shape(proto.type) for proto in protos}
    bound = BoundInputs(shapes, source)
    for name, shape in shapes.items():
        _learn_symbols(bound, name, shape, bindings.get(name))
    failed = bool(bound.problems)
    named: set[str] = set()  # a symbol is reported at its first place only
    for proto in protos:
        shape = shapes[proto.name]
        if not proto.type.HasField("tensor_type"):
            bound.problems.append(_no_tensor(proto.name, source))
            continue
        wanted = bindings.get(proto.name)
        final = tuple(_sizes(bound.symbols, shape, wanted))
        if shape is None and wanted is None:
            bound.problems.append(_unbound(bound, proto.name, 0, "rank"))
        for axis, size in enumerate(final):
            symbol = str(shape[axis]) if shape is not None else "?"
            if size is None and not failed and symbol not in named:
                named.update({symbol} - {"?"})
                bound.problems.append(_unbound(bound, proto.name, axis, symbol))
        dtype = ELEMENT_TYPES.get(proto.type.tensor_type.elem_type)
        if dtype is None:
            bound.problems.append(
                Problem(
                    ProblemCode.BROKEN_MODEL,
                    f"input '{proto.name}' has the unknown element type {proto.type.tensor_type.elem_type}",
                    source,
                    "export the model again; nothing else is tried",
                )
            )
            continue
        sizes = tuple(1 if size is None else size for size in final)
        bound.tensors.append(Tensor(proto.name, sizes, dtype, TensorKind.INPUT))
    return bound


def _learn_symbols(
    bound: BoundInputs, name: str, shape: tuple[DimensionName, ...] | None, wanted: tuple[int, ...] | None
) -> None:
    if shape is None or wanted is None:
        return
    if len(shape) != len(wanted):
        _contradiction(bound, name, f"{list(wanted)} has {len(wanted)} dimensions, the model {list(shape)}")
        return
    for axis, (declared, size) in enumerate(zip(shape, wanted, strict=True)):
        if size < 0:
            continue
        known = (
            bound.symbols.setdefault(declared, size)
            if isinstance(declared, str) and declared != "?"
            else declared
        )
        if known not in {size, "?"}:
            _contradiction(
                bound,
                name,
                f"axis {axis} is bound to {size}, but the model has '{declared}' = {known}",
            )


def _contradiction(bound: BoundInputs, name: str, what: str) -> None:
    bound.problems.append(
        Problem(
            ProblemCode.SHAPE_MISMATCH,
            f"input '{name}': {what}",
            bound.source,
            "correct --input_shape (or the suite's shapes) to the model's declaration",
        )
    )


def _sizes(
    symbols: dict[str, int], shape: tuple[DimensionName, ...] | None, wanted: tuple[int, ...] | None
) -> list[int | None]:
    if shape is None:
        return [size if size >= 0 else None for size in wanted or ()]
    if wanted is None or len(wanted) != len(shape):
        wanted = (-1,) * len(shape)
    result: list[int | None] = []
    for declared, size in zip(shape, wanted, strict=True):
        if isinstance(declared, int):
            result.append(declared)
        else:
            result.append(size if size >= 0 else symbols.get(declared))
    return result


def _no_tensor(name: str, source: str) -> Problem:
    return Problem(
        ProblemCode.UNKNOWN_OPERATOR,
        f"input '{name}' is a sequence, map or optional: only tensors have a cost",
        source,
        "export the model with tensor inputs",
    )


def _unbound(bound: BoundInputs, name: str, axis: int, symbol: str) -> Problem:
    parts = []
    for other, shape in bound.shapes.items():
        if shape is None:
            parts.append(f"{other}:<shape>")
        elif any(isinstance(dim, str) for dim in shape):
            parts.append(f"{other}:{','.join(_example(dim, bound.symbols) for dim in shape)}")
    example = ";".join(parts)
    return Problem(
        ProblemCode.UNBOUND_DIMENSION,
        f"input '{name}' axis {axis} is the symbol '{symbol}'",
        bound.source,
        f'bind it with --input_shape="{example}" or the suite\'s shapes',
    )


def _example(dim: DimensionName, symbols: Mapping[str, int]) -> str:
    if isinstance(dim, int):
        return str(dim)
    return str(symbols.get(dim, f"<{dim}>"))
