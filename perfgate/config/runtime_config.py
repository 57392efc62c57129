"""The keys of a runtime file as a suite names it: `runtime: {from: deploy/runtime_config.yaml, key: npu}`.

A suite must not run with keys that were only half read, so this reader is strict where checked files are
tolerant.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.config.key_files import KEY_READERS, read_key_tree
from perfgate.config.key_paths import KeyTree, PathPart, keys_of
from perfgate.config.spans import Source
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from perfgate.config.facts import Key


def read_runtime_keys(path: str, data: bytes, key: str | None = None) -> tuple[Key, ...]:
    """The leaves of a JSON, YAML or TOML file, or those below `key`, with paths relative to that key.

    `key` is a path of names joined by dots (`deploy.runtime`); a name with a dot in it cannot be chosen.
    A scalar under `key` is one leaf with an empty path.

    Raises:
        UsageError: another ending, not UTF-8, broken, a key twice, or no such key; it names the place.
    """
    source = Source(path=path, text=_decoded(path, data).replace("\r\n", "\n"))
    tree = read_key_tree(source)
    if tree is None:
        endings = ", ".join(sorted(KEY_READERS))
        raise UsageError(
            f"{PurePosixPath(path).suffix!r} is no kind of runtime file", path, f"use one of {endings}"
        )
    _refuse_broken(tree, source)
    if key is None:
        return keys_of(tree, source)
    return keys_of(_below(tree, tuple(key.split(".")), path), source)


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError("the file is not UTF-8", f"{path}:{line}", "save it as UTF-8") from error


def _refuse_broken(tree: KeyTree, source: Source) -> None:
    if tree.broken is not None:
        where = str(source.span(tree.broken.offset, tree.broken.offset))
        raise UsageError(f"cannot read the file: {tree.broken.reason}", where, "mend the file")
    for name, offset in tree.repeated:
        raise UsageError(f"key {name!r} is given twice", str(source.span(offset, offset)), "keep one of them")


def _below(tree: KeyTree, prefix: tuple[PathPart, ...], path: str) -> KeyTree:
    size = len(prefix)
    leaves = tuple(replace(leaf, path=leaf.path[size:]) for leaf in tree.leaves if leaf.path[:size] == prefix)
    if not leaves:
        names = ", ".join(dict.fromkeys(str(leaf.path[0]) for leaf in tree.leaves if leaf.path)) or "no keys"
        wanted = ".".join(str(part) for part in prefix)
        raise UsageError(f"there is nothing under key {wanted!r}", path, f"name one of its keys: {names}")
    return KeyTree(leaves=leaves)
