"""What one judgement is about: a call, a setting or a file with keys, all seen as a list of flags."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from perfgate.config import programs
from perfgate.config.dialects.forms import form_of
from perfgate.config.facts import EnvOperation, Flag, Piece, Span, Value
from perfgate.core.finding import Place
from perfgate.guardrails.globs import any_path_matches, text_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.facts import Command, EnvSetting, FileFacts, Key
    from perfgate.guardrails.rule import Target

KEYS = "keys"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A list of flags with its place.

    `is_open`: more may follow than the file shows. `is_default`: the whole setting may be replaced from
    outside. `is_incomplete`: the file was not read to its end.
    """

    path: str
    program: str
    dialect: str
    flags: tuple[Flag, ...]
    span: Span
    name_span: Span
    is_open: bool = False
    is_default: bool = False
    is_incomplete: bool = False
    positionals: tuple[Value, ...] = ()

    def occurrences(self, name: str) -> tuple[Flag, ...]:
        """All flags of this name, however the rule writes it."""
        wanted = canonical_flag(name, self.dialect, self.program)
        return tuple(flag for flag in self.flags if flag.name == wanted)

    @property
    def is_file(self) -> bool:
        """The flags are keys of a file."""
        return self.dialect == KEYS


@lru_cache(maxsize=4096)
def canonical_flag(name: str, dialect: str, program: str) -> str:
    """The name that the reader gives a flag which a rule writes with one dash, as prefix or alias."""
    if dialect == KEYS:
        return name
    if dialect == programs.TORCH:
        return name.lstrip("-")
    if not name.startswith("-"):
        name = f"--{name}"
    try:
        known = programs.program_named(program)
    except KeyError:
        known = programs.Program(name=program, dialect=dialect, names=())
    return form_of(name, known).name


def place_of(span: Span) -> Place:
    """The span of a fact as a place of a finding."""
    return Place(
        path=span.path, line=span.line, column=span.column, end_line=span.end_line, end_column=span.end_column
    )


def subjects(target: Target, facts: FileFacts) -> Iterator[Subject]:
    """All calls, settings and files of one file that a target watches; its condition is judged later."""
    for command in facts.commands:
        if any(program_fits(name, command.program) for name in target.programs):
            yield _of_command(command, facts)
    for setting in facts.env:
        if setting.name in target.env:
            yield _of_setting(setting, facts)
    if target.files and any_path_matches(target.files, facts.path):
        if target.flags_key:
            yield from flag_texts(target, facts)
        elif facts.keys:
            yield _of_file(facts)


def program_fits(wanted: str, program: str) -> bool:
    """Whether a program of a target, by catalogue name, one of its own names or glob, is this program."""
    if text_matches(wanted, program):
        return True
    known = programs.program_of(wanted)
    return known is not None and known.name == program


def _of_command(command: Command, facts: FileFacts) -> Subject:
    return Subject(
        path=facts.path,
        program=command.program,
        dialect=command.dialect,
        flags=command.flags,
        span=command.span,
        name_span=command.program_span,
        is_open=command.open,
        is_incomplete=facts.incomplete,
        positionals=tuple(positional.value for positional in command.positionals),
    )


def _of_setting(setting: EnvSetting, facts: FileFacts) -> Subject:
    flags = setting.flags
    if setting.value is not None:  # a plain variable is its own only flag
        flags = (
            Flag(name=f"--{setting.name}", written=setting.name, value=setting.value, span=setting.span),
        )
    return Subject(
        path=facts.path,
        program=setting.name,
        dialect=setting.dialect or programs.FLAG_LIST,
        flags=flags,
        span=setting.span,
        name_span=setting.span,
        is_open=setting.open or setting.operation is EnvOperation.APPEND,
        is_default=setting.operation is EnvOperation.DEFAULT,
        is_incomplete=facts.incomplete,
    )


def _of_file(facts: FileFacts) -> Subject:
    start = Span(path=facts.path, line=1, column=1, end_line=1, end_column=1)
    return Subject(
        path=facts.path,
        program=programs.base_name(facts.path),
        dialect=KEYS,
        flags=tuple(_of_key(key) for key in facts.keys),
        span=start,
        name_span=start,
        is_incomplete=facts.incomplete,
    )


def _of_key(key: Key) -> Flag:
    value = Value(pieces=(Piece(text=key.text),))
    return Flag(name=key.path, written=key.path, value=value, span=key.span, value_span=key.span)


def flag_texts(target: Target, facts: FileFacts) -> Iterator[Subject]:
    """The texts of flags that a file keeps under the target's key, or under the items of its list."""
    dialect = target.dialect or programs.GFLAGS
    known = next((program for program in programs.PROGRAMS if program.dialect == dialect), None)
    name = programs.base_name(facts.path) if known is None else known.name
    keys = [
        key
        for key in facts.keys
        if key.path == target.flags_key or key.path.startswith(f"{target.flags_key}[")
    ]
    if not keys:
        return
    flags = tuple(flag for key in keys for flag in _flags_of_text(key, dialect, name))
    yield Subject(
        path=facts.path,
        program=name,
        dialect=dialect,
        flags=flags,
        span=keys[0].span,
        name_span=keys[0].span,
        is_incomplete=facts.incomplete,
    )


def _flags_of_text(key: Key, dialect: str, program: str) -> Iterator[Flag]:
    for start, word in _words(key.text):
        if not word.startswith("-"):
            continue
        written, sign, text = word.partition("=")
        is_exact = key.text == key.text.strip() and "\n" not in key.text
        column = key.span.column + 1 + start if is_exact else key.span.column  # after the opening quote
        end = column + len(word) if is_exact else key.span.end_column
        span = Span(
            path=key.span.path, line=key.span.line, column=column, end_line=key.span.line, end_column=end
        )
        value = Value(pieces=(Piece(text=text.strip("\"'")),) if sign else None)
        yield Flag(name=canonical_flag(written, dialect, program), written=written, value=value, span=span)


def _words(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for word in text.split():
        offset = text.index(word, offset)
        yield offset, word
        offset += len(word)
