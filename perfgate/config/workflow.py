"""Workflows and composite actions of GitHub: `run` steps with their shell, environment and matrix."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.embedded import atoms_of
from perfgate.config.matrix import matrix_values
from perfgate.config.programs import base_name
from perfgate.config.python_file import read_python_text
from perfgate.config.running import run_pieces, run_words, unsupported_shell
from perfgate.config.setting_pairs import pair_settings
from perfgate.config.words import Word
from perfgate.config.workflow_expression import Context, expression_pieces
from perfgate.config.wrappers import PYTHONS, SHELLS
from perfgate.config.yaml_places import scalar_text
from perfgate.config.yaml_settings import environment_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.embedded import TextPiece
    from perfgate.config.found import Found
    from perfgate.config.spans import Placed, Source
    from perfgate.config.words import Atom
    from perfgate.config.yaml_load import YamlNode


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    """What holds for a workflow, a job or a step: variables, matrix, shell and where that is named."""

    source: Source
    variables: dict[str, tuple[Atom, ...]] = field(default_factory=dict)
    matrix: dict[str, tuple[Atom, ...]] = field(default_factory=dict)
    interpreter: str = "bash"
    shell_node: YamlNode | None = None
    context: str = ""

    def pieces(self, text: Placed) -> list[TextPiece]:
        """Text with its expressions as expansions."""
        # what a watched variable held before is only ever added to: the setting before it counts itself
        watched = self.source.watch.variables
        env = {f"env.{name}": atoms for name, atoms in self.variables.items() if name not in watched}
        return expression_pieces(text, Context(values=self.matrix | env))


def is_workflow(node: YamlNode) -> bool:
    """The document has jobs with steps."""
    jobs = node.member("jobs")
    return jobs is not None and any(job.member("steps") is not None for _, job in jobs.pairs)


def is_action(node: YamlNode) -> bool:
    """The document describes an action that runs steps or a container."""
    runs = node.member("runs")
    return runs is not None and runs.member("using") is not None


def read_workflow(source: Source, node: YamlNode) -> Iterator[Found]:
    """The facts of a workflow."""
    level = _with_defaults(_Level(source=source), node)
    level, found = _with_environment(level, node.member("env"))
    yield from found
    jobs = node.member("jobs")
    for name, job in jobs.pairs if jobs is not None else ():
        yield from _job(replace(level, context=name.text), job)


def read_action(source: Source, node: YamlNode) -> Iterator[Found]:
    """The facts of a composite action, or of one that runs a container."""
    runs = node.member("runs")
    if runs is None:
        return
    level, found = _with_environment(_Level(source=source), runs.member("env"))
    yield from found
    yield from _steps(level, runs.member("steps"))
    words = [scalar_text(source, part) for part in _container_words(runs)]
    yield run_words(tuple(Word(atoms=atoms_of(level.pieces(text)), place=text) for text in words))


def _container_words(runs: YamlNode) -> list[YamlNode]:
    entrypoint, arguments = runs.member("entrypoint"), runs.member("args")
    parts = [entrypoint] if entrypoint is not None else []
    return [part for part in (*parts, *(arguments.items if arguments else ())) if part.kind == "scalar"]


def _job(level: _Level, job: YamlNode) -> Iterator[Found]:
    strategy = job.member("strategy")
    matrix = matrix_values(level.source, strategy.member("matrix") if strategy is not None else None)
    level = _with_defaults(replace(level, matrix=matrix), job)
    runner = job.member("runs-on")
    if level.shell_node is None and runner is not None and _is_windows(runner):
        level = replace(level, interpreter="pwsh")
    level, found = _with_environment(level, job.member("env"))
    yield from found
    for container in _containers(job):
        pairs = environment_pairs(level.source, container.member("env"), level.pieces)
        yield from pair_settings(pairs)
    yield from _steps(level, job.member("steps"))


def _containers(job: YamlNode) -> list[YamlNode]:
    container, services = job.member("container"), job.member("services")
    found = [] if container is None else [container]
    return found + ([] if services is None else [node for _, node in services.pairs])


def _is_windows(runner: YamlNode) -> bool:
    return any(label.text.lower().startswith("windows") for label in (runner, *runner.items))


def _with_defaults(level: _Level, node: YamlNode) -> _Level:
    defaults = node.member("defaults")
    run = defaults.member("run") if defaults is not None else None
    shell = run.member("shell") if run is not None else None
    return level if shell is None else replace(level, interpreter=shell.text, shell_node=shell)


def _with_environment(level: _Level, node: YamlNode | None) -> tuple[_Level, list[Found]]:
    pairs = environment_pairs(level.source, node, level.pieces)
    variables = level.variables | {name.text: atoms for name, atoms in pairs}
    return replace(level, variables=variables), list(pair_settings(pairs))


def _steps(level: _Level, steps: YamlNode | None) -> Iterator[Found]:
    for step in steps.items if steps is not None else ():
        shell = step.member("shell")
        inner = level if shell is None else replace(level, interpreter=shell.text, shell_node=shell)
        inner, found = _with_environment(inner, step.member("env"))
        yield from found
        script = step.member("run")
        if script is not None and script.kind == "scalar":
            yield _run(inner, script, shell)
        elif script is not None:
            yield from _long_run(inner, script)


def _long_run(level: _Level, node: YamlNode) -> Iterator[Found]:
    """`run: {command: ..., shell: ...}`, the long form of CircleCI."""
    level, found = _with_environment(level, node.member("environment"))
    yield from found
    script, shell = node.member("command"), node.member("shell")
    if script is not None and script.kind == "scalar":
        inner = level if shell is None else replace(level, interpreter=shell.text, shell_node=shell)
        yield _run(inner, script, shell)


def _run(level: _Level, script: YamlNode, shell: YamlNode | None) -> Found:
    text = scalar_text(level.source, script)
    program = base_name(level.interpreter.split(maxsplit=1)[0]) if level.interpreter.strip() else "bash"
    if program in SHELLS or "${{" in level.interpreter:
        return run_pieces(level.pieces(text), level.variables, context=level.context)
    if program in PYTHONS and "${{" not in text.text:
        return read_python_text(text)
    place = shell or level.shell_node or script
    return unsupported_shell(text, level.interpreter, level.source.span(place.start, place.end))
