"""Files that are read for their keys: which reader takes which ending."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.config.json_places import json_keys
from perfgate.config.toml_places import toml_keys
from perfgate.config.yaml_keys import yaml_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.key_paths import KeyTree

KEY_READERS: dict[str, Callable[[str], KeyTree]] = {
    ".json": json_keys,
    ".yaml": yaml_keys,
    ".yml": yaml_keys,
    ".toml": toml_keys,
}


def is_runtime_file(path: str) -> bool:
    """The file is one whose keys a simulated or real runtime reads: `runtime_config.yaml` and its kin."""
    name = PurePosixPath(path)
    return name.stem == "runtime_config" and name.suffix in KEY_READERS


def read_key_tree(path: str, text: str) -> KeyTree | None:
    """The leaves of a file by its ending, or None when no key reader knows the ending."""
    reader = KEY_READERS.get(PurePosixPath(path).suffix)
    return reader(text) if reader else None
