"""The plan's three configuration files: compile command, runtime configuration, pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from perfgate.config.programs import program_named
from perfgate.config.readers import reader_of
from perfgate.core.codec import readable_json
from perfgate.core.difference import DifferenceKind
from perfgate.plan.key_edit import path_parts
from perfgate.plan.setting_edit import compile_place
from perfgate.plan.shell_word import shell_line, shell_word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.config.facts import Command
    from perfgate.plan.manifest import TextEdit
    from perfgate.plan.setting_edit import Ground

CONVERT = "atc_optimization/convert_command.sh"
LAYOUT = "atc_optimization/layout_config.json"
RUNTIME = "runtime_tuning/runtime_config.yaml"
PIPELINE = "modelbox_adjustment/pipeline_patch.yaml"
PIPELINE_PARTS = frozenset({"pipeline", "stages", "flowunit", "flowunits"})  # parents of a pipeline's keys
_SHELL_READER = "shell_file"
_YAML_ENDINGS = frozenset({".yaml", ".yml", ".json"})  # JSON is YAML too
_NOTHING = "# nothing to change: no fix of this plan sets a {}\n"


class FlagChange(msgspec.Struct, frozen=True, kw_only=True):
    """A flag with its value before and after, None where it is absent."""

    file: str
    line: int
    from_: str | None = msgspec.field(name="from")
    to: str | None


class LayoutConfig(msgspec.Struct, frozen=True, kw_only=True):
    """`flags` are the words to add to a compile command, quoted for a shell."""

    flags: str
    changes: tuple[FlagChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedEdits:
    """All edits with their files, and the files as they will be."""

    edits: tuple[tuple[str, TextEdit], ...]
    files: Mapping[str, bytes]

    def of(self, kind: DifferenceKind) -> tuple[tuple[str, TextEdit], ...]:
        """Those of one kind."""
        return tuple((path, edit) for path, edit in self.edits if edit.kind == kind)


def config_documents(ground: Ground, planned: PlannedEdits) -> dict[str, bytes]:
    """The four files by their place in the plan; one with nothing to propose says so in a comment."""
    return {
        CONVERT: convert_command(ground.with_files(planned.files), planned),
        LAYOUT: readable_json(layout_config(planned)).encode(),
        RUNTIME: runtime_config(planned),
        PIPELINE: pipeline_patch(planned).encode(),
    }


def layout_config(planned: PlannedEdits) -> LayoutConfig:
    """The flags and where they change."""
    changes = planned.of(DifferenceKind.FLAG)
    words = [word for _, edit in changes if (word := _word(edit.name, edit.after)) is not None]
    return LayoutConfig(
        flags=shell_line(tuple(words)),
        changes=tuple(
            FlagChange(
                file=path,
                line=edit.line,
                from_=_word(edit.name, edit.before),
                to=_word(edit.name, edit.after),
            )
            for path, edit in changes
        ),
    )


def _word(name: str, value: str | None) -> str | None:
    if value is None:
        return None
    return f"{name}={value}" if value else name


def convert_command(ground: Ground, planned: PlannedEdits) -> bytes:
    """The repository's own script with the changed words; where it is none, the command as a script."""
    changes = planned.of(DifferenceKind.FLAG)
    if not changes:
        return _NOTHING.format("compile flag").encode()
    path = changes[0][0]
    data = planned.files[path]
    if _is_shell(path, data):
        return data
    if path == (ground.benchmark.suite if ground.benchmark else ""):
        return _script(("atc", *_words_of_edits(changes)), path).encode()
    _, command = compile_place(ground)
    words = _command_words(command)
    if words is None:
        where = shell_word(str(command.program_span))
        reason = "holds values that only its own run knows: see layout_config.json"
        return f"# the command at {where} {reason}\n".encode()
    return _script(words, path).encode()


def _is_shell(path: str, data: bytes) -> bool:
    reader = reader_of(path, data.split(b"\n", 1)[0].decode("latin-1"))
    return reader is not None and _SHELL_READER in reader.function


def _words_of_edits(changes: tuple[tuple[str, TextEdit], ...]) -> tuple[str, ...]:
    return tuple(word for _, edit in changes if (word := _word(edit.name, edit.after)) is not None)


def _command_words(command: Command) -> tuple[str, ...] | None:
    """The words of a command, None when one of them is not known."""
    words = [_program(command.program)]
    for flag in command.flags:
        if not flag.value.is_bare and flag.value.text is None:
            return None
        words += [] if flag.overridden else [_word(flag.name, flag.value.text or "") or flag.name]
    for positional in command.positionals:
        if positional.value.text is None:
            return None
        words.append(positional.value.text)
    return tuple(words)


def _program(name: str) -> str:
    try:
        return program_named(name).names[0]
    except KeyError:
        return name


def _script(words: tuple[str, ...], path: str) -> str:
    lines = " \\\n    ".join(map(shell_word, words))
    return f"#!/bin/sh\n# the command of {shell_word(path)} as a script\nset -eu\n{lines}\n"


def runtime_config(planned: PlannedEdits) -> bytes:
    """The runtime file with the changed keys; of a TOML file or a suite, the changed keys alone."""
    changes = planned.of(DifferenceKind.RUNTIME)
    if not changes:
        return _NOTHING.format("runtime key").encode()
    path = changes[0][0]
    if PurePosixPath(path).suffix in _YAML_ENDINGS and not PurePosixPath(path).name.startswith("perf_"):
        return planned.files[path]
    keys = {edit.name: edit.after for _, edit in changes}
    return f"# the changed keys of {shell_word(path)}; null: removed\n{_yaml(keys)}".encode()


def pipeline_patch(planned: PlannedEdits) -> str:
    """The changed keys that belong to a pipeline: stage order, batch, priority."""
    rows = [
        {
            "file": path,
            "path": edit.name,
            "op": "set" if edit.after is not None else "remove",
            "from": edit.before,
            "to": edit.after,
        }
        for path, edit in (*planned.of(DifferenceKind.STAGE), *planned.of(DifferenceKind.RUNTIME))
        if edit.kind == DifferenceKind.STAGE
        or PIPELINE_PARTS & {str(part) for part in path_parts(edit.name)[:-1]}
    ]
    return _yaml(rows) if rows else _NOTHING.format("key of a pipeline")


def _yaml(value: object) -> str:
    import yaml  # noqa: PLC0415 - 20 ms, only where a key changes

    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=False, width=10_000)
    return text
