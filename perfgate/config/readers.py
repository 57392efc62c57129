"""Which reader takes which file: an explicit list, first match wins; readers are imported when needed."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from perfgate.config.found import Found
    from perfgate.config.spans import Source


class ReadSource(Protocol):
    """A reader: the text of one file to what it says."""

    def __call__(self, source: Source) -> Found:
        """The facts of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader and the files it takes.

    `function` is `module:function`. `names` are globs on the file name, or on the whole path if they hold a
    slash; `interpreters` are the programs of a `#!` line.
    """

    function: str
    names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()

    def load(self) -> ReadSource:
        """Import the reader."""
        module, _, name = self.function.partition(":")
        reader: ReadSource = getattr(import_module(module), name)
        return reader


_CONFIG = "perfgate.config."
_RUNTIME_FILES = tuple(f"runtime_config.{ending}" for ending in ("json", "yaml", "yml", "toml"))

READERS = (
    Reader(
        function="perfgate.config.shell_file:read_shell_file",
        names=("*.sh", "*.bash", "*.zsh", "*.ksh", "*.dash", "*.envrc", ".bashrc", ".profile", "*.command"),
        interpreters=("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh"),
    ),
    Reader(function=_CONFIG + "key_files:read_key_file", names=_RUNTIME_FILES),
    Reader(function=_CONFIG + "yaml_shapes:read_yaml", names=("*.yml", "*.yaml")),
    Reader(
        function=_CONFIG + "python_file:read_python_file",
        names=("*.py", "*.pyw", "*.pyi", "SConstruct", "SConscript", "wscript"),
        interpreters=("python", "pypy"),
    ),
    Reader(
        function=_CONFIG + "dockerfile:read_dockerfile",
        names=(
            "Dockerfile",
            "Dockerfile.*",
            "*.Dockerfile",
            "*.dockerfile",
            "Containerfile",
            "Containerfile.*",
        ),
    ),
    Reader(
        function=_CONFIG + "makefile:read_makefile",
        names=("Makefile", "makefile", "GNUmakefile", "*.mk", "*.mak", "Makefile.*"),
        interpreters=("make",),
    ),
    Reader(function=_CONFIG + "cmake:read_cmake", names=("CMakeLists.txt", "*.cmake", "*.cmake.in")),
    Reader(function=_CONFIG + "tox_ini:read_tox_ini", names=("tox.ini", "setup.cfg")),
    Reader(function=_CONFIG + "tox_toml:read_tox_toml", names=("tox.toml", "pyproject.toml")),
    Reader(
        function=_CONFIG + "justfile:read_justfile",
        names=("justfile", "Justfile", "JUSTFILE", ".justfile", "*.just"),
        interpreters=("just",),
    ),
    Reader(function=_CONFIG + "notebook:read_notebook", names=("*.ipynb",)),
    Reader(
        function="perfgate.config.unsupported_file:read_unsupported_file",
        names=(
            *("*.ps1", "*.psm1", "*.bat", "*.cmd", "*.fish", "*.csh", "*.tcsh", "*.nu"),
            *("Jenkinsfile", "Jenkinsfile.*", "*.groovy"),
        ),
        interpreters=("pwsh", "powershell", "fish", "csh", "tcsh", "nu"),
    ),
)


def reader_of(path: str, first_line: str) -> Reader | None:
    """The reader of a file by its name, or by its `#!` line when no name matches; None: not read."""
    name = PurePosixPath(path).name
    for reader in READERS:
        if any(fnmatchcase(path if "/" in glob else name, glob) for glob in reader.names):
            return reader
    interpreter = interpreter_of(first_line)
    return next((reader for reader in READERS if interpreter in reader.interpreters), None)


def interpreter_of(first_line: str) -> str:
    """The program that a `#!` line names, without folders, versions and `env`; empty without one."""
    if not first_line.startswith("#!"):
        return ""
    words = [word for word in first_line[2:].split() if not word.startswith("-") and "=" not in word]
    if words and PurePosixPath(words[0]).name == "env":
        del words[0]
    return PurePosixPath(words[0]).name.rstrip("0123456789.") if words else ""
