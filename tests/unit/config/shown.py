"""Facts as short lines, so that a test shows what it expects at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.facts import Presence
from perfgate.config.read import read

if TYPE_CHECKING:
    from perfgate.config.facts import Command, EnvSetting, FileFacts, Flag, Value


def facts(script: str) -> FileFacts:
    """The facts of a shell script."""
    return read("s.sh", script.encode())


def commands(script: str) -> list[str]:
    """One line per command, in the order of their places."""
    return [shown_command(command) for command in facts(script).commands]


def settings(script: str) -> list[str]:
    """One line per setting of a watched variable."""
    return [shown_setting(setting) for setting in facts(script).env]


def notes(script: str) -> list[tuple[str, int]]:
    """Code and line of each note."""
    return [(note.code, note.span.line) for note in facts(script).notes]


def shown_command(command: Command) -> str:
    """`atc --x={a|b} ~--y --z=?:d ...`: candidates, sometimes, unknown, a default, and open."""
    words = [command.program, *map(shown_flag, command.flags)]
    return " ".join(words + (["..."] if command.open else []))


def shown_setting(setting: EnvSetting) -> str:
    """`set XLA_FLAGS --a=1`, with the plain value after an equals sign."""
    name = setting.name if setting.value is None else f"{setting.name}{_value(setting.value)}"
    words = [setting.operation.value, name, *map(shown_flag, setting.flags)]
    return " ".join(words + (["..."] if setting.open else []))


def shown_flag(flag: Flag) -> str:
    """One flag, `!` in front if a later one always wins."""
    sometimes = "~" if flag.presence is Presence.SOMETIMES else ""
    return f"{'!' if flag.overridden else ''}{sometimes}{flag.name}{_value(flag.value)}"


def _value(value: Value) -> str:
    default = ":d" if value.replaceable else ""
    if value.is_bare:
        return default
    if value.candidates:
        return f"={{{'|'.join(value.candidates)}}}{default}"
    return "=" + "".join("?" if piece.text is None else piece.text for piece in value.pieces or ()) + default
