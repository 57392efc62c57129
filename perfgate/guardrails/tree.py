"""The facts of a whole tree, given as paths and bytes; what is watched depends on the rules' targets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.key_files import is_key_file, read_key_file
from perfgate.config.programs import GFLAGS, PROGRAMS, WATCH, Program, Watch, program_of
from perfgate.config.read import read
from perfgate.config.spans import Source
from perfgate.guardrails.check import is_selected
from perfgate.guardrails.globs import any_path_matches, text_matches
from perfgate.guardrails.rule import Consistency

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from perfgate.config.facts import FileFacts
    from perfgate.guardrails.rule import RuleSet, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What rules want to know: programs, variables, files whose keys count, the largest file read."""

    watch: Watch
    key_files: tuple[str, ...]
    size_limit: int


def facts_of_tree(files: Mapping[str, bytes], rules: RuleSet) -> tuple[FileFacts, ...]:
    """The facts of all files that the settings choose, in the order of their paths.

    Those that say nothing are left out, but not files watched for their keys: one without any lacks them all.
    A file above `max_file_size` may be given cut off at one byte more: its length alone tells.
    """
    watched = watched_by(rules)
    chosen = (path for path in sorted(files) if is_selected(rules.settings, path))
    every = (facts_of_file(path, files[path], watched) for path in chosen)
    return tuple(facts for facts in every if _says_something(facts) or _has_keys(facts.path, watched))


def reader_for(rules: RuleSet) -> Callable[[str, bytes], FileFacts]:
    """The reader of single files that these rules need, for fixes and examples."""
    watched = watched_by(rules)
    return lambda path, data: facts_of_file(path, data, watched)


def watched_by(rules: RuleSet) -> Watched:
    """The built-in programs and variables, and those that targets of the rules add."""
    targets = tuple(dict.fromkeys(_targets(rules)))
    added = {
        name: _program(name, target) for target in targets for name in target.programs if not _is_known(name)
    }
    variables = frozenset(name for target in targets for name in target.env) - WATCH.variables
    watch = WATCH.extended(tuple(added.values()), variables) if added or variables else WATCH
    key_files = tuple(dict.fromkeys(glob for target in targets for glob in target.files))
    return Watched(watch=watch, key_files=key_files, size_limit=rules.settings.max_file_size)


def _targets(rules: RuleSet) -> Iterator[Target]:
    for rule in rules.rules:
        if rule.target is not None:
            yield rule.target
        if isinstance(rule.body, Consistency):
            yield from (selector.target for selector in rule.body.selectors)


def _is_known(name: str) -> bool:
    return program_of(name) is not None or any(text_matches(name, program.name) for program in PROGRAMS)


def _program(name: str, target: Target) -> Program:
    return Program(name=name, dialect=target.dialect or GFLAGS, names=(name,))


def facts_of_file(path: str, data: bytes, watched: Watched) -> FileFacts:
    """The facts of one file, with its keys where a target watches them."""
    facts = read(path, data, watch=watched.watch, size_limit=watched.size_limit)
    if facts.incomplete or facts.keys or not _has_keys(path, watched):
        return facts
    if len(data) > watched.size_limit:
        return replace(facts, incomplete=True)
    found = read_key_file(Source(path=path, text=_text(data)))
    return replace(
        facts,
        keys=found.keys,
        notes=(*facts.notes, *found.notes),
        incomplete=found.incomplete,
    )


def _has_keys(path: str, watched: Watched) -> bool:
    """Whether a target watches the file for its keys and they can be read."""
    return is_key_file(path) and bool(watched.key_files) and any_path_matches(watched.key_files, path)


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


def _says_something(facts: FileFacts) -> bool:
    return bool(facts.commands or facts.env or facts.keys or facts.notes or facts.incomplete)
