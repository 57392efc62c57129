from __future__ import annotations

import pytest

from perfgate.core.execution_profile import Parts
from perfgate.diagnose.rules.quantisation import RULE
from tests.diagnose_sides import compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, kernel, operator, profile


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_operators_that_left_half_precision_are_counted(device: str) -> None:
    before = side("bert_base", "tiny", device=device, sizes={"length": 128})
    after = side(
        "bert_base", "tiny", device=device, sizes={"length": 128}, flags={"--precision_mode": "force_fp32"}
    )
    suspect = found(RULE, compare(before, after))[0]
    assert "operators left float16 for float32" in suspect.sentence
    assert suspect.remedies[0].settings[0].name == "--precision_mode"


def test_an_operator_on_the_exclude_list_falls_back_and_the_pass_log_says_so() -> None:
    """Four products of 2,048 columns; the second is excluded, so it and the cast around it are slower."""
    draw = Drawing()
    state = draw.input("x", 2048, 2048)
    for name in ("one", "two", "three"):
        state = draw.matmul(state, name, 2048)
    graph = draw.graph(state)
    whole, part = (
        drawn_profile(graph, side(flags=flags))
        for flags in ({"quantize": "int8"}, {"quantize": "int8", "exclude": "two"})
    )
    suspects = found(RULE, signals_of(whole, part))
    assert (
        "1 operators left int8 for float16: two (excluded: two is on the exclude list)"
        in suspects[0].sentence
    )
    assert suspects[0].remedies[0].settings[0].value == "int8"


def test_equal_types_are_silent() -> None:
    same = side("resnet50", "tiny", flags={"quantize": "int8"})
    assert found(RULE, compare(same, same)) == []
    narrower = compare(
        side("resnet50", "tiny", flags={"--precision_mode": "force_fp32"}), side("resnet50", "tiny")
    )
    assert found(RULE, narrower) == []


def test_launches_do_not_depend_on_the_type() -> None:
    """Fusion is off as well: three launches for one are not the wider type's."""
    fused = operator(1, 50 * MS, dtype="float16")
    parts = Parts(dispatch_ps=20 * MS, compute_ps=53 * MS)
    split = operator(1, 73 * MS, dtype="float32", parts=parts)
    before = profile(80 * MS, operators=(fused,), kernels=(kernel(1, 50 * MS),))
    after = profile(103 * MS, operators=(split,), kernels=(kernel(1, 73 * MS),))
    assert [item.cost for item in found(RULE, signals_of(before, after))] == [3 * MS]


@pytest.mark.parametrize(("added", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_a_wider_type_and_a_new_cast_count_from_one_per_cent_of_the_latency(added: int, count: int) -> None:
    before = profile(98 * MS, operators=(operator(1, 50 * MS, dtype="int8"),), kernels=(kernel(1, 50 * MS),))
    wider = profile(
        100 * MS, operators=(operator(1, 50 * MS + added),), kernels=(kernel(1, 50 * MS + added),)
    )
    assert len(found(RULE, signals_of(before, wider))) == count
    row = operator(1, 50 * MS + added, dtype="int8")
    cast = kernel(1, added, index=2, op="QuantizeLinear", engine="vector")
    casting = profile(100 * MS, operators=(row,), kernels=(kernel(1, 50 * MS), cast))
    assert len(found(RULE, signals_of(before, casting))) == count
