"""Where a setting of a pipeline's stage stands: in the suite, or in the pipeline's own file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.setting import stage_and_key
from perfgate.guardrails.patch import NotCertainError
from perfgate.measure.model_source import is_shipped
from perfgate.zoo.pipeline_settings import ENGINES, PERIOD, STAGE_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.config.key_paths import PathPart
    from perfgate.measure.benchmark import Benchmark

    Leaves = Mapping[tuple[PathPart, ...], str]


def stage_place(
    benchmark: Benchmark | None, read: Callable[[str], Leaves], name: str
) -> tuple[str, tuple[PathPart, ...]]:
    """The file and the path of its key; `read` gives the leaves of a file.

    Raises:
        NotCertainError: no such pipeline, benchmark or stage is written out, or a whole stage is meant.
    """
    source = None if benchmark is None else benchmark.pipeline
    if benchmark is None or source is None:
        raise NotCertainError("no suite names a pipeline of this benchmark")
    if source.inline is None and not is_shipped(source.name):
        return source.name, _parts(read(source.name), (), name)
    leaves = read(benchmark.suite)
    entry = "benchmarks", _index(leaves, ("benchmarks",), benchmark.name)
    if source.inline is None:  # a shipped one is changed beside its name
        return benchmark.suite, (*entry, "parameters", name)
    return benchmark.suite, _parts(leaves, (*entry, "pipeline"), name)


def _parts(leaves: Leaves, above: tuple[PathPart, ...], name: str) -> tuple[PathPart, ...]:
    stage, key = stage_and_key(name)
    if name == PERIOD:
        return (*above, PERIOD)
    if stage == ENGINES:
        return (*above, ENGINES, key)
    if key not in STAGE_KEYS:
        raise NotCertainError(f"the stage {name} comes or goes as a whole: change it by hand")
    stages = (*above, "stages")
    parts = (*stages, _index(leaves, stages, stage), key)
    if any(path[: len(parts)] == parts and len(path) > len(parts) for path in leaves):
        raise NotCertainError(f"{name} is a list: change it by hand")
    return parts


def _index(leaves: Leaves, above: tuple[PathPart, ...], name: str) -> int:
    """The position of the entry of this name in a list."""
    for path, text in leaves.items():
        if path[:-2] == above and path[-1] == "name" and text == name:
            return int(path[-2])
    raise NotCertainError(f"{name!r} is not written out literally")
