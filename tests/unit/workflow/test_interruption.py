from __future__ import annotations

import os
import signal

import pytest

from perfgate.workflow.interruption import InterruptedRunError, Interruption


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_raises_where_it_may(number: signal.Signals, code: int) -> None:
    interruption = Interruption()
    with interruption.caught(), pytest.raises(InterruptedRunError) as caught, interruption.may_raise():
        os.kill(os.getpid(), number)
    assert caught.value.exit_code == code


def test_elsewhere_it_is_remembered_and_raised_at_the_next_place() -> None:
    interruption = Interruption()
    with interruption.caught():
        os.kill(os.getpid(), signal.SIGTERM)
        assert interruption.number == signal.SIGTERM
        with pytest.raises(InterruptedRunError), interruption.may_raise():
            pytest.fail("the block must not begin")


def test_a_second_signal_does_not_disturb_the_cleaning() -> None:
    interruption = Interruption()
    with interruption.caught():
        with pytest.raises(InterruptedRunError), interruption.may_raise():
            os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
    assert interruption.number == signal.SIGINT


def test_the_handlers_from_before_come_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Interruption().caught():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before
