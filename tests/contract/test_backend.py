"""What every backend owes to measuring; a new implementation adds one line to BACKENDS."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.backends.launch import Launch, Reading
from perfgate.backends.protocol import Request
from perfgate.backends.registry import BACKENDS as NAMES
from perfgate.backends.registry import TIMED, open_backend
from perfgate.core.errors import PerfgateError
from perfgate.core.machine import MUST_MATCH
from perfgate.core.metric import KNOWN_METRICS
from perfgate.gate.evidence import MIN_SAMPLES
from perfgate.zoo.catalogue import build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.backends.protocol import Backend, Session

SAMPLES, WARMUP = 6, 2
WORK = "def work():\n    return sum(range(2000))\n\n\ndef broken():\n    raise ValueError('first\\nsecond')\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A backend with what it is asked, and with what it cannot do; `root` is the repository's folder."""

    backend: Backend
    asked: Request
    bad: Request
    root: Path


def model() -> bytes:
    return bytes(build("sd_unet", "tiny").SerializeToString())


def requests(name: str, root: Path) -> tuple[Request, Request]:
    """What the backend can measure, and a request that opens or measures to a failure."""
    good = Request(
        benchmark="b", device="here", samples=SAMPLES, warmup=WARMUP, root=str(root), place="s.yaml:3:5"
    )
    change = msgspec.structs.replace
    if name == "python":
        (root / "work.py").write_text(WORK)
        return change(good, call="work:work"), change(good, call="work:broken")
    if name == "command":
        says = Launch(
            argv=(sys.executable, "-c", "print('took 3.5 ms')"),
            readings=(Reading(metric="latency", unit="s", factor=1e-3, regex=r"took (\S+) ms"),),
        )
        fails = Launch(argv=(sys.executable, "-c", "import sys; sys.exit('no\\nengine')"))
        return change(good, launch=says), change(good, launch=fails)
    device = "ascend-310p-like" if name == "simulated" else "here"
    given = change(good, device=device, model=model(), model_name="zoo:sd_unet")
    return given, change(given, model=b"no model\n" * 9)


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    if request.param == "onnxruntime" and importlib.util.find_spec("onnxruntime") is None:
        pytest.skip("the extra `ort` is not installed")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    root = tmp_path / "repository"
    root.mkdir()
    asked, bad = requests(request.param, root)
    backend = open_backend(request.param, devices=(), read=lambda name, _: name, cache=None)
    return Case(backend, asked, bad, root)


@pytest.fixture
def session(case: Case) -> Iterator[Session]:
    opened = case.backend.open(case.asked)
    yield opened
    opened.close()


def test_a_backend_is_named_as_the_suite_names_it(case: Case) -> None:
    assert case.backend.name in NAMES
    assert case.backend.is_deterministic == (case.backend.name not in TIMED)


def test_a_run_has_as_many_positive_samples_as_asked(case: Case, session: Session) -> None:
    run = session.measure(3)
    assert run.id == 3
    assert run.seed == case.asked.seed
    for name in case.asked.metrics:
        assert len(run.samples[name]) == case.asked.samples >= MIN_SAMPLES
        assert len(run.warmup[name]) == case.asked.warmup
        assert min(run.samples[name]) > 0


def test_a_timed_run_says_when_it_started(case: Case, session: Session) -> None:
    assert bool(session.measure(0).started) == (not case.backend.is_deterministic)


def test_a_deterministic_backend_repeats_a_run(case: Case, session: Session) -> None:
    if case.backend.is_deterministic:
        assert session.measure(1) == session.measure(1) == case.backend.open(case.asked).measure(1)


def test_the_description_says_what_was_measured(case: Case, session: Session) -> None:
    found = session.describe()
    assert found.device == case.asked.device
    assert bool(found.inputs) == bool(case.asked.model)  # only a model has inputs
    assert found.protocol["samples"] == str(case.asked.samples)
    assert found.protocol["warmup"] == str(case.asked.warmup)
    assert len(found.model_digest) == 64


def test_two_openings_are_described_alike(case: Case, session: Session) -> None:
    first, again = session.describe(), case.backend.open(case.asked)
    session.measure(0)
    for found in (again.describe(), session.describe()):
        assert (found.inputs, found.protocol) == (first.inputs, first.protocol)
        assert (found.exact, found.model_digest) == (first.exact, first.model_digest)
        assert [found.context.get(name) for name in MUST_MATCH] == [
            first.context.get(name) for name in MUST_MATCH
        ]
    again.close()


def test_a_timed_record_says_what_it_was_measured_on(case: Case, session: Session) -> None:
    if case.backend.name in TIMED:
        context = session.describe().context
        assert all(context[name] for name in ("cpu_model", "cpu_count", "os_release"))
        assert "runtime_version" in context


def test_exact_metrics_are_known_by_name(case: Case, session: Session) -> None:
    assert set(session.describe().exact) <= set(KNOWN_METRICS), case.backend.name


def test_a_profile_adds_up_or_there_is_none(session: Session) -> None:
    profile = session.profile()
    if profile is None:
        return
    total = profile.application.total_ps
    assert sum(row.total_ps for row in profile.operators) <= total
    spent = sum(row.duration_ps * row.times for row in profile.kernels)
    assert spent == sum(row.total_ps for row in profile.operators)
    assert profile.parts.duration_ps + profile.parts.wait_ps == pytest.approx(total, rel=1e-9)


def test_another_sample_count_is_another_protocol(case: Case, session: Session) -> None:
    more = case.backend.open(msgspec.structs.replace(case.asked, samples=SAMPLES + 1))
    assert more.describe().protocol != session.describe().protocol
    more.close()


def test_a_metric_that_cannot_be_taken_is_refused(case: Case) -> None:
    with pytest.raises(PerfgateError, match="'happiness'"):
        case.backend.open(msgspec.structs.replace(case.asked, metrics=("happiness",)))


def test_what_cannot_be_measured_is_one_line(case: Case) -> None:
    with pytest.raises(PerfgateError) as caught:
        case.backend.open(case.bad).measure(0)
    assert "\n" not in str(caught.value)
    assert "Traceback" not in str(caught.value)


def children() -> set[str]:
    mine = Path(f"/proc/self/task/{os.getpid()}/children")
    return set(mine.read_text().split()) if mine.exists() else set()


def test_nothing_is_left_behind(case: Case) -> None:
    before, running = sorted(case.root.rglob("*")), children()
    opened = case.backend.open(case.asked)
    opened.measure(0)
    opened.profile()
    opened.describe()
    opened.close()
    assert sorted(case.root.rglob("*")) == before
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert children() == running


def test_closing_twice_does_no_harm(case: Case) -> None:
    opened = case.backend.open(case.asked)
    opened.close()
    opened.close()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
