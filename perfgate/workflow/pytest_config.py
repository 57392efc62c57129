"""Whether a repository configures pytest, and where pytest then looks for tests."""

from __future__ import annotations

import configparser
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.workflow.worktree import WorkTree


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestConfig:
    """`file` is the one that configures pytest, "" when none does. `test_paths` empty: everywhere."""

    file: str = ""
    test_paths: tuple[str, ...] = ()


def find_pytest_config(tree: WorkTree) -> PytestConfig:
    """The first of pytest's configuration files that holds its section, in pytest's own order."""
    present = set(tree.files)
    for path, read in _READERS.items():
        if path in present:
            try:
                found = read(tree.read(path, most=1 << 20).decode("utf-8"))
            except (ValueError, configparser.Error):
                continue  # pytest will say what is wrong with it
            if found is not None:
                return PytestConfig(file=path, test_paths=_words(found.get("testpaths", ())))
    return PytestConfig()


def _words(value: object) -> tuple[str, ...]:
    return tuple(value.split()) if isinstance(value, str) else tuple(map(str, value))  # type: ignore[call-overload]  # a list in TOML


def _ini(section: str, *, is_whole: bool = False) -> Callable[[str], dict[str, Any] | None]:
    """A reader of an ini file; a file that is pytest's own counts without its section as well."""

    def read(text: str) -> dict[str, Any] | None:
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(text)
        if parser.has_section(section):
            return dict(parser.items(section))
        return {} if is_whole else None

    return read


def _toml(*tables: tuple[str, ...], is_whole: bool = False) -> Callable[[str], dict[str, Any] | None]:
    def read(text: str) -> dict[str, Any] | None:
        content = tomllib.loads(text)
        for names in tables:
            table: Any = content
            for name in names:
                table = table.get(name) if isinstance(table, dict) else None
            if isinstance(table, dict):
                return table
        return {} if is_whole else None

    return read


_READERS: dict[str, Callable[[str], dict[str, Any] | None]] = {
    "pytest.toml": _toml(("pytest",), is_whole=True),
    ".pytest.toml": _toml(("pytest",), is_whole=True),
    "pytest.ini": _ini("pytest", is_whole=True),
    ".pytest.ini": _ini("pytest", is_whole=True),
    "pyproject.toml": _toml(("tool", "pytest", "ini_options"), ("tool", "pytest")),
    "tox.ini": _ini("pytest"),
    "setup.cfg": _ini("tool:pytest"),
}
