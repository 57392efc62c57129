"""Files that are read for their keys: which reader takes which ending."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.config.broken import broken_at
from perfgate.config.facts import Note
from perfgate.config.found import Found, merged
from perfgate.config.json_places import json_keys
from perfgate.config.key_paths import keys_of
from perfgate.config.toml_places import toml_keys
from perfgate.config.yaml_keys import yaml_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.key_paths import KeyTree
    from perfgate.config.spans import Source

KEY_READERS: dict[str, Callable[[str], KeyTree]] = {
    ".json": json_keys,
    ".yaml": yaml_keys,
    ".yml": yaml_keys,
    ".toml": toml_keys,
}


def is_key_file(path: str) -> bool:
    """Whether a key reader knows the ending."""
    return PurePosixPath(path).suffix in KEY_READERS


def read_key_tree(source: Source) -> KeyTree | None:
    """The leaves of a file by its ending, or None when no key reader knows the ending."""
    reader = KEY_READERS.get(PurePosixPath(source.path).suffix)
    return reader(source.text) if reader else None


def read_key_file(source: Source) -> Found:
    """The keys of a file, with a note for each key that stands twice."""
    tree = read_key_tree(source)
    if tree is None:
        return Found()
    notes = tuple(
        Note(
            code="duplicate-key",
            span=source.span(offset, offset + 1),
            text=f"key {name!r} stands here again; readers differ in which one counts, so both are judged",
        )
        for name, offset in tree.repeated
    )
    found = Found(keys=keys_of(tree, source), notes=notes)
    if tree.broken is None:
        return found
    offset = tree.broken.offset
    return merged([found, broken_at(source.span(offset, offset), tree.broken.reason)])
