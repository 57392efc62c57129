"""What stands on the command line itself, as against what files of the change add to it.

A change can write `addopts` and ini keys. They may make the gate stricter; they must not choose its base, nor
leave benchmarks out of a run that asked for all of them.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

_SELECTING = (
    "-k",
    "-m",
    "--deselect",
    "--ignore",
    "--ignore-glob",
    "--lf",
    "--last-failed",
    "--sw",
    "--stepwise",
    "--perfgate-device",
)
# pytest's options that run no test, by their destination and names.
_RUNNING_NOTHING = {
    "collectonly": ("--collect-only", "--co"),
    "setuponly": ("--setup-only", "--setup-plan"),
    "setupplan": ("--setup-plan",),
    "showfixtures": ("--fixtures", "--funcargs"),
    "show_fixtures_per_test": ("--fixtures-per-test",),
    "cacheshow": ("--cache-show",),
    "markers": ("--markers",),
    "help": ("-h", "--help"),
    "version": ("-V", "--version"),
}


def is_asked(config: pytest.Config, *names: str) -> bool:
    """Whether one of the options stands on the command line or in PYTEST_ADDOPTS, which no change edits."""
    short = tuple(name for name in names if not name.startswith("--"))
    for text in _arguments(config):
        is_long = text.startswith("--")
        if text.partition("=")[0] in names or (short and not is_long and text.startswith(short)):
            return True
    return False


def refuse_to_run_nothing(config: pytest.Config) -> None:
    """An option in `addopts` that measures nothing would make every change green.

    Raises:
        pytest.UsageError: names the option.
    """
    for destination, names in _RUNNING_NOTHING.items():
        if config.getoption(destination, default=False) and not is_asked(config, *names):
            remedy = "remove it there, or name it on the command line"
            raise pytest.UsageError(f"perfgate: {names[0]} measures nothing: addopts: {remedy}")


def overruled_base(config: pytest.Config) -> str:
    """Where a file of the change names the base, which in CI is not followed; "" where none does."""
    if not os.environ.get("CI") or is_asked(config, "--perfgate-base"):
        return ""
    if config.getoption("perfgate_base") is not None:
        return "--perfgate-base in addopts"
    ini = "" if config.inipath is None else config.inipath.name
    return f"perfgate_base in {ini}" if config.getini("perfgate_base") else ""


def left_out(config: pytest.Config, files: Mapping[str, str]) -> list[str]:
    """Keys of benchmarks that do not run although nothing on the command line says so, by their files."""
    if is_asked(config, *_SELECTING) or any("::" in text for text in _arguments(config)):
        return []
    given = [config.invocation_params.dir / text for text in config.args if text in _arguments(config)]
    paths = [path.resolve() for path in given] or [config.rootpath.resolve()]
    root = config.rootpath.resolve()
    return [key for key, file in files.items() if any((root / file).is_relative_to(path) for path in paths)]


def _arguments(config: pytest.Config) -> list[str]:
    given = [str(text) for text in config.invocation_params.args]
    return [*given, *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))]
