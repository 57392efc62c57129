"""Every benchmark of a working tree."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.core.errors import NothingMeasuredError, UsageError
from perfgate.measure.suite import check_unique, is_suite_file, load_suite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.worktree import Tree

_SHOWN = 8  # benchmarks that a message names


def find_suites(tree: Tree) -> dict[str, tuple[Benchmark, ...]]:
    """The benchmarks of each suite file `perf_*.yaml` of the tree.

    Raises:
        UsageError: a suite cannot be read, or two define one name.
    """
    suites = {
        path: load_suite(tree.read_gate_file(path, what="suite", error=UsageError), path)
        for path in tree.gate_files
        if is_suite_file(PurePosixPath(path).name)
    }
    check_unique(item for items in suites.values() for item in items)
    return suites


def no_benchmark() -> NothingMeasuredError:
    """What a tree without a benchmark answers."""
    remedy = "add a suite file perf_*.yaml with at least one benchmark"
    return NothingMeasuredError("no benchmark is defined", "suites", remedy)


def select(
    benchmarks: Iterable[Benchmark], *, expression: str = "", devices: tuple[str, ...] = ()
) -> tuple[Benchmark, ...]:
    """Benchmarks whose key holds the text, on the named devices.

    Raises:
        NothingMeasuredError: none is left.
    """
    everything = tuple(benchmarks)
    chosen = tuple(
        item
        for item in everything
        if expression.lower() in item.key.lower() and (not devices or item.device in devices)
    )
    if not chosen:
        if not everything:
            raise no_benchmark()
        asked = [*([f"-k {expression}"] if expression else []), *(f"--device {name}" for name in devices)]
        keys = [item.key for item in everything]
        more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
        raise NothingMeasuredError(
            f"no benchmark matches '{' '.join(asked)}'",
            "selection",
            f"choose from {', '.join(keys[:_SHOWN])}{more}",
        )
    return chosen
