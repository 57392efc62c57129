"""The state machine, on a clock that the test turns by hand."""

from __future__ import annotations

import pytest

from perfgate.core.errors import InfrastructureError, UsageError
from perfgate.measure.breaker import Breaker, BreakerRule, State

RULE = BreakerRule(share=0.5, window=10.0, rest=30.0, least=4)


class Machine:
    """A backend that works or not; each call takes `lasts` seconds of the clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked = 0
        self.lasts = 0.0
        self.problem: Exception | None = None
        self.breaker = Breaker("the command backend", lambda: self.now, RULE)

    def run(self) -> str:
        self.asked += 1
        self.now += self.lasts
        if self.problem is not None:
            raise self.problem
        return "answer"

    def state(self) -> State:
        return self.breaker.state

    def ask(self, times: int = 1) -> list[str]:
        said = []
        for _ in range(times):
            try:
                said.append(self.breaker.call(self.run, "perf_x.yaml:3:5"))
            except UsageError as problem:
                said.append(problem.what)
        return said


STOPPED = InfrastructureError("was ended after 600 s", "perf_x.yaml:3:5", "mend it")


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_closed_open_half_open_and_closed_again(machine: Machine) -> None:
    machine.problem = STOPPED
    assert machine.ask(4) == ["was ended after 600 s"] * 4
    assert machine.state() is State.OPEN
    assert machine.ask(3) == ["not asked: 4 of the last 4 runs of the command backend were stopped"] * 3
    assert machine.asked == 4
    machine.now += 29.9
    assert machine.state() is State.OPEN
    machine.now += 0.1
    assert machine.state() is State.HALF_OPEN
    machine.problem = None
    assert machine.ask() == ["answer"]
    assert machine.state() is State.CLOSED
    machine.problem = STOPPED
    machine.ask(2)
    assert machine.state() is State.CLOSED  # the failures before the pause are forgotten


def test_a_probe_that_fails_opens_it_for_another_pause(machine: Machine) -> None:
    machine.problem = STOPPED
    machine.ask(4)
    machine.now += 30
    assert machine.ask(2)[1].startswith("not asked")
    assert machine.asked == 5
    machine.now += 29
    assert machine.state() is State.OPEN


def test_half_of_the_calls_may_fail(machine: Machine) -> None:
    for problem in (None, STOPPED) * 5:
        machine.problem = problem
        machine.ask()
    assert machine.state() is State.CLOSED
    machine.problem = STOPPED
    machine.ask()
    assert machine.state() is State.OPEN  # 6 of the last 11


def test_old_outcomes_leave_the_window_and_the_last_four_always_count(machine: Machine) -> None:
    machine.ask(20)
    machine.now += 11
    machine.problem, machine.lasts = STOPPED, 600.0
    machine.ask(2)
    assert machine.state() is State.CLOSED  # 2 of the last 4
    machine.ask()
    assert machine.state() is State.OPEN  # 3 of the last 4, though they took half an hour


def test_what_is_wrong_with_one_benchmark_says_nothing_of_the_backend(machine: Machine) -> None:
    machine.problem = UsageError("ended with exit code 3", "perf_x.yaml:3:5", "mend it")
    machine.ask(50)
    assert (machine.state(), machine.asked) == (State.CLOSED, 50)


def test_fewer_than_the_least_calls_open_nothing(machine: Machine) -> None:
    machine.problem = STOPPED
    machine.ask(3)
    assert machine.state() is State.CLOSED
