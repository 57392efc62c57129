"""Facts as short lines, so that a test reads like the answer it expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.read import read

if TYPE_CHECKING:
    from perfgate.config.facts import FileFacts, Flag, Value


def value_text(value: Value) -> str:
    """`=text`, `={a|b}` for candidates, `?` for what is not known, nothing for a bare flag."""
    if value.candidates:
        return "={" + "|".join(sorted(value.candidates)) + "}"
    if value.pieces is None:
        return ""
    return "=" + "".join("?" if piece.text is None else piece.text for piece in value.pieces)


def flag_text(flag: Flag) -> str:
    """A flag with its value; `~` marks one that is only maybe there or maybe so."""
    mark = "~" if flag.certainty.value == "maybe" else ""
    return f"{mark}{flag.name}{value_text(flag.value)}"


def described(facts: FileFacts) -> list[str]:
    """One line per command, setting and note, in the order of places."""
    lines: list[tuple[int, int, str]] = []
    for command in facts.commands:
        place = command.program_span
        parts = [command.program, *map(flag_text, command.flags), *(["..."] if command.open else [])]
        lines.append((place.line, place.column, " ".join(parts)))
    for setting in facts.env:
        value = [value_text(setting.value)] if setting.value is not None else []
        parts = [setting.name, setting.operation.value, *value, *map(flag_text, setting.flags)]
        lines.append((setting.span.line, setting.span.column, " ".join(parts)))
    lines += [(note.span.line, note.span.column, f"note {note.code}") for note in facts.notes]
    return [f"{line}:{column} {text}" for line, column, text in sorted(lines)]


def facts_of(path: str, text: str) -> list[str]:
    """The described facts of a text under a file name."""
    return described(read(path, text.encode("utf-8")))
