"""One benchmark ready to be bisected: its files over every commit, its candidates, its cache key."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import perfgate
from perfgate.bisection.candidates import History, list_history
from perfgate.bisection.overlay import LOCK_FILES, Overlay, former_names, is_lock_file, read_overlay
from perfgate.bisection.probe_cache import CacheKey
from perfgate.bisection.revisions import resolve
from perfgate.core.machine import SIMULATED
from perfgate.core.record import SCHEMA
from perfgate.measure.model_source import is_shipped

if TYPE_CHECKING:
    from perfgate.bisection.gitrun import Git
    from perfgate.core.metric import Metric
    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.bisect_history import Grounds
    from perfgate.workflow.bisect_request import BisectRequest

EACH = "each"
_BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectSubject:
    """A benchmark and the metric of it that is searched; `overlay` is what is placed over its commits."""

    benchmark: Benchmark
    metric: Metric
    overlay: Overlay

    @property
    def is_simulated(self) -> bool:
        """Its times come from the files alone."""
        return self.benchmark.backend == SIMULATED

    @property
    def reads(self) -> tuple[str, ...]:
        """Files of the repository that the benchmark reads and a commit supplies, relative to its root."""
        item = self.benchmark
        work = None if item.call or item.launch or is_shipped(item.work) else item.work
        return tuple(path for path in (item.compile.path, item.runtime.path, work) if path)


def definition_overlay(request: BisectRequest, git: Git, bad: str) -> Overlay:
    """The benchmark's files, out of the bad end or the revision that the user names.

    Raises:
        UsageError: the revision names nothing.
    """
    measuring = request.measuring
    commit = (
        bad
        if measuring.definition in {_BAD, EACH}
        else resolve(git, measuring.definition, "--benchmark-from")
    )
    return read_overlay(git, commit, with_locks=measuring.frozen, without=measuring.under_test)


def placed_overlay(request: BisectRequest, subject: BisectSubject, grounds: Grounds) -> Overlay:
    """What is placed over each commit for one benchmark.

    Renamed files get the name by which the benchmark knows them. With a definition of each commit's own only
    lock files are placed.
    """
    overlay = subject.overlay
    if request.measuring.definition == EACH:
        return Overlay(files=tuple(item for item in overlay.files if is_lock_file(item.path)))
    inside = f"{grounds.prefix}/" if grounds.prefix else ""
    ends = (grounds.ends.good, grounds.ends.bad)
    paths = [f"{inside}{path}" for path in subject.reads]
    found = {path: former_names(grounds.mirror.git, ends, path) for path in paths}
    former = {path: names for path, names in found.items() if names}
    return Overlay(files=overlay.files, former=former, replaces_suites=overlay.replaces_suites)


def history_of(git: Git, ends: tuple[str, str], request: BisectRequest, subject: BisectSubject) -> History:
    """The candidates between two commits."""
    watched = [*subject.reads, *(name for names in subject.overlay.former.values() for name in names)]
    return list_history(git, *ends, paths=request.paths, watched=watched)


def cache_key(request: BisectRequest, subject: BisectSubject, tree: str) -> CacheKey:
    """What samples of a tree are kept under."""
    return CacheKey(
        tree=tree,
        benchmark=subject.benchmark.key,
        metric=subject.metric.name,
        overlay=subject.overlay.digest,
        setup=" ".join(request.measuring.set_up),
        contents=request.measuring.contents,
        python=sys.version,
        machine="" if subject.is_simulated else machine_key(),
        perfgate=installation_digest(),
        schema=SCHEMA,
    )


def machine_key() -> str:
    """Samples of another machine are never pooled."""
    return f"{platform.node()} {platform.machine()} {platform.release()} {os.cpu_count()}"


def installation_digest() -> str:
    """Of the running perfgate: another version, or an edited one, measures anew."""
    digest = hashlib.sha256(perfgate.__version__.encode())
    root = Path(perfgate.__file__).parent
    for path in sorted(root.rglob("*.py")):
        found = path.stat()
        digest.update(f"{path.relative_to(root)} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def lock_changes(history: History) -> list[str]:
    """Abbreviated ids of candidates that change a lock file: suspects outside of the code."""
    return [item.commit[:12] for item in history.touching(LOCK_FILES)]
