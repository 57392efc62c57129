"""The facts of a whole tree, given as paths and bytes; which keys are read depends on the rules' targets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.facts import FileFacts, Note, Span
from perfgate.config.key_files import is_runtime_file, read_key_tree
from perfgate.config.key_paths import BrokenTextError, LineTable, keys_of
from perfgate.config.read import read
from perfgate.guardrails.check import is_selected
from perfgate.guardrails.globs import any_path_matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from perfgate.guardrails.rule import RuleSet, Target

_BOM = "\ufeff"


def facts_of_tree(files: Mapping[str, bytes], rules: RuleSet) -> tuple[FileFacts, ...]:
    """The facts of all files that the settings choose, in the order of their paths; empty ones are left out.

    A file above `max_file_size` may be given with any bytes beyond the limit cut off at limit + 1: its length
    alone tells that it is too large.
    """
    globs = key_globs(rules)
    chosen = (path for path in sorted(files) if is_selected(rules.settings, path))
    every = (facts_of_file(path, files[path], globs, rules.settings.max_file_size) for path in chosen)
    return tuple(facts for facts in every if _says_something(facts))


def reader_for(rules: RuleSet) -> Callable[[str, bytes], FileFacts]:
    """The reader of single files that these rules need, for fixes and examples."""
    globs, limit = key_globs(rules), rules.settings.max_file_size
    return lambda path, data: facts_of_file(path, data, globs, limit)


def _says_something(facts: FileFacts) -> bool:
    return bool(facts.commands or facts.env or facts.keys or facts.notes or facts.incomplete)


def facts_of_file(path: str, data: bytes, globs: tuple[str, ...], size_limit: int) -> FileFacts:
    """The facts of one file, with its keys where a target watches them."""
    facts = read(path, data, size_limit=size_limit)
    if facts.incomplete or is_runtime_file(path) or not globs or not any_path_matches(globs, path):
        return facts
    if len(data) > size_limit:
        text = f"the file is larger than {size_limit} bytes; nothing of it was read"
        note = _note(path, 1, "size-limit", text)
        return replace(facts, notes=(*facts.notes, note), incomplete=True)
    return _with_keys(facts, data)


def key_globs(rules: RuleSet) -> tuple[str, ...]:
    """The globs of all files whose keys some rule watches."""
    return tuple(dict.fromkeys(glob for target in targets_of(rules) for glob in target.files))


def targets_of(rules: RuleSet) -> Iterable[Target]:
    """Every target that a rule looks at."""
    for rule in rules.rules:
        if rule.target is not None:
            yield rule.target
        yield from (selector.target for selector in getattr(rule.body, "selectors", ()))


def _with_keys(facts: FileFacts, data: bytes) -> FileFacts:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.removeprefix(_BOM).replace("\r\n", "\n")
    lines = LineTable(facts.path, text)
    try:
        tree = read_key_tree(facts.path, text)
    except (BrokenTextError, RecursionError) as error:
        line = lines.place(error.offset)[0] if isinstance(error, BrokenTextError) else 1
        note = _note(facts.path, line, "not-read", f"its keys cannot be read: {error}")
        return replace(facts, notes=(*facts.notes, note), incomplete=True)
    return facts if tree is None else replace(facts, keys=keys_of(tree, lines))


def _note(path: str, line: int, code: str, text: str) -> Note:
    span = Span(path=path, line=line, column=1, end_line=line, end_column=1)
    return Note(code=code, span=span, text=text)
