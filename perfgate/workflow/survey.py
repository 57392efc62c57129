"""What a repository holds that a gate can measure or must fit: `perfgate init` looks before it writes."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.baseline.revision import default_branch
from perfgate.config.prefilter import has_watched_name
from perfgate.config.read import read
from perfgate.measure.suite import is_suite_file
from perfgate.workflow.pytest_config import PytestConfig, find_pytest_config

if TYPE_CHECKING:
    from perfgate.config.facts import Command
    from perfgate.workflow.worktree import WorkTree

MODEL_FLAGS = ("--model", "--onnx", "--input_model")
MAX_BYTES = 1 << 20  # of a file that is searched for commands and tests
_RUNTIME_FILE = re.compile(r"runtime_config\.(?:ya?ml|json|toml)")
_TEST_FILE = re.compile(r"test_\w*\.py|\w+_test\.py")
_TIMED_TEST = re.compile(rb"^\s*(?:async\s+)?def\s+test\w*\s*\([^)]*\bbenchmark\b", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What was found, as paths below the root. `commands` have the file each stands in.

    `timed_tests` counts the tests with pytest-benchmark's fixture by file. `suites` are there already.
    """

    models: tuple[str, ...]
    commands: tuple[tuple[str, Command], ...]
    runtimes: tuple[str, ...]
    timed_tests: dict[str, int]
    suites: tuple[str, ...]
    pytest: PytestConfig
    branch: str

    def commands_of(self, model: str) -> list[tuple[str, Command]]:
        """The commands that compile a model: they name its path, or a file name that only this model has."""
        return [
            (path, command) for path, command in self.commands if self._models_of(path, command) == [model]
        ]

    def _models_of(self, path: str, command: Command) -> list[str]:
        text = model_text(command)
        if text is None:
            return []
        exact = [model for model in self.models if model in _places(path, text)]
        name = PurePosixPath(text).name
        return exact or [model for model in self.models if PurePosixPath(model).name == name]

    def runtime_beside(self, path: str) -> str | None:
        """The only runtime file in the folder of a script; None when there is none, or it is not certain."""
        folder = posixpath.dirname(path)
        beside = [item for item in self.runtimes if posixpath.dirname(item) == folder]
        return beside[0] if len(beside) == 1 else None


def look(tree: WorkTree) -> Survey:
    """Read every file that may hold something; nothing is run or imported."""
    commands: list[tuple[str, Command]] = []
    timed: dict[str, int] = {}
    for path in tree.files:
        if path.endswith(".onnx"):
            continue
        data = tree.read(path, most=MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            continue
        if _TEST_FILE.fullmatch(PurePosixPath(path).name) and (count := len(_TIMED_TEST.findall(data))):
            timed[path] = count
        if has_watched_name(path, data):
            commands += [(path, command) for command in read(path, data).commands]
    names = {path: PurePosixPath(path).name for path in tree.files}
    return Survey(
        models=tuple(path for path in tree.files if path.endswith(".onnx")),
        commands=tuple(commands),
        runtimes=tuple(path for path, name in names.items() if _RUNTIME_FILE.fullmatch(name)),
        timed_tests=timed,
        suites=tuple(path for path, name in names.items() if is_suite_file(name)),
        pytest=find_pytest_config(tree),
        branch="main" if tree.repository is None else default_branch(tree.repository),
    )


def model_text(command: Command) -> str | None:
    """The model that a command names, as it is written; None when the file does not tell."""
    for name in MODEL_FLAGS:
        flag = command.effective(name)
        if flag is not None and flag.value.text:
            return flag.value.text
    return None


def _places(path: str, text: str) -> set[str]:
    """Where a script may mean: below the root, or beside itself."""
    return {posixpath.normpath(text), posixpath.normpath(posixpath.join(posixpath.dirname(path), text))}
