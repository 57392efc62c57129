"""The compile command of a benchmark, as it stands in the repository's own file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.compile_command import find_command
from perfgate.config.read import read as read_facts

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.facts import Command
    from perfgate.measure.benchmark import Benchmark

DEFAULT_PROGRAM = "atc"


def compile_command(benchmark: Benchmark, read: Callable[..., bytes]) -> Command | None:
    """The command that compiles the benchmark's model, None when the suite names no file.

    Raises:
        UsageError: the file cannot be read, or holds no such command, or several.
    """
    source = benchmark.compile
    if source.path is None:
        return None
    data = read(source.path, what="compile script", named_at=benchmark.place)
    facts = read_facts(source.path, data)
    return find_command(facts, program=source.program or DEFAULT_PROGRAM, match=source.match)
