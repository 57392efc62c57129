"""The loop between search, journal and prober, with a made-up prober of exact values."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, cast

import pytest

from perfgate.bisection.answer import Ending
from perfgate.bisection.journal import Header, resume_journal, start_journal
from perfgate.bisection.probe import Build, Candidate, Launch, Outcome, ProbeOutcome
from perfgate.bisection.problem import Problem
from perfgate.core.errors import UnusableError, UsageError
from perfgate.core.metric import KNOWN_METRICS
from perfgate.workflow.bisect_driving import Drive, drive
from perfgate.workflow.interruption import Interruption

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.bisection.journal import Journal
    from perfgate.bisection.probe import Probe
    from perfgate.bisection.prober import MirrorProber

COUNT, CULPRIT = 40, 23
PROBLEM = Problem(
    candidates=tuple(Candidate(commit=f"c{number:02}", tree=str(number)) for number in range(COUNT)),
    metric=KNOWN_METRICS["cycles"],
)
HEADER = Header(id="x", meaning={})


class FakeProber:
    """Commits from the culprit on cost 150 cycles, earlier ones 100; `unfit` ones cannot be measured."""

    def __init__(self, *, stop_after: int | None = None, unfit: range = range(0)) -> None:
        self.probes: list[str] = []
        self.replays = 0
        self.stop_after = stop_after
        self.unfit = {f"c{number:02}" for number in unfit}

    def probe(self, wanted: Probe) -> ProbeOutcome:
        if self.stop_after is not None and len(self.probes) == self.stop_after:
            os.kill(os.getpid(), signal.SIGINT)
        self.probes.append(wanted.commit)
        built = Build(commit=wanted.commit, seconds=1.0)
        if wanted.commit in self.unfit:
            return ProbeOutcome(commit=wanted.commit, outcome=Outcome.UNFIT, builds=(built,), detail="no")
        value = 150.0 if int(wanted.commit[1:]) >= CULPRIT else 100.0
        launch = Launch(exact={"cycles": value}, seconds=0.1)
        return ProbeOutcome(commit=wanted.commit, outcome=Outcome.MEASURED, launch=launch, builds=(built,))

    def replayed(self, _outcome: ProbeOutcome) -> None:
        self.replays += 1


class Silent:
    """Listens and says nothing."""

    def asked(self, problem: Problem, wanted: Probe) -> None:
        del problem, wanted

    def answered(self, wanted: Probe, outcome: ProbeOutcome) -> None:
        del wanted, outcome


def run_with(prober: FakeProber, journal: Journal, interruption: Interruption) -> Drive:
    # The fake has the methods that the loop calls.
    return Drive(
        prober=cast("MirrorProber", prober), journal=journal, listener=Silent(), interruption=interruption
    )


def test_the_answer_and_a_journal_of_every_probe(tmp_path: Path) -> None:
    prober = FakeProber()
    path = tmp_path / "j.jsonl"
    done = drive(PROBLEM, run_with(prober, start_journal(path, HEADER), Interruption()))
    assert [item.commit.commit for item in done.answer.culprits] == [f"c{CULPRIT}"]
    assert [line.outcome.commit for line in resume_journal(path, HEADER).lines] == prober.probes


@pytest.mark.parametrize("stop_after", [0, 1, 3, 6])
def test_after_a_signal_the_rest_costs_only_the_rest(tmp_path: Path, stop_after: int) -> None:
    whole = FakeProber()
    expected = drive(PROBLEM, run_with(whole, start_journal(tmp_path / "w.jsonl", HEADER), Interruption()))
    path = tmp_path / "j.jsonl"
    first, interruption = FakeProber(stop_after=stop_after), Interruption()
    with interruption.caught():
        stopped = drive(PROBLEM, run_with(first, start_journal(path, HEADER), interruption))
    assert stopped.answer.ending is not Ending.CULPRIT
    second = FakeProber()
    done = drive(PROBLEM, run_with(second, resume_journal(path, HEADER), Interruption()))
    assert done.answer == expected.answer
    assert done.replayed == second.replays == stop_after
    assert first.probes[:stop_after] + second.probes == whole.probes


def test_a_journal_that_leads_elsewhere_is_unusable(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    drive(PROBLEM, run_with(FakeProber(), start_journal(path, HEADER), Interruption()))
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([rows[0], *rows[3:]]))
    with pytest.raises(UnusableError, match="does not lead where it led"):
        drive(PROBLEM, run_with(FakeProber(), resume_journal(path, HEADER), Interruption()))


def test_a_benchmark_that_fits_too_few_commits_ends_with_the_first_it_fits(tmp_path: Path) -> None:
    """Commits 1-22 are unfit: the search lands among them again and again, and first fits at the culprit."""
    prober = FakeProber(unfit=range(1, CULPRIT))
    with pytest.raises(UsageError, match=r"does not fit \d+ of \d+ commits, no.*begin at c"):
        drive(PROBLEM, run_with(prober, start_journal(tmp_path / "j.jsonl", HEADER), Interruption()))
