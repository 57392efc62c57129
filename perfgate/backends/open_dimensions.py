"""The shapes that a model's inputs get: its own, with open dimensions bound by the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.backends.protocol import Request

Dimension: TypeAlias = int | str | None


def bound_shapes(
    inputs: Mapping[str, tuple[str, Sequence[Dimension]]], request: Request
) -> dict[str, tuple[int, ...]]:
    """A shape for every input, from its type and dimensions: numbers, symbols, or None.

    Raises:
        UsageError: a declared shape does not fit, a name is unknown, or a dimension stays open.
    """
    unknown = next((name for name in request.shapes if name not in inputs), None)
    if unknown is not None:
        what = f"{request.model_name} has no input {unknown!r}"
        raise UsageError(what, request.place, f"its inputs are {', '.join(inputs)}")
    return {name: _bound(name, tuple(dims), request) for name, (_, dims) in inputs.items()}


def _bound(name: str, dims: tuple[Dimension, ...], request: Request) -> tuple[int, ...]:
    declared = request.shapes.get(name)
    if declared is not None:
        fits = len(declared) == len(dims) and all(
            not isinstance(dim, int) or dim in (size, -1) for dim, size in zip(dims, declared, strict=True)
        )
        if not fits:
            what = f"the shape {list(declared)} of input {name!r} is not one of {_text(dims)}"
            raise UsageError(what, request.place, "correct `inputs`")
        return declared
    shape = []
    for dim in dims:
        size = request.bind.get(dim) if isinstance(dim, str) else dim
        if size is None or size < 0:
            what = f"the input {name!r} is open, {_text(dims)}"
            remedy = f"add `bind: {{{dim}: 1}}`" if isinstance(dim, str) else "give its shape in `inputs`"
            raise UsageError(what, request.place, remedy)
        shape.append(size)
    return tuple(shape)


def _text(dims: tuple[Dimension, ...]) -> str:
    return f"[{', '.join('?' if dim in (None, -1) else str(dim) for dim in dims)}]"
