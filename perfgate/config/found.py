"""What one reader found in one piece of a file; the parts of a file add up to its facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.config.facts import Command, EnvSetting, Key, Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Facts of a part of a file. `incomplete`: that part was not read to its end."""

    commands: tuple[Command, ...] = ()
    env: tuple[EnvSetting, ...] = ()
    keys: tuple[Key, ...] = ()
    notes: tuple[Note, ...] = ()
    incomplete: bool = False


def merged(parts: Iterable[Found]) -> Found:
    """All parts as one, in their order."""
    kept = tuple(parts)
    return Found(
        commands=tuple(command for part in kept for command in part.commands),
        env=tuple(setting for part in kept for setting in part.env),
        keys=tuple(key for part in kept for key in part.keys),
        notes=tuple(note for part in kept for note in part.notes),
        incomplete=any(part.incomplete for part in kept),
    )
