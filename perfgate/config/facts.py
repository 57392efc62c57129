"""What a reader found in one file: commands, settings and keys, each with its exact place.

Facts judge nothing. They feed the guardrails and the simulated compiler alike, so that a word changed in a
script both trips a rule and moves the simulated latency.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A place in a file: 1-based lines and columns in characters, the end exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a value: known text, or unknown (None) with the variable that hides it as `source`."""

    text: str | None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """The value of a flag or setting.

    `pieces is None` is a bare flag; one empty piece is the empty text. `candidates` are all texts the file
    gives when there are several. `replaceable`: a default that the environment can replace.
    """

    pieces: tuple[Piece, ...] | None
    candidates: tuple[str, ...] = ()
    replaceable: bool = False

    @property
    def is_bare(self) -> bool:
        """No value was written at all."""
        return self.pieces is None

    @property
    def text(self) -> str | None:
        """The one known text (also of a replaceable default), else None."""
        if self.pieces is None or self.candidates:
            return None
        texts = [piece.text for piece in self.pieces]
        if any(text is None for text in texts):
            return None
        return "".join(text for text in texts if text is not None)

    @property
    def has_unknown(self) -> bool:
        """A piece of the value is not known from this file."""
        return any(piece.text is None for piece in self.pieces or ())


class Presence(StrEnum):
    """Whether a flag is on every path through the file to its command."""

    ALWAYS = "always"
    SOMETIMES = "sometimes"


class Certainty(StrEnum):
    """How much of a flag is known; derived, never stored."""

    CERTAIN = "certain"
    MAYBE = "maybe"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One flag of a command or of a flag-list variable, in order of execution.

    `name` is canonical for the dialect, `written` as it stands in the file. `branch` names the `if` or `case`
    arm that adds a SOMETIMES flag. `overridden`: a later occurrence wins in this dialect.
    """

    name: str
    written: str
    value: Value
    span: Span
    value_span: Span | None = None
    presence: Presence = Presence.ALWAYS
    branch: str = ""
    overridden: bool = False

    @property
    def certainty(self) -> Certainty:
        """SOMETIMES, candidates or replaceable: maybe; else an unknown piece: unknown; else certain."""
        if self.presence is Presence.SOMETIMES or self.value.candidates or self.value.replaceable:
            return Certainty.MAYBE
        return Certainty.UNKNOWN if self.value.has_unknown else Certainty.CERTAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Positional:
    """An argument that is no flag."""

    value: Value
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A call of a watched program.

    `program` is the catalogue name, `via` the wrappers outermost first. `open`: more arguments follow that
    the file does not show. `context` names the function, step or stage it stands in.
    """

    program: str
    dialect: str
    flags: tuple[Flag, ...]
    span: Span
    program_span: Span
    via: tuple[str, ...] = ()
    positionals: tuple[Positional, ...] = ()
    open: bool = False
    context: str = ""

    def effective(self, name: str) -> Flag | None:
        """The last occurrence of the flag that is not overridden, or None when it is absent."""
        found = [flag for flag in self.flags if flag.name == name and not flag.overridden]
        return found[-1] if found else None


class EnvOperation(StrEnum):
    """What a setting does to the variable's earlier text."""

    SET = "set"
    APPEND = "append"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvSetting:
    """A watched environment variable being set: a list of flags, or one plain value."""

    name: str
    operation: EnvOperation
    span: Span
    flags: tuple[Flag, ...] = ()
    value: Value | None = None
    dialect: str = ""
    open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A leaf of a runtime file; `text` as written, strings decoded, booleans in lower case."""

    path: str
    type: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A remark of a reader, for example `crlf-continuation` or `repeated-flag`."""

    code: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """All that one file says; of an `incomplete` one, not read to its end, no rule may answer "pass"."""

    path: str
    commands: tuple[Command, ...] = ()
    env: tuple[EnvSetting, ...] = ()
    keys: tuple[Key, ...] = ()
    notes: tuple[Note, ...] = ()
    incomplete: bool = False
    digest: str = ""
