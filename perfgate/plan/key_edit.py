"""The exact replacement that gives a key of a YAML, JSON or TOML file its value, checked by reading it again.

Several forms are tried, the one in the style of its neighbours first. What counts is what the file says
afterwards: this key has this value, and nothing else is different.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.config.key_files import read_key_tree
from perfgate.config.key_paths import written_path
from perfgate.config.spans import Source
from perfgate.guardrails.fix import decoded
from perfgate.guardrails.patch import NotCertainError, SourceText
from perfgate.plan.key_forms import added_forms, removed_forms, value_forms
from perfgate.plan.written import replaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.key_paths import KeyTree, Leaf, PathPart
    from perfgate.plan.key_forms import Form
    from perfgate.plan.written import Written

_PART = re.compile(r'\.?(?:"((?:[^"\\]|\\.)*)"|\[(\d+)\]|([^."\[]+))')


def path_parts(text: str) -> tuple[PathPart, ...]:
    """A written path such as `stages[1].name` taken apart; a name that does not fit stays whole."""
    parts: list[PathPart] = []
    position = 0
    while position < len(text):
        match = _PART.match(text, position)
        if match is None:
            return (text,)
        quoted, index, bare = match.groups()
        if index is not None:
            parts.append(int(index))
        else:
            parts.append(bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        position = match.end()
    return tuple(parts)


def key_value(path: str, data: bytes, parts: tuple[PathPart, ...]) -> str | None:
    """The text of a key, None when the file does not have it.

    Raises:
        NotCertainError: the file cannot be read, or says it twice.
    """
    found = [leaf for leaf in _tree(path, decoded(data)[0]).leaves if leaf.path == parts]
    if len(found) > 1:
        raise NotCertainError(f"{written_path(parts)} stands in {path} several times")
    return found[0].text if found else None


def key_edit(path: str, data: bytes, parts: tuple[PathPart, ...], value: str | None) -> Written | None:
    """The replacement, None when the key has its value already (`value` None: is absent already).

    Raises:
        NotCertainError: the file cannot be read, or no form says exactly this.
    """
    if key_value(path, data, parts) == value:
        return None
    text = decoded(data)[0]
    tree = _tree(path, text)
    wanted = _facts(tree, without=parts)
    for start, end, new in _forms(path, text, tree, parts, value):
        written = replaced(data, start, end, new)
        try:
            after = _tree(path, decoded(written.data)[0])
        except NotCertainError:
            continue
        found = [leaf.text for leaf in after.leaves if leaf.path == parts]
        if _facts(after, without=parts) == wanted and found == ([] if value is None else [value]):
            return written
    raise NotCertainError(f"no way is certain to write {written_path(parts)} in {path}")


def _tree(path: str, text: str) -> KeyTree:
    tree = read_key_tree(Source(path=path, text=text.replace("\r\n", "\n")))
    if tree is None or tree.broken is not None:
        reason = "is no YAML, JSON or TOML file" if tree is None else "cannot be read to its end"
        raise NotCertainError(f"{path} {reason}")
    return tree


def _facts(tree: KeyTree, without: tuple[PathPart, ...]) -> list[tuple[object, ...]]:
    leaves = [(leaf.path, leaf.type, leaf.text) for leaf in tree.leaves if leaf.path != without]
    return [*leaves, (len(tree.repeated),)]


def _forms(
    path: str, text: str, tree: KeyTree, parts: tuple[PathPart, ...], value: str | None
) -> Iterator[Form]:
    """Replacements in the offsets of the text as it is, carriage returns included."""
    joined, source = Source(path=path, text=text.replace("\r\n", "\n")), SourceText(text)

    def moved(offset: int) -> int:
        return source.offset(*joined.point(offset))

    leaves = [_at(leaf, moved(leaf.start), moved(leaf.end)) for leaf in tree.leaves]
    here = next((leaf for leaf in leaves if leaf.path == parts), None)
    if here is None and value is not None:
        yield from added_forms(source, leaves, parts, value)
    elif here is not None and value is None:
        yield from removed_forms(source, here)
    elif here is not None and value is not None:
        for new in value_forms(value, text[here.start : here.end]):
            yield here.start, here.end, new


def _at(leaf: Leaf, start: int, end: int) -> Leaf:
    return type(leaf)(path=leaf.path, type=leaf.type, text=leaf.text, start=start, end=end)
