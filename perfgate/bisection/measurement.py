"""One launch: `perfgate record` in a child process in a worktree, and what its end means."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import decode_record
from perfgate.bisection import launcher
from perfgate.bisection.child import Limits, run_child
from perfgate.bisection.probe import Outcome
from perfgate.core.errors import ExitCode, UnusableError, UsageError

if TYPE_CHECKING:
    from perfgate.bisection.child import Ended
    from perfgate.bisection.surroundings import Surroundings
    from perfgate.core.record import Record

_ABSENT = ("no benchmark matches", "no benchmark is defined")
_LINE_MARK = "perfgate: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is measured: a benchmark on a device, below the folder `prefix` of the repository ("" at its top).

    `compiled` is the simulator's compile cache.
    """

    benchmark: str
    device: str
    compiled: Path
    prefix: str = ""

    @property
    def key(self) -> str:
        """As records name it."""
        return f"{self.benchmark}[{self.device}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What a child is asked for: `runs` launches of `samples` each with one seed."""

    runs: int
    samples: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What a child gave: a record, or the outcome that stands for its failure with the end of its output."""

    outcome: Outcome
    seconds: float
    record: Record | None = None
    detail: str = ""


def measure(
    tree: Path, target: Target, draw: Draw, surroundings: Surroundings, limits: Limits
) -> Measurement:
    """Launch the benchmark in a worktree that is built.

    Raises:
        UsageError: code of the user's own tree would be measured instead.
    """
    output = surroundings.temporary / f"records-{tree.name}"
    shutil.rmtree(output, ignore_errors=True)
    command = [
        sys.executable,
        "-P",  # neither the worktree nor the script's folder may shadow what perfgate imports
        str(Path(launcher.__file__).resolve()),
        str(surroundings.root),
        str(tree),
        *("-C", str(tree / target.prefix), "--quiet", "record", "-k", target.key),
        *("--device", target.device, "--runs", str(draw.runs), "--samples", str(draw.samples)),
        *("--seed", str(draw.seed), "--cache", str(target.compiled), "--output", str(output)),
    ]
    ended = run_child(command, tree, surroundings.of_launch(tree), limits)
    path = output / baseline_path(target.benchmark, target.device)
    try:
        return _meaning(ended, path, tree, limits)
    finally:
        shutil.rmtree(output, ignore_errors=True)


def _meaning(ended: Ended, path: Path, tree: Path, limits: Limits) -> Measurement:
    """The first that applies; the benchmark's own record counts also when another one failed beside it."""
    if ended.code == launcher.SHADOWED:
        remedy = (
            "install the package from outside of the repository, or run perfgate from another environment"
        )
        raise UsageError(ended.last_line, str(tree), remedy)
    if ended.is_timed_out:
        return Measurement(
            outcome=Outcome.TIMED_OUT,
            seconds=ended.seconds,
            detail=f"no answer within {limits.seconds:.0f} s",
        )
    if ended.code in {ExitCode.PASS, ExitCode.NOTHING} and path.is_file():
        try:
            record = decode_record(path.read_bytes(), str(path))
        except UnusableError as problem:
            return Measurement(outcome=Outcome.CRASHED, seconds=ended.seconds, detail=problem.what)
        return Measurement(outcome=Outcome.MEASURED, seconds=ended.seconds, record=record)
    return Measurement(outcome=_failure(ended), seconds=ended.seconds, detail=_quoted(ended))


def _failure(ended: Ended) -> Outcome:
    if ended.code == ExitCode.NOTHING:
        is_absent = any(text in ended.output for text in _ABSENT)
        return Outcome.MISSING if is_absent else Outcome.BUILD_FAILED
    return Outcome.UNFIT if ended.code == ExitCode.USAGE else Outcome.CRASHED


def _quoted(ended: Ended) -> str:
    """What our own command said, else the last line; where a signal ended it, which one."""
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith(_LINE_MARK)), "") or (lines[-1] if lines else "")
    if ended.code < 0:
        return f"signal {-ended.code}" + (f", {said}" if said else "")
    return said.removeprefix(_LINE_MARK) or f"exit code {ended.code}"
