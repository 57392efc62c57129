"""Which benchmark and which metric are bisected, and from which good commit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import decode_record
from perfgate.bisection.gitrun import GitError
from perfgate.core.errors import NothingMeasuredError, PerfgateError, UsageError
from perfgate.core.machine import SIMULATED
from perfgate.core.verdict import Verdict
from perfgate.measure.suite import is_suite_file, load_suite
from perfgate.report.check_report import decode_check_report

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perfgate.bisection.gitrun import Git
    from perfgate.bisection.overlay import Overlay
    from perfgate.core.metric import Metric
    from perfgate.measure.benchmark import Benchmark

_REPORTS = ".perfgate"  # where jobs keep their reports
_SHOWN = 8
_DEFAULT_EXACT = "cycles"


def benchmarks_of(overlay: Overlay, prefix: str) -> tuple[Benchmark, ...]:
    """The benchmarks that the suite files of the overlay define below a folder of the repository.

    Raises:
        UsageError: a suite cannot be read.
    """
    inside = f"{prefix}/" if prefix else ""
    found: list[Benchmark] = []
    for item in overlay.files:
        path = item.path.removeprefix(inside)
        if item.path.startswith(inside) and is_suite_file(path.rpartition("/")[2]):
            found += load_suite(item.data, path)
    return tuple(found)


def choose(known: Sequence[Benchmark], names: Sequence[str], root: Path) -> tuple[Benchmark, ...]:
    """The named benchmarks; without names those that regressed in the last report, else the only one.

    `name[device]`, `name@device`, and a part of it that fits one benchmark only are names.

    Raises:
        NothingMeasuredError: no benchmark is defined.
        UsageError: a name fits none or several, or there is no name and more than one benchmark.
    """
    if not known:
        remedy = "name a bad end that has a suite file perf_*.yaml"
        raise NothingMeasuredError("no benchmark is defined", "--bad", remedy)
    if names:
        return tuple({item.key: item for item in (_one(known, name) for name in names)}.values())
    regressed = _regressed(root)
    by_key = {item.key: item for item in known}
    chosen = tuple(by_key[key] for key in regressed if key in by_key)
    if chosen or len(known) == 1:
        return chosen or tuple(known)
    what = "no benchmark is named, and no report of a check says which one regressed"
    raise UsageError(what, "-b", f"choose from {_list([item.key for item in known])}")


def metric_of(benchmark: Benchmark, name: str | None) -> Metric:
    """The metric to search: the named one, the exact one of the simulator, else the first sampled one.

    Raises:
        UsageError: the benchmark does not measure it.
    """
    by_name = {metric.name: metric for metric in benchmark.metrics}
    if name is not None:
        if name not in by_name:
            remedy = f"choose from {_list(list(by_name))}"
            raise UsageError(f"{benchmark.key} does not measure {name!r}", "--metric", remedy)
        return by_name[name]
    if benchmark.backend == SIMULATED and _DEFAULT_EXACT in by_name:
        return by_name[_DEFAULT_EXACT]
    return next((metric for metric in benchmark.metrics if metric.is_sampled), benchmark.metrics[0])


def accepted_commit(git: Git, bad: str, benchmark: Benchmark, folder: str) -> str:
    """The commit at which the baseline of the bad end was measured; `folder` from the top of the repository.

    Raises:
        UsageError: there is no such baseline, or it names no commit.
    """
    path = f"{folder}/{baseline_path(benchmark.name, benchmark.device)}"
    try:
        data = git.run("cat-file", "blob", f"{bad}:{path}")
    except GitError:
        data = b""
    commit = decode_record(data, path).provenance.commit if data else ""
    if not commit:
        what = f"no accepted baseline of {benchmark.key} names a good commit"
        raise UsageError(what, "--good", "name the last commit that was fast")
    return commit


def _one(known: Sequence[Benchmark], name: str) -> Benchmark:
    key = re.sub(r"^(.+)@([^@\]]+)$", r"\1[\2]", name)
    exact = [item for item in known if item.key == key]
    found = exact or [item for item in known if name.lower() in item.key.lower()]
    if len(found) == 1:
        return found[0]
    keys = [item.key for item in (found or known)]
    what = f"{name!r} fits {len(found)} benchmarks" if found else f"no benchmark is called {name!r}"
    raise UsageError(what, "-b", f"choose from {_list(keys)}")


def _regressed(root: Path) -> list[str]:
    """Keys that the newest report below the folder of reports calls regressed, worst first."""
    reports = sorted((root / _REPORTS).rglob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in reports:
        try:
            report = decode_check_report(path.read_bytes(), str(path))
        except PerfgateError:
            continue  # records and profiles lie there as well
        return [item.key for item in report.verdicts if item.verdict is Verdict.REGRESSED]
    return []


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
