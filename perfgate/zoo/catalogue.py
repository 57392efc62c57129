"""Names, presets and parameters of the built-in models."""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

Model: TypeAlias = Any  # onnx.ModelProto, which carries no types

# A module of each name holds `build(sizes)` and `PRESETS` (its first one is the default).
NAMES = (
    "resnet50", "mobilenetv2", "sd_unet", "bert_base", "llm_decoder", "detector",
    "custom_activation", "odd_stride", "redundant",
)  # fmt: skip


def names() -> tuple[str, ...]:
    """The models that `build` knows."""
    return NAMES


def presets(name: str) -> tuple[str, ...]:
    """Presets of a model, the default one first.

    Raises:
        UsageError: no such model.
    """
    return tuple(_module(name).PRESETS)


def build(name: str, preset: str | None = None, **parameters: Any) -> Model:  # noqa: ANN401 - each model has its own
    """The ONNX model of a name: a preset, with parameters changed.

    Raises:
        UsageError: an unknown name, preset or parameter, or a value that does not fit.
    """
    module = _module(name)
    known = tuple(module.PRESETS)
    chosen = preset if preset is not None else known[0]
    if chosen not in known:
        raise _unknown("preset", chosen, known, f"zoo:{name}")
    sizes = module.PRESETS[chosen]
    fields = type(sizes).__struct_fields__
    for parameter in parameters:
        if parameter not in fields:
            raise _unknown("parameter", parameter, fields, f"zoo:{name}")
    try:
        # Built-in types of the preset plus the changes, checked against the struct's annotations.
        sizes = msgspec.convert(msgspec.to_builtins(sizes) | parameters, type(sizes))
    except msgspec.ValidationError as error:
        raise UsageError(f"parameter does not fit ({error})", f"zoo:{name}", "correct its value") from error
    return module.build(sizes)


def _module(name: str) -> Any:  # noqa: ANN401 - a module with build and PRESETS
    if name not in NAMES:
        raise _unknown("model", name, NAMES, f"zoo:{name}")
    return importlib.import_module(f"perfgate.zoo.{name}")


def _unknown(kind: str, given: str, known: Iterable[str], where: str) -> UsageError:
    choices = tuple(known)
    near = difflib.get_close_matches(given, choices, 1)
    hint = f"did you mean '{near[0]}'?" if near else f"choose from {', '.join(choices)}"
    return UsageError(f"unknown {kind} '{given}'", where, hint)
