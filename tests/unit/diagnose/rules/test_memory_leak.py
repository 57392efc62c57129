from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.diagnosis import Focus
from perfgate.core.execution_profile import MemoryEventRow
from perfgate.diagnose.rules.memory_leak import RULE
from tests.diagnose_sides import found, signals_of
from tests.hand_profiles import MIB, MS, kernel, memory, operator, profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Profile


def _logged(ends: Sequence[int], leaked: int = 0, capacity: int = 8192) -> Profile:
    """A product that leaves `leaked` blocks of 78 MiB behind; sizes are MiB."""
    events = tuple(MemoryEventRow(0, "alloc", number, "net.op1", 78 * MIB) for number in range(leaked))
    return profile(
        MS,
        operators=(operator(1, MS, op="MatMul", scope="net.attention"),),
        kernels=(kernel(1, MS),),
        memory=memory(
            peak=max(ends) * MIB, capacity=capacity * MIB, events=events,
            live_at_end=tuple(end * MIB for end in ends),
        ),
    )  # fmt: skip


RAMP = [1000 + 100 * step for step in range(24)]


@pytest.mark.parametrize(("capacity", "left"), [(8192, "49"), (4096, "8")])
def test_a_ramp_is_a_leak_with_its_owner_and_the_iterations_that_are_left(capacity: int, left: str) -> None:
    """From 3,300 MiB in steps of 100 to 8,192 MiB are 48.9 iterations, to 4,096 MiB of a smaller device 8."""
    signals = signals_of(None, _logged(RAMP, 4, capacity), Focus.MEMORY)
    suspect = found(RULE, signals)[0]
    assert "live bytes grow by 105 MB per iteration" in suspect.sentence
    assert "MatMul in net.attention: 4 blocks of 81.8 MB never freed" in suspect.sentence
    assert suspect.operator is not None
    assert suspect.operator.name == "net.op1"
    assert suspect.evidence[1].text.startswith(f"full in {left} iterations")
    assert suspect.cost == 2300 * MIB


def test_a_leak_that_was_there_before_is_not_told_again() -> None:
    assert found(RULE, signals_of(_logged(RAMP), _logged(RAMP), Focus.MEMORY)) == []
    faster = [1000 + 150 * step for step in range(24)]
    assert len(found(RULE, signals_of(_logged(RAMP), _logged(faster), Focus.MEMORY))) == 1


def test_a_cache_that_fills_and_levels_off_is_no_leak() -> None:
    plateau = [min(1000 + 100 * step, 2200) for step in range(24)]
    assert found(RULE, signals_of(None, _logged(plateau), Focus.MEMORY)) == []


@pytest.mark.parametrize(("iterations", "count"), [(20, 1), (19, 0)])
def test_fewer_than_twenty_iterations_are_too_few_to_tell(iterations: int, count: int) -> None:
    assert len(found(RULE, signals_of(None, _logged(RAMP[:iterations]), Focus.MEMORY))) == count


def test_another_focus_is_silent() -> None:
    assert found(RULE, signals_of(None, _logged(RAMP))) == []
