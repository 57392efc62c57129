"""Shapes of a compile command: static ones, and the lists that make one program per shape."""

from __future__ import annotations

from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

import msgspec

from perfgate.compiler.flag_values import dims_of, refuse, text_of
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.core.setting import Setting

OPEN = -1
LEAST_SHAPES, MOST_SHAPES = 2, 100  # SIMULATOR section 3
_SHAPE_FORM = "name:d,d;name:d with sizes or -1"


class DynamicKind(StrEnum):
    """Which dimensions a list of shapes fills in."""

    BATCH = "dynamic_batch_size"
    IMAGE = "dynamic_image_size"
    DIMS = "dynamic_dims"


class DynamicShapes(msgspec.Struct, frozen=True):
    """The sizes that fill the open dimensions, one tuple per program."""

    kind: DynamicKind
    choices: tuple[tuple[int, ...], ...]
    place: str = ""


class ShapeBinding(msgspec.Struct, frozen=True):
    """Sizes of the named inputs for one program; `label` says which of a list of shapes it is."""

    label: str
    bindings: dict[str, tuple[int, ...]]


def parse_shapes(setting: Setting) -> dict[str, tuple[int, ...]]:
    """`--input_shape`; a colon inside a name belongs to the name, the last one separates."""
    shapes: dict[str, tuple[int, ...]] = {}
    for part in text_of(setting, _SHAPE_FORM).strip('"').split(";"):
        if not part.strip():
            continue
        name, colon, dims = part.rpartition(":")
        if not colon or not name.strip():
            refuse(setting, _SHAPE_FORM)
        shapes[name.strip()] = dims_of(setting, dims, _SHAPE_FORM)
    return shapes


def parse_dynamic(setting: Setting, kind: DynamicKind) -> DynamicShapes:
    """A list of shapes: sizes by comma for batches, tuples by semicolon otherwise; 2 to 100 of them."""
    expected = f"{LEAST_SHAPES} to {MOST_SHAPES} different shapes"
    text = text_of(setting, expected).strip('"')
    parts = text.split("," if kind is DynamicKind.BATCH else ";")
    choices = tuple(dims_of(setting, part, expected) for part in parts if part.strip())
    if not LEAST_SHAPES <= len(choices) <= MOST_SHAPES or len(set(choices)) != len(choices):
        refuse(setting, expected)
    if any(size < 1 for choice in choices for size in choice):
        refuse(setting, "sizes of 1 or more")
    if kind is DynamicKind.IMAGE and any(len(choice) != 2 for choice in choices):  # noqa: PLR2004 - height, width
        refuse(setting, "height,width pairs by semicolon")
    return DynamicShapes(kind, choices, setting.place)


def input_shape_bindings(config: CompileConfig) -> tuple[ShapeBinding, ...]:
    """What to bind before loading the model: one entry per program, a single one without dynamic shapes.

    Raises:
        UsageError: dynamic shapes do not fit the open dimensions of `--input_shape`.
    """
    dynamic = config.dynamic
    if dynamic is None:
        return (ShapeBinding("", dict(config.input_shapes)),)
    opened = [
        (name, axis)
        for name, shape in config.input_shapes.items()
        for axis, size in enumerate(shape)
        if size == OPEN
    ]
    if not opened:
        raise UsageError(
            f"--{dynamic.kind} has no dimension to fill", dynamic.place or "compile settings",
            "write -1 in --input_shape for each dimension that varies",
        )  # fmt: skip
    return tuple(_bound(config, dynamic, choice, opened) for choice in dynamic.choices)


def _bound(
    config: CompileConfig, dynamic: DynamicShapes, choice: tuple[int, ...], opened: list[tuple[str, int]]
) -> ShapeBinding:
    if dynamic.kind is DynamicKind.BATCH:
        sizes = choice * len(opened)
    elif dynamic.kind is DynamicKind.IMAGE:
        inputs = list(dict.fromkeys(name for name, _ in opened))
        sizes = choice * len(inputs)
    else:
        sizes = choice
    if len(sizes) != len(opened):
        raise UsageError(
            f"--{dynamic.kind} gives {len(choice)} sizes", dynamic.place or "compile settings",
            f"--input_shape leaves {len(opened)} dimensions open; give one size for each -1",
        )  # fmt: skip
    shapes = {name: list(shape) for name, shape in config.input_shapes.items()}
    for (name, axis), size in zip(opened, sizes, strict=True):
        shapes[name][axis] = size
    label = ",".join(str(size) for size in choice)
    return ShapeBinding(label, {name: tuple(shape) for name, shape in shapes.items()})


def smallest_fit(bindings: tuple[ShapeBinding, ...], wanted: dict[str, tuple[int, ...]], place: str) -> int:
    """Index of the smallest program that every wanted input fits into; the rest of it is padding.

    Raises:
        UsageError: no program is large enough.
    """
    best, best_elements = -1, 0
    for index, binding in enumerate(bindings):
        if not all(_fits(shape, binding.bindings.get(name, shape)) for name, shape in wanted.items()):
            continue
        elements = sum(prod(shape) for shape in binding.bindings.values())
        if best < 0 or elements < best_elements:
            best, best_elements = index, elements
    if best < 0:
        shapes = ", ".join(binding.label for binding in bindings)
        raise UsageError(
            f"no compiled shape fits {wanted}", place, f"compiled are {shapes}; add a larger one"
        )
    return best


def _fits(shape: tuple[int, ...], room: tuple[int, ...]) -> bool:
    return len(shape) == len(room) and all(size <= most for size, most in zip(shape, room, strict=True))
