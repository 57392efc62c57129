"""Where in the repository a wanted setting belongs, and the replacement that puts it there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.compile_command import find_command
from perfgate.config.key_files import is_key_file, read_key_tree
from perfgate.config.key_paths import written_path
from perfgate.config.read import read as read_facts
from perfgate.config.spans import Source
from perfgate.core.difference import DifferenceKind
from perfgate.guardrails.fix import decoded
from perfgate.guardrails.kinds.present import effective
from perfgate.guardrails.patch import NotCertainError
from perfgate.guardrails.subject import subject_of
from perfgate.measure.compile_command import DEFAULT_PROGRAM
from perfgate.plan.flag_edit import command_at, flag_edit
from perfgate.plan.key_edit import key_edit, key_value, path_parts
from perfgate.plan.manifest import sha256
from perfgate.plan.stage_place import stage_place
from perfgate.plan.written import Written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.config.facts import Command, FileFacts
    from perfgate.config.key_paths import PathPart
    from perfgate.measure.benchmark import Benchmark
    from perfgate.plan.wanted import Wanted

MAX_TEXT = 1 << 20  # bytes of a file that is restored as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The repository as a plan sees it.

    `read` gives the bytes of a file of the tree, `read_before` of the baseline's commit (None: it has none).
    `benchmark` is that of the suite, None when no suite has it any more. `files` are drafts over the tree's.
    """

    read: Callable[[str], bytes]
    read_before: Callable[[str], bytes | None]
    benchmark: Benchmark | None
    files: Mapping[str, bytes]

    def with_files(self, files: Mapping[str, bytes]) -> Ground:
        """The same with these drafts."""
        return replace(self, files=files)

    def content(self, path: str) -> bytes:
        """The draft of a file, or the file.

        Raises:
            UsageError: it cannot be read, or lies outside of the repository.
        """
        return self.files[path] if path in self.files else self.read(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A replacement in a file; `before` are the file's bytes, `was` the value, `name` what is set."""

    path: str
    before: bytes
    written: Written
    was: str | None
    name: str


def edit_of(ground: Ground, wanted: Wanted) -> Edited | None:
    """The replacement, None when the repository says so already.

    Raises:
        NotCertainError: no place, several, or another state than the diagnosis saw.
        UsageError: a file cannot be read.
    """
    if wanted.kind is DifferenceKind.FLAG:
        return _flag(ground, wanted)
    if wanted.kind is DifferenceKind.RUNTIME:
        return _runtime_key(ground, wanted)
    if wanted.kind is DifferenceKind.STAGE:
        return _stage(ground, wanted)
    if wanted.kind in {DifferenceKind.FILE, DifferenceKind.MODEL}:
        return _whole_file(ground, wanted)
    raise NotCertainError(f"a {wanted.kind} is not changed by a plan")


def _flag(ground: Ground, wanted: Wanted) -> Edited | None:
    if _is_inline(ground, "compile"):
        return _inline(ground, wanted, ("compile", "flags"))
    path, command = compile_place(ground, wanted)
    data = ground.content(path)
    facts = read_facts(path, data)
    found = effective(subject_of(command, facts), wanted.name)
    was = (found[-1].value.text or "") if found else None
    written = flag_edit(data, facts, command, wanted)
    if written is None:
        return None
    return Edited(path=path, before=data, written=written, was=was, name=wanted.name)


def compile_place(ground: Ground, wanted: Wanted | None = None) -> tuple[str, Command]:
    """The file and the compile command: at the place the diagnosis names, else as the suite names it.

    Raises:
        NotCertainError: neither leads to one command.
        UsageError: the file cannot be read, or holds several.
    """
    if wanted is not None and wanted.path:
        facts = _facts(ground, wanted.path)
        command = command_at(facts, wanted.place, wanted.name)
        if command is not None:
            return wanted.path, command
    source = None if ground.benchmark is None else ground.benchmark.compile
    if source is None or source.path is None:
        raise NotCertainError("no suite names the file of the compile command")
    facts = _facts(ground, source.path)
    return source.path, find_command(facts, program=source.program or DEFAULT_PROGRAM, match=source.match)


def _facts(ground: Ground, path: str) -> FileFacts:
    return read_facts(path, ground.content(path))


def _is_inline(ground: Ground, part: str) -> bool:
    """The flags or keys are written out in the suite itself."""
    item = ground.benchmark
    if item is None:
        return False
    if part == "compile":
        return item.compile.path is None and bool(item.compile.flags)
    return item.runtime.path is None and bool(item.runtime.values)


def _inline(ground: Ground, wanted: Wanted, inner: tuple[str, ...]) -> Edited | None:
    item = ground.benchmark
    if item is None or item.test or not is_key_file(item.suite):
        raise NotCertainError(f"{wanted.name} is written out in a test; change it there")
    data = ground.content(item.suite)
    index = _benchmark_index(item.suite, data, item.name)
    parents: tuple[tuple[PathPart, ...], ...] = (("benchmarks", index, *inner), ("defaults", *inner))
    for parent in parents:
        leaves = _leaf_paths(item.suite, data)
        if any(path[: len(parent)] == parent for path in leaves):
            found = _key(ground, item.suite, (*parent, wanted.name), wanted)
            return None if found is None else replace(found, name=wanted.name)
    raise NotCertainError(f"the suite writes out no {'.'.join(inner)}")


def _benchmark_index(path: str, data: bytes, name: str) -> int:
    for parts, text in _leaf_paths(path, data).items():
        if len(parts) == 3 and parts[0] == "benchmarks" and parts[2] == "name" and text == name:  # noqa: PLR2004 - list, index, key
            return int(parts[1])
    raise NotCertainError(f"the suite {path} names no benchmark {name!r} literally")


def _leaf_paths(path: str, data: bytes) -> dict[tuple[PathPart, ...], str]:
    tree = read_key_tree(Source(path=path, text=decoded(data)[0].replace("\r\n", "\n")))
    return {} if tree is None else {leaf.path: leaf.text for leaf in tree.leaves}


def _runtime_key(ground: Ground, wanted: Wanted) -> Edited | None:
    if _is_inline(ground, "runtime"):
        return _inline(ground, wanted, ("runtime", "values"))
    source = None if ground.benchmark is None else ground.benchmark.runtime
    if source is not None and source.path is not None:
        lead = tuple(source.key.split(".")) if source.key else ()
        return _key(ground, source.path, (*lead, *path_parts(wanted.name)), wanted)
    if wanted.path and is_key_file(wanted.path):
        return _key(ground, wanted.path, path_parts(wanted.name), wanted)
    raise NotCertainError("no suite names a runtime configuration")


def _stage(ground: Ground, wanted: Wanted) -> Edited | None:
    path, parts = stage_place(
        ground.benchmark, lambda path: _leaf_paths(path, ground.content(path)), wanted.name
    )
    return _key(ground, path, parts, wanted)


def _key(ground: Ground, path: str, parts: tuple[PathPart, ...], wanted: Wanted) -> Edited | None:
    data = ground.content(path)
    was = key_value(path, data, parts)
    if was != wanted.value and wanted.is_checked and was != wanted.now:
        raise NotCertainError(f"{wanted.name} is {was!r} in {path}, the diagnosis saw {wanted.now!r}")
    written = key_edit(path, data, parts, wanted.value)
    if written is None:
        return None
    return Edited(path=path, before=data, written=written, was=was, name=written_path(parts))


def _whole_file(ground: Ground, wanted: Wanted) -> Edited | None:
    """The content that the baseline's commit has, if it has the digest that the diagnosis saw."""
    path = wanted.path or wanted.name
    data, old = ground.content(path), ground.read_before(path)
    if old is None or wanted.value is None or not sha256(old).startswith(wanted.value):
        raise NotCertainError(f"the baseline's commit does not hold {path} as the baseline had it")
    if data == old:
        return None
    if max(len(data), len(old)) > MAX_TEXT or b"\0" in data + old:
        raise NotCertainError(f"{path} is no text; take it from the baseline's commit with git")
    written = Written(line=1, offset=0, old=data, new=old, data=old)
    return Edited(path=path, before=data, written=written, was=sha256(data), name=path)
