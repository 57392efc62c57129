"""What a script's commands say, gathered while it is followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.config.found import Found

if TYPE_CHECKING:
    from perfgate.config.facts import Command, EnvSetting, Note, Span

MAX_STEPS = 12_000  # simple commands followed per file, repeats through loops and calls included


@dataclass(slots=True, eq=False)
class Output:
    """Facts in the order in which they are met; the same fact met again counts once.

    While `muted` is above zero nothing is kept: a function or loop body is then followed for what it leaves
    behind only.
    """

    commands: dict[Command, None] = field(default_factory=dict)
    env: dict[EnvSetting, None] = field(default_factory=dict)
    notes: dict[tuple[str, int], Note] = field(default_factory=dict)
    incomplete: bool = False
    muted: int = 0
    met: int = 0
    steps: int = 0

    def add(self, found: Found) -> None:
        """Keep the facts unless muted; `met` counts them, those met before as well."""
        self.met += len(found.commands) + len(found.env)
        if self.muted:
            return
        self.commands.update(dict.fromkeys(found.commands))
        self.env.update(dict.fromkeys(found.env))
        for note in found.notes:
            self.notes.setdefault((note.code, note.span.line), note)
        self.incomplete |= found.incomplete

    @property
    def is_exhausted(self) -> bool:
        """Too much was followed; the rest of the file is not read."""
        return self.steps > MAX_STEPS

    def step(self, size: int = 1) -> None:
        """Count work done: a command, and the words and pieces it has."""
        self.steps += size
        if self.is_exhausted:
            self.incomplete = True

    def checkpoint(self) -> Found:
        """The facts so far, to return to with `restore`."""
        return Found(commands=tuple(self.commands), env=tuple(self.env), notes=tuple(self.notes.values()))

    def restore(self, found: Found) -> None:
        """Forget what was met since the checkpoint."""
        self.commands = dict.fromkeys(found.commands)
        self.env = dict.fromkeys(found.env)
        self.notes = {(note.code, note.span.line): note for note in found.notes}

    def found(self) -> Found:
        """All facts in the order of their places."""
        return Found(
            commands=tuple(sorted(self.commands, key=lambda item: _order(item.program_span))),
            env=tuple(sorted(self.env, key=lambda item: _order(item.span))),
            notes=tuple(sorted(self.notes.values(), key=lambda item: (*_order(item.span), item.code))),
            incomplete=self.incomplete,
        )


def _order(span: Span) -> tuple[int, int]:
    return span.line, span.column
