from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.diagnosis import Focus
from perfgate.core.execution_profile import FlowRow, MemoryEventRow
from perfgate.diagnose.rules.memory_peak import RULE
from tests.diagnose_sides import compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MIB, MS, kernel, memory, operator, profile

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile
    from perfgate.graph.ir import Graph


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_a_result_that_is_added_again_at_the_end_is_held_longer(device: str) -> None:
    before, after = (drawn_profile(_chain(is_held=held), side(device=device)) for held in (False, True))
    suspect = found(RULE, signals_of(before, after, Focus.MEMORY))[0]
    # 1,024 rows of 1,024 elements in two bytes are 2,097,152 B.
    assert ": #0 first holds 2.10 MB " in suspect.sentence
    assert suspect.sentence.endswith(" longer")
    assert suspect.operator is not None
    assert suspect.operator.name == "first"
    assert suspect.cost == 2_097_152


def _chain(*, is_held: bool) -> Graph:
    draw = Drawing()
    first = state = draw.matmul(draw.input("x", 1024, 1024), "first", 1024)
    for name in ("second", "third", "fourth"):
        state = draw.matmul(state, name, 1024)
    last = draw.add("Add", [state, first], "sum") if is_held else draw.add("Relu", [state], "sum")
    return draw.graph(last)


def test_more_weights_are_told_as_weights() -> None:
    wider = side("odd_stride", "even", sizes={"channels": 512})
    suspect = found(RULE, compare(side("odd_stride", "even"), wider, Focus.MEMORY))[0]
    assert ": weights " in suspect.sentence
    assert suspect.operator is None


def test_equal_sides_and_another_focus_are_silent() -> None:
    same = side("odd_stride", "even")
    assert found(RULE, compare(same, same, Focus.MEMORY)) == []
    wider = side("odd_stride", "even", sizes={"channels": 512})
    assert found(RULE, compare(same, wider)) == []


@pytest.mark.parametrize(("peak", "count"), [(102, 1), (100, 0)])
def test_a_peak_counts_from_one_per_cent(peak: int, count: int) -> None:
    before = profile(MS, memory=memory(peak=100 * MIB))
    after = profile(MS, memory=memory(peak=peak * MIB + MIB // 2))
    assert len(found(RULE, signals_of(before, after, Focus.MEMORY))) == count


@pytest.mark.parametrize(("peak", "count"), [(930, 1), (920, 0)])
def test_without_a_baseline_nine_tenths_of_the_device_are_the_limit(peak: int, count: int) -> None:
    """The device has 1,024 MiB."""
    after = profile(MS, memory=memory(peak=peak * MIB))
    assert len(found(RULE, signals_of(None, after, Focus.MEMORY))) == count


def test_freeing_after_the_last_reader_is_replayed() -> None:
    """Three results of 100 MiB; the first is read until 20 ms and held until 30: the peak falls to two."""
    suspect = found(RULE, signals_of(profile(MS, memory=memory(peak=MIB)), _held_too_long(), Focus.MEMORY))[0]
    assert suspect.remedies[0].title == "free early"
    assert "free net.op1 after the last reader" in suspect.remedies[0].advice
    assert "315 MB -> 210 MB" in suspect.remedies[0].advice


def _held_too_long() -> Profile:
    size = 100 * MIB
    events = [
        MemoryEventRow((number - 1) * 10 * MS, "alloc", number, f"net.op{number}", size)
        for number in (1, 2, 3)
    ]
    events += [MemoryEventRow(30 * MS, "free", number, f"net.op{number}", size) for number in (1, 2, 3)]
    return profile(
        30 * MS,
        operators=tuple(operator(number, 10 * MS) for number in (1, 2, 3)),
        kernels=tuple(kernel(number, 10 * MS, start_ps=(number - 1) * 10 * MS) for number in (1, 2, 3)),
        flows=(FlowRow(1, 2, size), FlowRow(2, 3, size)),
        memory=memory(peak=300 * MIB, events=tuple(sorted(events, key=lambda event: event.time_ps))),
    )
