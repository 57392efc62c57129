"""`perfgate init`: look at a repository and propose the files of a first gate; only new ones are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.baseline.slug import slug
from perfgate.config.facts import Certainty
from perfgate.config.prefilter import has_watched_name
from perfgate.config.read import read
from perfgate.config.typed_yaml import quoted_scalar
from perfgate.gate.policy_file import POLICY_PATH
from perfgate.measure.model_inputs import guessed_inputs
from perfgate.workflow.guarding import RULE_FILES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.config.facts import Command
    from perfgate.workflow.worktree import WorkTree

SUITE_PATH = "perf_models.yaml"
LAYOUT = "--optypelayout"
_MODEL_FLAGS = ("--model", "--onnx", "--input_model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A file that init writes, or keeps because it is there already. `reason` is for the table."""

    path: str
    text: str
    reason: str
    is_there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the repository holds: models, compile commands with the file each stands in, runtime files."""

    models: tuple[str, ...]
    commands: tuple[tuple[str, Command], ...]
    runtimes: tuple[str, ...]
    timed_tests: tuple[str, ...]


def survey(tree: WorkTree) -> Survey:
    """Read every file that may hold a command; nothing is run or imported."""
    files = tree.files
    commands: list[tuple[str, Command]] = []
    runtimes, timed = [], []
    for path in files:
        name = PurePosixPath(path).name
        if PurePosixPath(path).stem == "runtime_config":
            runtimes.append(path)
        if path.endswith(".onnx"):
            continue
        data = tree.read(path)
        if re.fullmatch(r"test_\w+\.py|\w+_test\.py", name) and re.search(
            rb"def test_\w+\([^)]*\bbenchmark\b", data
        ):
            timed.append(path)
        if has_watched_name(path, data):
            commands += [(path, command) for command in read(path, data).commands]
    return Survey(
        models=tuple(path for path in files if path.endswith(".onnx")),
        commands=tuple(commands),
        runtimes=tuple(runtimes),
        timed_tests=tuple(timed),
    )


def propose(tree: WorkTree) -> list[Proposal]:
    """The files of a first gate, in the order a person reads them."""
    present = set(tree.files)
    found = survey(tree)
    texts = [
        (SUITE_PATH, *_suite(found, tree)),
        (POLICY_PATH, _POLICY, "thresholds and what each verdict does"),
        (RULE_FILES[0], *_guardrails(found)),
        (".gitignore", *_ignored(tree, present)),
    ]
    return [
        Proposal(path=path, text=text, reason=reason, is_there=path in present and path != ".gitignore")
        for path, text, reason in texts
        if text
    ]


def _suite(found: Survey, tree: WorkTree) -> tuple[str, str]:
    entries = [_entry(model, found, tree) for model in found.models]
    reason = f"{len(entries)} models"
    if not entries:
        entries = [_EXAMPLE]
        reason = "no ONNX file here: an example of the zoo, replace it with your model"
    if found.timed_tests:
        reason += f"; {len(found.timed_tests)} files with timed tests are left to pytest-benchmark"
    return f"{_SUITE_HEAD}{''.join(entries)}", reason


def _entry(model: str, found: Survey, tree: WorkTree) -> str:
    lines = [f"  - name: {slug(PurePosixPath(model).stem)}", f"    model: {quoted_scalar(model)}"]
    compiled = [(path, command) for path, command in found.commands if _compiles(command, model)]
    if len(compiled) == 1:
        path, command = compiled[0]
        same = [other for file, other in found.commands if file == path and other.program == command.program]
        match = "" if len(same) == 1 else f", match: {quoted_scalar(_match(command))}"
        lines.append(f"    compile: {{from: {quoted_scalar(path)}, command: {command.program}{match}}}")
    elif compiled:
        lines.append(
            f"    # {len(compiled)} commands compile this model; choose one with `compile: {{from: FILE}}`"
        )
    lines += _inputs(tree.read(model))
    if len(found.runtimes) == 1:
        lines.append(f"    runtime: {{from: {quoted_scalar(found.runtimes[0])}}}")
    return "\n".join(lines) + "\n"


def _inputs(model: bytes) -> list[str]:
    """Shapes for a model with open dimensions; they are guesses, and say so."""
    try:
        shapes = guessed_inputs(model)
    except ValueError:
        return ["    # this file is no ONNX model that can be read"]
    if not shapes:
        return []
    rows = [
        f"      {quoted_scalar(name)}: {{shape: [{', '.join(map(str, shape))}]}}"
        for name, shape in shapes.items()
    ]
    return ["    inputs:  # dimensions that the model leaves open are guessed: edit them", *rows]


def _compiles(command: Command, model: str) -> bool:
    name = PurePosixPath(model).name
    texts = (flag.value.text for flag in command.flags if flag.name in _MODEL_FLAGS)
    return any(text is not None and PurePosixPath(text).name == name for text in texts)


def _match(command: Command) -> str:
    """A glob that picks this command: its output, else its model."""
    for name in ("--output", *_MODEL_FLAGS):
        flag = command.effective(name)
        if flag is not None and flag.value.text:
            return f"{name}={flag.value.text}"
    return "*"


def _guardrails(found: Survey) -> tuple[str, str]:
    """The layout that every command agrees on becomes the first rule."""
    layouts = _agreed(command for _, command in found.commands)
    if layouts is not None:
        return (
            f"{_RULES_HEAD}atc_convert: require {LAYOUT}={layouts}\n",
            "the layout that your commands agree on",
        )
    return (
        f"{_RULES_HEAD}# atc_convert: require {LAYOUT}=NHWC\nversion: 1\n",
        "no rule yet: an example to edit",
    )


def _agreed(commands: Iterable[Command]) -> str | None:
    values = set()
    for command in commands:
        flag = command.effective(LAYOUT)
        if command.program != "atc" or command.effective("--model") is None:
            continue
        if flag is None or flag.certainty is not Certainty.CERTAIN or flag.value.text is None:
            return None
        values.add(flag.value.text)
    return values.pop() if len(values) == 1 else None


def _ignored(tree: WorkTree, present: set[str]) -> tuple[str, str]:
    """`.perfgate/` added to `.gitignore`, keeping every byte before it; "" when it is there."""
    old = tree.read(".gitignore").decode("utf-8", errors="surrogateescape") if ".gitignore" in present else ""
    if ".perfgate/" in old.splitlines():
        return "", ""
    joint = "" if not old or old.endswith("\n") else "\n"
    return f"{old}{joint}.perfgate/\n", "local records stay out of git"


_SUITE_HEAD = """\
# Benchmarks of this repository. Edit the names, and bind dynamic dimensions with
#   inputs: {image: {shape: [1, 3, 224, 224]}}
version: 1
defaults:
  devices: [ascend-310p-like, ascend-910b-like]
  runs: 5
  samples: 20
benchmarks:
"""
_EXAMPLE = """\
  - name: resnet50
    model: zoo:resnet50
"""
_POLICY = """\
# What counts as a change and what each verdict does; the last matching rule wins. Edit the thresholds.
version: 1
policy:
  - {match: "*", min_effect: 1%, equivalence: 3%, on_inconclusive: warn, on_missing: fail, on_new: warn}
"""
_RULES_HEAD = "# Rules on compile commands; the mistake you never want to see again is one line here.\n"
