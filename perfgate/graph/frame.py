"""Where the importer stands in a model, and what the user said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the user said about the model's open questions, by node or tensor name."""

    branches: Mapping[str, str]
    trip_counts: Mapping[str, int]
    bounds: Mapping[str, int]
    values: Mapping[str, Any]


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """Where nodes stand: name mapping and prefix of an inlined body, repetition, operator versions.

    `names` maps names of the body to names of the flat graph and is None for the main graph. `attributes`
    are the arguments of a function call.
    """

    opset: int
    versions: dict[str, int]
    names: dict[str, str] | None = None
    prefix: str = ""
    repeat: int = 1
    attributes: dict[str, Any] | None = None
    depth: int = 0
