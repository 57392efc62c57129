from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.pass_entry import PassEntry
from perfgate.diagnose.rules.redundancy import RULE
from tests.diagnose_sides import alone, compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, operator, profile

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_dead_operators_run_when_the_pass_is_off(device: str) -> None:
    """Four layers with an Exp and a Log that nobody reads."""
    before = side("redundant", "wasteful", device=device)
    after = side("redundant", "wasteful", device=device, flags={"--disable_pass": "dce"})
    suspect = found(RULE, compare(before, after))[0]
    assert suspect.sentence.startswith("8 operators that reach no output")
    assert suspect.operator is not None
    assert suspect.operator.name == "Net.layers.0.unused"
    assert suspect.remedies[0].settings[0].name == "--disable_pass"


def test_a_model_edit_that_computes_everything_twice_is_found_while_value_numbering_is_off() -> None:
    off = side(flags={"--disable_pass": "cse"})
    once, twice = (drawn_profile(_repeated(count), off) for count in (1, 2))
    suspect = found(RULE, signals_of(once, twice))[0]
    # The second product, and the Softmax behind it: twins of twins count.
    assert suspect.sentence.startswith("2 duplicated subexpressions")
    assert found(RULE, signals_of(twice, twice)) == []


def _repeated(times: int) -> Graph:
    drawing = Drawing()
    source, weight = drawing.input("x", 256, 512), drawing.weight("w", 512, 512)
    results = []
    for number in range(times):
        product = drawing.add("MatMul", [source, weight], f"product{number}", (256, 512))
        results.append(drawing.add("Softmax", [product], f"soft{number}", axis=-1))
    return drawing.graph(drawing.add("Concat", results, "out", (256 * times, 512), axis=0))


def test_a_loop_that_repeats_an_invariant_product_costs_all_but_the_first() -> None:
    """Ten iterations square the same matrix; moved in front of the loop nine of the ten products go."""
    on = side()
    off = side(flags={"--disable_pass": "loop_invariant"})
    before, after = (drawn_profile(_loop(), each) for each in (on, off))
    suspect = found(RULE, signals_of(before, after))[0]
    assert suspect.sentence.startswith("1 operators that a loop repeats without need")
    assert suspect.operator is not None
    assert suspect.operator.name == "square"
    square = next(row for row in after.kernels if row.name == "square")
    assert suspect.cost == pytest.approx(0.9 * square.duration_ps)


def _loop() -> Graph:
    draw = Drawing()
    matrix, carried = draw.input("matrix", 512, 512), draw.input("start", 512, 512)
    draw.split("LoopEnter", [carried], ["state"], [(512, 512)])
    draw.add("MatMul", [matrix, matrix], "square", (512, 512), repeat=10)
    draw.add("MatMul", ["state", "square"], "next", (512, 512), repeat=10)
    return draw.graph(*draw.split("LoopExit", ["next"], ["out"], [(512, 512)], carried=1))


@pytest.mark.parametrize(("time", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_needless_work_counts_from_one_per_cent_of_the_latency(time: int, count: int) -> None:
    entry = PassEntry("cse", "", ("Conv net.op2",), (), "switched-off: computes the same", applied=False)
    before = profile(98 * MS, operators=(operator(1, 50 * MS),))
    after = profile(100 * MS, operators=(operator(1, 50 * MS), operator(2, time)), pass_log=(entry,))
    assert len(found(RULE, signals_of(before, after))) == count


def test_without_a_baseline_needless_work_counts_by_itself() -> None:
    assert len(found(RULE, alone(side("redundant", "wasteful", flags={"--disable_pass": "dce"})))) == 1
    assert found(RULE, alone(side("redundant", "wasteful"))) == []
