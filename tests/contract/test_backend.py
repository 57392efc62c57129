"""What every backend owes to measuring; a new implementation adds one line to BACKENDS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate import zoo
from perfgate.backends.protocol import Request
from perfgate.backends.simulated import SimulatedBackend

if TYPE_CHECKING:
    from perfgate.backends.protocol import Backend, Session

BACKENDS: dict[str, tuple[Backend, Request]] = {
    "simulated": (
        SimulatedBackend(),
        Request(
            benchmark="unet",
            device="ascend-310p-like",
            model=bytes(zoo.build("sd_unet", "tiny").SerializeToString()),
            model_name="zoo:sd_unet",
            samples=4,
            warmup=2,
        ),
    ),
}


@pytest.fixture(params=BACKENDS)
def opened(request: pytest.FixtureRequest) -> tuple[Backend, Request, Session]:
    backend, asked = BACKENDS[request.param]
    return backend, asked, backend.open(asked)


def test_a_backend_is_named_as_the_suite_names_it(opened: tuple[Backend, Request, Session]) -> None:
    assert opened[0].name in BACKENDS


def test_a_run_has_as_many_positive_samples_as_asked(opened: tuple[Backend, Request, Session]) -> None:
    _, asked, session = opened
    run = session.measure(3)
    assert run.id == 3
    for name in asked.metrics:
        assert len(run.samples[name]) == asked.samples
        assert len(run.warmup[name]) == asked.warmup
        assert min(run.samples[name]) > 0


def test_a_deterministic_backend_repeats_a_run(opened: tuple[Backend, Request, Session]) -> None:
    backend, asked, session = opened
    if backend.is_deterministic:
        assert session.measure(1) == session.measure(1) == backend.open(asked).measure(1)


def test_the_description_says_what_was_measured(opened: tuple[Backend, Request, Session]) -> None:
    _, asked, session = opened
    found = session.describe()
    assert found.inputs
    assert found.protocol["samples"] == str(asked.samples)
    assert len(found.model_digest) == 64


def test_a_session_closes_after_use(opened: tuple[Backend, Request, Session]) -> None:
    opened[2].measure(0)
    opened[2].close()
