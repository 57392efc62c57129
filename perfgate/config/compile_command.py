"""The one compile command that a suite names by file, program and a glob on its flags."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from perfgate.config.programs import program_of
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from perfgate.config.facts import Command, FileFacts, Flag, Value

_MAX_LISTED = 5  # commands named in a message


def find_command(facts: FileFacts, *, program: str, match: str | None = None) -> Command:
    """The command of a program in a file.

    `program` is a name of the program or its catalogue name (`atc_convert` is `atc`). `match` is a glob on
    `--flag=value` of any of its flags, for example `--output=*resnet*`; a flag with several candidates
    matches by any of them, a bare flag is `--flag`.

    Raises:
        UsageError: no command or several commands fit; it names the file and what was found.
    """
    known = program_of(program)
    name = known.name if known is not None else program
    calls = [command for command in facts.commands if command.program == name]
    fitting = [command for command in calls if match is None or _fits(command, match)]
    if len(fitting) == 1:
        return fitting[0]
    wanted = f"{program} with {match}" if match else program
    if not calls:
        raise UsageError(f"no call of {program!r} in the file", facts.path, _other_programs(facts))
    if not fitting:
        raise UsageError(f"no call of {wanted!r} in the file", facts.path, f"there is {_listed(calls)}")
    raise UsageError(
        f"{len(fitting)} calls of {wanted!r} in the file",
        facts.path,
        f"choose one by match, a glob on '--flag=value': {_listed(fitting)}",
    )


def flag_texts(flag: Flag) -> tuple[str, ...]:
    """The flag as `--flag=value` for every text its value can have; unknown pieces are `?`."""
    value = flag.value
    if value.is_bare:
        return (flag.name,)
    if value.candidates:
        return tuple(f"{flag.name}={text}" for text in value.candidates)
    return (f"{flag.name}={_shown(value)}",)


def _shown(value: Value) -> str:
    return "".join("?" if piece.text is None else piece.text for piece in value.pieces or ())


def _fits(command: Command, match: str) -> bool:
    return any(fnmatchcase(text, match) for flag in command.flags for text in flag_texts(flag))


def _other_programs(facts: FileFacts) -> str:
    if facts.incomplete:
        return "the file could not be read to its end; mend it first"
    others = sorted({command.program for command in facts.commands})
    if others:
        return f"it calls {', '.join(others)}; name one of them, or another file"
    return "it calls no watched program; name the file that does"


def _listed(commands: list[Command]) -> str:
    shown = [f"line {command.program_span.line} ({_summary(command)})" for command in commands[:_MAX_LISTED]]
    rest = len(commands) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _summary(command: Command) -> str:
    """What tells the command from others: its output, else its first flag."""
    outputs = [flag for flag in command.flags if flag.name in {"--output", "--saveEngine", "-o"}]
    chosen = outputs or list(command.flags[:1])
    return flag_texts(chosen[0])[0] if chosen else "no flags"
