from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.execution_profile import Parts
from perfgate.diagnose.rules.comm_wait import RULE
from tests.diagnose_sides import compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, kernel, operator, profile

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph


@pytest.mark.parametrize("device", ["ascend-310p-like", "ascend-910b-like"])
def test_a_collective_of_more_bytes_takes_longer(device: str) -> None:
    """No collective is simulated; as an operator outside the table it costs a pass over its bytes."""
    before, after = (drawn_profile(_reduced(columns), side(device=device)) for columns in (1024, 131_072))
    suspect = found(RULE, signals_of(before, after))[0]
    assert suspect.sentence.startswith("AllReduce gradients: waiting and communicating take ")
    assert suspect.operator is not None
    assert suspect.operator.op == "AllReduce"


def _reduced(columns: int) -> Graph:
    draw = Drawing()
    source = draw.input("x", 64, columns)
    reduced = draw.add("AllReduce", [source], "gradients", estimated=True)
    return draw.graph(draw.add("Relu", [reduced], "out"), resident='["x", "out"]')


def test_equal_sides_and_models_without_collectives_are_silent() -> None:
    same = side("odd_stride", "even")
    assert found(RULE, compare(same, same)) == []
    assert found(RULE, compare(same, side("odd_stride", "even", sizes={"channels": 128}))) == []


@pytest.mark.parametrize(("wait", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_waiting_for_the_others_counts_from_one_per_cent_of_the_latency(wait: int, count: int) -> None:
    row = operator(1, 20 * MS, op="AllReduce")
    quick = kernel(1, 20 * MS, op="hcom_all_reduce_", kind="comm", engine="comm")
    slow = kernel(
        1, 20 * MS, op="hcom_all_reduce_", kind="comm", engine="comm",
        parts=Parts(compute_ps=20 * MS, wait_ps=wait),
    )  # fmt: skip
    before = profile(98 * MS, operators=(row,), kernels=(quick,))
    after = profile(100 * MS, operators=(row,), kernels=(slow,))
    assert len(found(RULE, signals_of(before, after))) == count
