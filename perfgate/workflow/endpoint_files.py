"""`perfgate record --endpoints` and `perfgate check --bisect-exit`: perfgate inside of `git bisect run`.

Git's search does not go back, so every commit is judged until it is sure, against both ends measured before.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.bisection.nearest import (
    SURE,
    Endpoints,
    bad_chance,
    decode_endpoints,
    encode_endpoints,
)
from perfgate.bisection.probe import Launch, Probe, Progress, Purpose
from perfgate.bisection.shelf import launches_of
from perfgate.core.errors import PerfgateError, UnusableError, UsageError
from perfgate.core.metric import Kind
from perfgate.workflow.bisect_search import prober_of
from perfgate.workflow.bisect_subject import history_of
from perfgate.workflow.bisecting import prepare_bisection, workplace
from perfgate.workflow.measuring import Measurer
from perfgate.workflow.recording import open_tree
from perfgate.workflow.suites import find_suites
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.workflow.bisect_driving import Listener
    from perfgate.workflow.bisect_request import BisectRequest
    from perfgate.workflow.interruption import Interruption

LAUNCHES = 6  # at each end: their level is known to a fraction of what one launch at a commit says
SAMPLES = 20
MOST_LAUNCHES = 24  # at one commit
GOOD, BAD, CANNOT_TELL, BROKEN = 0, 1, 125, 128  # exit codes that `git bisect run` understands


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One commit in the eyes of `git bisect run`."""

    exit_code: int
    text: str


def record_endpoints(
    request: BisectRequest, output: Path, listener: Listener, interruption: Interruption
) -> Endpoints:
    """Measure both ends in turn, in worktrees of the mirror, and write the file.

    Raises:
        PerfgateError: the range, the benchmark or an end cannot be used, or the ends are alike.
    """
    grounds, subjects = prepare_bisection(request)
    subject = subjects[0]
    metric = subject.metric
    ends = (grounds.ends.good, grounds.ends.bad)
    history = history_of(grounds.mirror.git, ends, request, subject)
    taken: dict[str, list[Launch]] = {commit: [] for commit in ends}
    count = 1 if metric.kind is Kind.EXACT else LAUNCHES
    with (
        workplace(request, grounds, listener, interruption) as work,
        closing(prober_of(work, subject, history)) as prober,
    ):
        for number in range(count):
            for commit in ends if number % 2 == 0 else ends[::-1]:
                progress = Progress(left=0, bad_chance=0.5, builds=0, samples=0)
                wanted = Probe(commit=commit, samples=SAMPLES, purpose=Purpose.ENDPOINT, progress=progress)
                with interruption.may_raise():
                    outcome = prober.probe(wanted)
                if outcome.launch is None:
                    what = f"the end {commit[:12]} cannot be measured, {outcome.outcome}: {outcome.detail}"
                    raise UsageError(what, subject.benchmark.key, "choose an end that builds")
                taken[commit].append(outcome.launch)
    record = Endpoints(
        benchmark=subject.benchmark.key,
        metric=metric,
        good_commit=ends[0],
        bad_commit=ends[1],
        good=tuple(taken[ends[0]]),
        bad=tuple(taken[ends[1]]),
    )
    chances = [bad_chance(record, side) for side in (record.good, record.bad)]
    if chances[0] > 1 - SURE or chances[1] < SURE:
        what = f"{metric.name} of {record.benchmark} does not tell the two ends apart"
        raise UsageError(what, "--endpoints", "name ends that differ, or another metric")
    write_text_file(output, encode_endpoints(record))
    return record


def judge_working_tree(root: Path, record_file: Path, name: str, *, seed: int) -> Judged:
    """Measure the benchmark of the working tree until it is like one of the ends.

    Nothing raises: what cannot be measured is 125, a record that cannot be used is 128, which makes git stop.
    """
    try:
        record = decode_endpoints(_read(record_file), str(record_file))
        if name and name not in {record.benchmark, _at_form(record.benchmark)}:
            raise UnusableError(f"the record is of {record.benchmark}", str(record_file), f"record {name}")
    except PerfgateError as problem:
        return Judged(exit_code=BROKEN, text=problem.line)
    try:
        chance, launches = _measured(root, record, seed)
    except PerfgateError as problem:
        return Judged(exit_code=CANNOT_TELL, text=f"cannot tell: {problem.line}")
    said = f"P(bad) {chance:.3f} after {launches} launches of {record.benchmark}"
    if chance >= SURE:
        return Judged(exit_code=BAD, text=f"bad: {said}")
    if chance <= 1 - SURE:
        return Judged(exit_code=GOOD, text=f"good: {said}")
    return Judged(exit_code=CANNOT_TELL, text=f"cannot tell: {said}")


def _measured(root: Path, record: Endpoints, seed: int) -> tuple[float, int]:
    tree = open_tree(root)
    known = {item.key: item for items in find_suites(tree).values() for item in items}
    if record.benchmark not in known:
        raise UsageError("the benchmark is missing", record.benchmark, "skip this commit")
    benchmark = msgspec.structs.replace(known[record.benchmark], samples=SAMPLES)
    taken: list[Launch] = []
    chance = 0.5
    while len(taken) < MOST_LAUNCHES and 1 - SURE < chance < SURE:
        measurer = Measurer(tree, seed=seed + len(taken), runs=1)
        fresh = launches_of(measurer.measure(benchmark), record.metric, 0.0)
        if not fresh:
            raise UsageError(f"no values of {record.metric.name}", record.benchmark, "skip this commit")
        taken += fresh
        chance = bad_chance(record, taken)
    return chance, len(taken)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        remedy = "write it with `perfgate record --endpoints GOOD BAD`"
        raise UnusableError(f"the end points cannot be read, {reason}", str(path), remedy) from None


def _at_form(key: str) -> str:
    name, _, device = key.removesuffix("]").rpartition("[")
    return f"{name}@{device}"
