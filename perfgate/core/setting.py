"""One setting of a compile command or runtime config, with the place it was read from."""

from __future__ import annotations

import msgspec


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`name` as the dialect writes it (`--optypelayout`, `streams`); `value` None for a bare flag.

    `place` is `file:line:column`; empty when the setting stands in no file.
    """

    name: str
    value: str | None
    place: str = ""


_OF = ": "  # no flag and no key of a plain file holds it


def of_stage(stage: str, name: str) -> str:
    """The name of a flag or key that a stage of a pipeline has for itself: `detect: --optypelayout`."""
    return f"{stage}{_OF}{name}"


def stage_of(name: str) -> tuple[str, str]:
    """The stage ("" for none) and the flag or key as its file writes it."""
    stage, mark, own = name.rpartition(_OF)
    return (stage, own) if mark else ("", name)


def stage_and_key(name: str) -> tuple[str, str]:
    """A pipeline's `camera.detect.priority` as stage and key; a key of the pipeline itself has no stage."""
    stage, _, key = name.rpartition(".")
    return stage, key
