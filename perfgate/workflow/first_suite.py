"""The first suite file of a repository: what `init` found, each entry tried before it is written."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.slug import slug
from perfgate.config.runtime_config import read_runtime_keys
from perfgate.config.typed_yaml import quoted_scalar
from perfgate.core.errors import PerfgateError
from perfgate.measure.model_inputs import guessed_inputs
from perfgate.measure.suite import load_suite
from perfgate.workflow.measuring import Measurer
from perfgate.workflow.survey import MODEL_FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.facts import Command
    from perfgate.workflow.survey import Survey
    from perfgate.workflow.worktree import WorkTree

SUITE_NAME = "perf_models.yaml"
NPU_DEVICES = ("ascend-310p-like", "ascend-910b-like")
GPU_DEVICES = ("orin-like", "a100-like")
_GPU_PROGRAM = "trtexec"
_LFS = b"version https://git-lfs.github.com/spec/"
_SECTIONS = frozenset({"runtime", "runtime_config"})  # keys that a runtime file may keep all others below


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSuite:
    """The text of the file, how many benchmarks it holds, and what to tell the user."""

    text: str
    count: int
    notes: tuple[str, ...]


def suite_path(found: Survey, files: tuple[str, ...]) -> str:
    """Where `pytest --perfgate` finds the suite: the root, or the first folder that pytest looks in."""
    folders = [posixpath.normpath(path) for path in found.pytest.test_paths]
    if not folders or "." in folders:
        return SUITE_NAME
    inside = [item for item in folders if any(path.startswith(f"{item}/") for path in files)]
    return f"{inside[0]}/{SUITE_NAME}" if inside else SUITE_NAME


def first_suite(
    found: Survey, tree: WorkTree, path: str, announce: Callable[[int, int, str], None]
) -> FirstSuite:
    """Every model that can be measured, with its compile command and runtime file where they are certain.

    An entry that cannot be measured stands in the file as a comment with the reason.
    """
    writer = _Writer(found, tree, posixpath.dirname(path))
    parts, notes, count = [], [], 0
    names: set[str] = set()
    for index, model in enumerate(found.models):
        announce(index, len(found.models), model)
        name = _free_name(model, names)
        text, problem = writer.entry(model, name)
        parts.append(text)
        count += not problem
        if problem:
            notes.append(f"{model} is not measured: {problem}")
    announce(len(found.models), len(found.models), "")
    if not count:
        parts.append(_EXAMPLE)
        what = "no ONNX file here" if not found.models else "no ONNX file here can be measured"
        notes.append(f"{what}, so {path} measures an example of the zoo: replace it with your model")
    return FirstSuite(text=f"{writer.head()}{''.join(parts)}", count=count, notes=tuple(notes))


def _free_name(model: str, taken: set[str]) -> str:
    """A short name; two models of one file name take their folder as well."""
    stem = str(PurePosixPath(model).with_suffix(""))
    name = slug(PurePosixPath(stem).name)
    if name in taken:
        name = slug(stem.replace("/", "-"))
    taken.add(name)
    return name


class _Writer:
    """Entries of a suite file in one folder of the tree."""

    def __init__(self, found: Survey, tree: WorkTree, folder: str) -> None:
        self.found = found
        self.tree = tree
        self.folder = folder

    def head(self) -> str:
        """The comment that says what to edit, and the defaults."""
        return _HEAD.format(devices=", ".join(self._devices()))

    def entry(self, model: str, name: str) -> tuple[str, str]:
        """The entry as YAML, and why it cannot be measured, "" when it can.

        The compile command is left out where the simulated compiler does not take it.
        """
        data = self.tree.read(model)
        if data.startswith(_LFS):
            problem = "a Git LFS pointer: run `git lfs pull`, then perfgate init --force"
            return f"  # {quoted_scalar(model)}: {problem}\n", problem
        lines = [f"  - name: {name}", f"    model: {self._relative(model)}", *_inputs(data)]
        compiled, remarks = self._compile(model)
        problem = self._try([*lines, *compiled])
        if problem and compiled:
            without = self._try(lines)
            if not without:
                remarks = [*remarks, *(f"left out, {problem}: {line.strip()}" for line in compiled)]
                compiled, problem = [], ""
        text = "".join(
            f"{line}\n" for line in [*(f"    # {remark}" for remark in remarks), *lines, *compiled]
        )
        if problem:
            commented = "".join(f"  # {line.removeprefix('  ')}\n" for line in text.splitlines())
            return f"  # cannot be measured, {' '.join(problem.split())}\n{commented}", problem
        return text, ""

    def _compile(self, model: str) -> tuple[list[str], list[str]]:
        """Lines of the compile command and the runtime file, and remarks on what is not certain."""
        compiled = self.found.commands_of(model)
        if not compiled:
            return [], []
        if len(compiled) > 1:
            places = ", ".join(str(command.program_span) for _, command in compiled[:5])
            return [], [
                f"{len(compiled)} commands compile it ({places}): choose one with `compile: {{from: FILE}}`"
            ]
        path, command = compiled[0]
        same = [item for file, item in self.found.commands if (file, item.program) == (path, command.program)]
        match = "" if len(same) == 1 else f", match: {quoted_scalar(_match(command))}"
        lines = [f"    compile: {{from: {self._relative(path)}, command: {command.program}{match}}}"]
        runtime = self.found.runtime_beside(path)
        if runtime is not None:
            lines.append(f"    runtime: {{from: {self._relative(runtime)}{self._section(runtime)}}}")
        return lines, []

    def _section(self, path: str) -> str:
        """`, key: NAME` where the file keeps everything below one such key."""
        try:
            keys = read_runtime_keys(path, self.tree.read(path))
        except PerfgateError:
            return ""
        firsts = {key.path.partition(".")[0] for key in keys}
        name = firsts.pop() if len(firsts) == 1 else ""
        return f", key: {name}" if name in _SECTIONS else ""

    def _try(self, lines: list[str]) -> str:
        """Measure the entry once on its first device; why it cannot be, "" when it can."""
        text = self.head() + "".join(f"{line}\n" for line in lines)
        path = posixpath.join(self.folder, SUITE_NAME)
        try:
            benchmark = load_suite(text.encode("utf-8", "surrogateescape"), path)[0]
            Measurer(self.tree, seed=0, runs=1).measure(msgspec.structs.replace(benchmark, samples=1))
        except PerfgateError as problem:
            return problem.line
        return ""

    def _relative(self, path: str) -> str:
        """A path as the suite file names it: relative to its own folder."""
        return quoted_scalar(posixpath.relpath(path, self.folder or "."))

    def _devices(self) -> tuple[str, ...]:
        programs = {command.program for _, command in self.found.commands}
        return GPU_DEVICES if programs == {_GPU_PROGRAM} else NPU_DEVICES


def _inputs(model: bytes) -> list[str]:
    """Shapes for a model with open dimensions; they are guesses, and say so."""
    try:
        shapes = guessed_inputs(model)
    except ValueError:
        return []
    if not shapes:
        return []
    rows = [
        f"      {quoted_scalar(name)}: {{shape: [{', '.join(map(str, shape))}]}}"
        for name, shape in shapes.items()
    ]
    return ["    inputs:  # dimensions that the model leaves open are guessed: edit them", *rows]


def _match(command: Command) -> str:
    """A glob that picks this command: its output, else its model."""
    for name in ("--output", *MODEL_FLAGS):
        flag = command.effective(name)
        if flag is not None and flag.value.text:
            return f"{name}={flag.value.text}"
    return "*"


_HEAD = """\
# Benchmarks of this repository, read by `pytest --perfgate` and `perfgate check`. Edit the names, the devices
# and the inputs: shapes that a model leaves open are guesses. Paths are relative to this file.
# Editors complete its keys with the schema that `perfgate doctor --schema suite` prints.
version: 1
defaults:
  devices: [{devices}]
  runs: 5
  samples: 20
benchmarks:
"""
_EXAMPLE = """\
  - name: resnet50  # an example: replace it with `model: path/to/your.onnx`
    model: zoo:resnet50
"""
