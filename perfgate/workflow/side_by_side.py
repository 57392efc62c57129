"""Base and head measured in one job, in turns: both are built in private worktrees, and neither is stored.

Between two virtual machines the same code differs by a quarter, on one machine by a third of a percent
(STATISTICS section 5), so a shared runner compares in pairs.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perfgate.bisection import launcher
from perfgate.bisection.builder import Builder, SetUp
from perfgate.bisection.child import Limits, run_child
from perfgate.bisection.mirror import bisect_folder, bring, mirror_folder, open_mirror, open_source
from perfgate.bisection.overlay import Overlay
from perfgate.bisection.owner import this_process
from perfgate.bisection.revisions import resolve
from perfgate.bisection.surroundings import Surroundings
from perfgate.bisection.sweep import sweep
from perfgate.bisection.worktrees import Worktrees
from perfgate.core.errors import ExitCode, NothingMeasuredError, UsageError
from perfgate.workflow.bisect_history import mirror_lock, snapshot
from perfgate.workflow.measuring import read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.bisection.mirror import Mirror, Source
    from perfgate.core.record import Record, Run

LEAST_PAIRS = 5  # STATISTICS section 5
BUILD_SECONDS = 1800.0
LAUNCH_SECONDS = 3600.0  # for one run of every selected benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRequest:
    """What to compare: the working tree with `revision`; `set_up` runs in each checkout, empty for none.

    `selection` are the arguments of `perfgate record` that choose the benchmarks.
    """

    root: Path
    revision: str
    set_up: tuple[str, ...] = ()
    selection: tuple[str, ...] = ()
    pairs: int = LEAST_PAIRS
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The records of both sides, run r of one taken beside run r of the other; the commits as hex."""

    base: Mapping[str, Record]
    head: Mapping[str, Record]
    base_commit: str
    head_commit: str


def measure_side_by_side(
    request: PairRequest, environment: Mapping[str, str], announce: Callable[[int, int, str], None]
) -> Paired:
    """Build both and take the pairs in the order base, head, head, base, ...

    Raises:
        UsageError: a revision names nothing, both are the same, or one of them cannot be built.
        NothingMeasuredError: a run failed on one side; says which and why.
    """
    cache = bisect_folder(environment, Path.home())
    source = open_source(request.root, cache, environment)
    with mirror_lock(mirror_folder(source, cache)):
        mirror, commits = _bring_both(source, cache, request)
        owner = this_process()
        worktrees = Worktrees(mirror, owner)
        worktrees.open()
    try:
        surroundings = Surroundings(
            outer=environment,
            names=tuple(environment),  # the job's own code, as it would run here; no old commit of others
            root=source.root,
            home=worktrees.home,
            temporary=worktrees.temporary,
            token=owner.token,
        )
        builder = Builder(
            worktrees,
            Overlay(),
            SetUp(command=request.set_up, seconds=BUILD_SECONDS),
            surroundings,
            limits=Limits(seconds=BUILD_SECONDS),
        )
        prefix = request.root.resolve().relative_to(source.root.resolve())
        trees = [_built(builder, commit) / prefix for commit in commits]
        sides = _take_pairs(request, trees, surroundings, announce)
    finally:
        worktrees.close()
    base, head = (_joined(runs) for runs in sides)
    return Paired(base=base, head=head, base_commit=commits[0], head_commit=commits[1])


def _bring_both(source: Source, cache: Path, request: PairRequest) -> tuple[Mirror, tuple[str, str]]:
    """Our mirror with both commits in it; uncommitted files become a commit that only the mirror has."""
    mirror = open_mirror(source, cache)
    sweep(mirror)
    base = resolve(source.git, request.revision, "--against")
    head = resolve(source.git, "HEAD", "HEAD")
    bring(mirror, source, [base, head])
    now = snapshot(mirror, source, head)
    trees = [mirror.git.text("rev-parse", f"{commit}^{{tree}}") for commit in (base, now)]
    if trees[0] == trees[1]:
        raise UsageError("the working tree is what it is compared with", "--against", "name another revision")
    return mirror, (base, now)


def _built(builder: Builder, commit: str) -> Path:
    done = builder.build(commit)
    if done.tree is None:
        what = f"the commit cannot be built, {done.detail}"
        raise UsageError(what, commit[:12], "mend it, or correct --setup")
    return done.tree


def _take_pairs(
    request: PairRequest,
    trees: list[Path],
    surroundings: Surroundings,
    announce: Callable[[int, int, str], None],
) -> tuple[list[dict[str, Record]], list[dict[str, Record]]]:
    """One run of every benchmark for each side of each pair."""
    sides: tuple[list[dict[str, Record]], list[dict[str, Record]]] = ([], [])
    total = 2 * request.pairs
    for number in range(request.pairs):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            announce(len(sides[0]) + len(sides[1]), total, f"{('base', 'head')[side]}, pair {number + 1}")
            # Both sides of a pair draw other noise, or equal noise would hide a difference of none.
            seed = 2 * (request.seed * LEAST_PAIRS + number) + side
            sides[side].append(_launch(request, trees[side], surroundings, seed))
    announce(total, total, "")
    return sides


def _launch(request: PairRequest, tree: Path, surroundings: Surroundings, seed: int) -> dict[str, Record]:
    output = surroundings.temporary / f"pair-{seed}"
    command = [
        *(sys.executable, "-P", str(Path(launcher.__file__).resolve())),
        *(str(surroundings.root), str(tree), "-C", str(tree), "--quiet", "record"),
        *("--runs", "1", "--seed", str(seed), "--output", str(output), *request.selection),
    ]
    ended = run_child(command, tree, surroundings.of_launch(tree), Limits(seconds=LAUNCH_SECONDS))
    if ended.code != ExitCode.PASS:
        raise NothingMeasuredError(
            f"a run failed, {ended.last_line}", str(tree.name), "mend it, or leave it out with -k"
        )
    return read_records(output)


def _joined(records: list[dict[str, Record]]) -> dict[str, Record]:
    """One record per benchmark with a run from each process, numbered by its pair."""
    joined = {}
    for key, first in records[0].items():
        runs: list[Run] = []
        for number, found in enumerate(records):
            if key not in found:
                raise NothingMeasuredError("a run is lost", key, "run it again")
            runs.append(msgspec.structs.replace(found[key].runs[0], id=number))
        joined[key] = msgspec.structs.replace(first, runs=tuple(runs))
    return joined
