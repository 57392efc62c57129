"""What one judgement is about: a call, a setting or a file with keys, all seen as a list of flags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from perfgate.config import programs
from perfgate.config.dialects.forms import form_of
from perfgate.config.facts import EnvOperation, Flag, Piece, Span, Value
from perfgate.config.key_files import is_key_file
from perfgate.config.read import read
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
    if name.isupper():  # a plain variable, which is its own only flag
        return name
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
            yield subject_of(command, facts)
    for setting in facts.env:
        if setting.name in target.env:
            yield _of_setting(setting, facts)
    if target.files and any_path_matches(target.files, facts.path):
        if target.flags_key:
            yield from flag_texts(target, facts)
        elif facts.keys or (is_key_file(facts.path) and not facts.incomplete):  # one without keys lacks all
            yield _of_file(facts)


def program_fits(wanted: str, program: str) -> bool:
    """Whether a program of a target, by catalogue name, one of its own names or glob, is this program."""
    if text_matches(wanted, program):
        return True
    known = programs.program_of(wanted)
    return known is not None and known.name == program


def subject_of(command: Command, facts: FileFacts) -> Subject:
    """A call as the list of its flags."""
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
        flags = (Flag(name=setting.name, written=setting.name, value=setting.value, span=setting.span),)
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
    """The texts of flags that a file keeps under the target's key, or under the items of its list.

    Each text is read as the arguments of the target's program, so quotes, spaces and repeats mean the same.
    """
    program = next(
        (item for item in programs.PROGRAMS if item.dialect == (target.dialect or programs.GFLAGS)), None
    )
    if program is None or not program.names:
        return
    for key in facts.keys:
        if key.path == target.flags_key or key.path.startswith(f"{target.flags_key}["):
            yield _of_text(key, program, facts)


def _of_text(key: Key, program: programs.Program, facts: FileFacts) -> Subject:
    lead = f"{program.names[0]} "
    read_text = read("flags.sh", f"{lead}{key.text}".replace("\n", " ").encode())
    command = read_text.commands[0] if read_text.commands else None
    flags = tuple(_moved(flag, key, len(lead)) for flag in command.flags) if command else ()
    return Subject(
        path=facts.path,
        program=program.name,
        dialect=program.dialect,
        flags=flags,
        span=key.span,
        name_span=key.span,
        is_open=command is None or command.open,
        is_incomplete=facts.incomplete or read_text.incomplete,
    )


def _moved(flag: Flag, key: Key, lead: int) -> Flag:
    """A flag of the text at its place in the file; the whole text where signs are escaped there."""
    return replace(flag, span=_within(flag.span, key, lead), value_span=None)


def _within(span: Span, key: Key, lead: int) -> Span:
    is_written_as_read = key.span.line == key.span.end_line and (
        key.span.end_column - key.span.column == len(key.text) + 2  # the quotes
    )
    if not is_written_as_read:
        return key.span
    start = key.span.column + 1 - lead
    return replace(key.span, column=start + span.column - 1, end_column=start + span.end_column - 1)
