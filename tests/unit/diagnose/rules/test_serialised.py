from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.diagnose.rules.serialised import RULE
from tests.diagnose_sides import alone, compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, kernel, operator, profile

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile
    from perfgate.graph.ir import Graph

PINNED = {"pinned_memory": "true"}


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_one_stream_instead_of_four_loses_the_overlap_of_branches(device: str) -> None:
    before, after = (
        side("detector", "tiny", device=device, runtime={**PINNED, "streams": count}) for count in ("4", "1")
    )
    suspect = found(RULE, compare(before, after))[0]
    assert "-> 0 %" in suspect.sentence
    assert suspect.sentence.endswith("everything waits in one stream")
    assert suspect.remedies[0].title == "run on 4 streams"
    settings = {item.name: item.value for item in suspect.remedies[0].settings}
    assert settings == {"streams": "4", "--enable_single_stream": "false"}


@pytest.mark.parametrize("device", ["ascend-310p-like", "ascend-910b-like"])
def test_a_blocking_copy_is_named_with_the_operator_that_reads_it(device: str) -> None:
    """Two branches with an input each: pinned, the second is copied while the first computes."""
    before, after = (
        drawn_profile(_branches(), side(device=device, runtime={"streams": "2", "pinned_memory": value}))
        for value in ("true", "false")
    )
    suspect = found(RULE, signals_of(before, after))[0]
    assert "a:h2d blocks all streams" in suspect.sentence
    assert suspect.operator is not None
    assert suspect.operator.name == "a1"
    assert suspect.remedies[0].settings[0].name == "pinned_memory"


def _branches() -> Graph:
    draw, results = Drawing(), []
    for name in "ab":
        state = draw.matmul(draw.input(name, 1024, 2048), f"{name}1", 2048)
        results.append(draw.matmul(state, f"{name}2", 2048))
    return draw.graph(draw.add("Add", results, "sum"))


def test_equal_sides_and_a_chain_that_never_overlapped_are_silent() -> None:
    one = side("detector", "tiny", runtime={**PINNED, "streams": "1"})
    assert found(RULE, compare(one, one)) == []
    four, one = (side("odd_stride", "even", runtime={**PINNED, "streams": count}) for count in ("4", "1"))
    assert found(RULE, compare(four, one)) == []


def _overlapping(shared: int) -> Profile:
    """100 ms with two engines at work in `shared` of them."""
    kernels = (
        kernel(1, 60 * MS, engine="matrix"),
        kernel(2, 40 * MS, engine="vector", start_ps=60 * MS - shared, index=2),
    )
    return profile(
        100 * MS - shared, operators=(operator(1, 60 * MS), operator(2, 40 * MS)), kernels=kernels, streams=2
    )


@pytest.mark.parametrize(("shared", "count"), [(15 * MS, 1), (MS, 0)])
def test_lost_overlap_counts_from_two_per_cent_of_the_latency(shared: int, count: int) -> None:
    assert len(found(RULE, signals_of(_overlapping(shared), _overlapping(0)))) == count


def test_an_overlap_of_ten_per_cent_is_left_is_silent() -> None:
    assert found(RULE, signals_of(_overlapping(30 * MS), _overlapping(12 * MS))) == []


def test_without_a_baseline_one_engine_and_unknown_dependencies_say_nothing() -> None:
    """As a real backend measures them: idle time between operators is no overlap that was lost."""
    rows = (kernel(1, 40 * MS), kernel(2, 20 * MS, start_ps=60 * MS, engine="vector"))
    operators = (operator(1, 40 * MS), operator(2, 20 * MS))
    told = profile(100 * MS, operators=operators, kernels=rows, critical_path_ps=60 * MS)
    assert len(found(RULE, signals_of(None, told))) == 1
    untold = profile(100 * MS, operators=operators, kernels=rows, critical_path_ps=0)
    assert found(RULE, signals_of(None, untold)) == []
    single = profile(100 * MS, operators=operators, kernels=rows[:1], critical_path_ps=40 * MS)
    assert found(RULE, signals_of(None, single)) == []


def test_without_a_baseline_a_tenth_of_the_time_that_could_overlap_counts() -> None:
    assert "overlap of engines 0 %" in found(RULE, alone(side("bert_base", "tiny")))[0].sentence
    assert found(RULE, alone(side("odd_stride", "even"))) == []
