"""Whether a change edits what pytest selects: its settings, in any file that may hold them, or a conftest."""

from __future__ import annotations

import configparser
import tomllib
from typing import TYPE_CHECKING

from perfgate.core.errors import PerfgateError

if TYPE_CHECKING:
    from perfgate.workflow.ground import Ground

_OWN_FILES = frozenset({"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "conftest.py"})
_SHARED_FILES = frozenset({"pyproject.toml", "tox.ini", "setup.cfg"})


def selection_edits(ground: Ground) -> tuple[str, ...]:
    """Files whose edit may change which benchmarks a run collects, relative to the root."""
    return tuple(
        edit.path
        for edit in ground.edits
        if (name := edit.path.rpartition("/")[2]) in _OWN_FILES
        or (name in _SHARED_FILES and _differs(ground, edit.path))
    )


def _differs(ground: Ground, path: str) -> bool:
    try:
        before = ground.trusted.read(path) or b""
        now = ground.tree.read(path) if path in ground.tree.files else b""
    except PerfgateError:
        return True
    return _settings(before, path) != _settings(now, path)


def _settings(data: bytes, path: str) -> object:
    """The part of a shared file that pytest reads; the whole of one that cannot be read."""
    try:
        text = data.decode("utf-8")
        if path.endswith(".toml"):
            return tomllib.loads(text).get("tool", {}).get("pytest")
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(text)
    except (ValueError, configparser.Error):
        return data
    return [dict(parser[name]) for name in ("pytest", "tool:pytest") if name in parser]
