"""A request with some of its settings replaced: flags, runtime keys, stages of a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.setting import Setting, stage_and_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.backends.protocol import Request


def with_settings(request: Request, field: str, name: str, new: Sequence[Setting]) -> Request:
    """The request with all settings of a name in a field replaced where the first of them stands."""
    old: tuple[Setting, ...] = getattr(request, field)
    mine = [item.name == name for item in old]
    return msgspec.structs.replace(request, **{field: _replaced(old, mine, new)})


def with_stage(own: Request, other: Request, name: str) -> Request:
    """A setting of a stage, or a whole stage, as the other side has it.

    What waits for a stage that goes away waits for its inputs instead, and a model stage brings its model.
    """
    theirs = tuple(item for item in other.pipeline if _is_of(item, name))
    settings = _replaced(own.pipeline, [_is_of(item, name) for item in own.pipeline], theirs)
    if not theirs:
        settings = _bridged(settings, name, _after(own.pipeline, name))
    models = {
        stage: model for stage, model in other.stages.items() if stage in {name, stage_and_key(name)[0]}
    }
    return msgspec.structs.replace(own, pipeline=settings, stages=own.stages | models)


def _is_of(item: Setting, name: str) -> bool:
    """The setting of that name, or one of the stage of that name."""
    return name in {item.name, stage_and_key(item.name)[0]}


def _replaced(
    old: tuple[Setting, ...], is_replaced: Sequence[bool], new: Sequence[Setting]
) -> tuple[Setting, ...]:
    """The new ones stand where the first of those that they replace stood, else at the end."""
    at = next((index for index, replaced in enumerate(is_replaced) if replaced), len(old))
    kept = [item for item, replaced in zip(old, is_replaced, strict=True) if not replaced]
    return (*kept[:at], *new, *kept[at:])


def _after(settings: Sequence[Setting], stage: str) -> tuple[str, ...]:
    text = next((item.value or "" for item in settings if item.name == f"{stage}.after"), "")
    return tuple(part for part in (item.strip() for item in text.split(",")) if part)


def _bridged(settings: Sequence[Setting], gone: str, inputs: tuple[str, ...]) -> tuple[Setting, ...]:
    found = []
    for item in settings:
        stage, key = stage_and_key(item.name)
        waits = _after(settings, stage) if key == "after" else ()
        if gone in waits:
            names = [name for each in waits for name in (inputs if each == gone else (each,))]
            found.append(msgspec.structs.replace(item, value=", ".join(dict.fromkeys(names))))
        else:
            found.append(item)
    return tuple(found)
