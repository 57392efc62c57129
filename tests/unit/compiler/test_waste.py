from __future__ import annotations

import pytest

from perfgate.compiler.waste import log_waste
from tests.graphs import Drawing, compiled, entries, passed


def names(drawing: Drawing, pass_name: str, *outputs: str) -> list[str]:
    _, found = passed(drawing.graph(*outputs), lambda work, log: log_waste(pass_name, work, log))
    assert all(not entry.applied and entry.code == "switched-off" for entry in found)
    return [entry.before[0].partition(" ")[2] for entry in found]


def test_twins_of_twins_and_swapped_operands_are_duplicates() -> None:
    draw = Drawing()
    a, b = draw.input("a", 4), draw.input("b", 4)
    first, second = draw.add("Add", [a, b], "first"), draw.add("Add", [b, a], "second")
    left, right = draw.add("Relu", [first], "left"), draw.add("Relu", [second], "right")
    other = draw.add("Sub", [first, a], "other")
    draw.add("Sub", [a, first], "swapped")  # not commutative
    assert names(draw, "cse", draw.add("Sum", [left, right, other, "swapped"], "out")) == ["second", "right"]


def test_results_of_the_model_and_random_values_are_no_duplicates() -> None:
    draw = Drawing()
    a = draw.input("a", 4)
    draw.add("Relu", [a], "one")
    draw.add("Relu", [a], "two")
    draw.add("RandomNormalLike", [a], "noise")
    draw.add("RandomNormalLike", [a], "other")
    assert names(draw, "cse", "one", "two", draw.add("Add", ["noise", "other"], "sum")) == []


def test_dead_code_counts_with_what_only_it_reads() -> None:
    draw = Drawing()
    a = draw.input("a", 4)
    draw.add("Log", [draw.add("Exp", [a], "exp")], "log")
    draw.add("Unknown", [a], "effect", estimated=True)  # it may do more than compute its result
    assert names(draw, "dce", draw.add("Relu", [a], "out")) == ["log", "exp"]


def test_an_invariant_of_a_loop_says_how_often_it_is_made() -> None:
    draw = Drawing()
    a, outside = draw.input("a", 4), draw.input("b", 4)
    draw.split("LoopEnter", [a], ["state"], [(4,)])
    draw.add("Relu", [outside], "same", repeat=3)
    draw.add("Add", ["state", "same"], "next", repeat=3)
    draw.split("LoopExit", ["next"], ["out"], [(4,)], carried=1)
    program = compiled(draw.graph("out"), disabled_passes=frozenset({"loop_invariant"}))
    _, found = entries(program, "loop_invariant")
    assert (found.before, found.details) == (("Relu same",), {"times": 3})
    assert next(kernel.repeat for kernel in program.kernels if kernel.name == "same") == 3  # nothing moved


@pytest.mark.parametrize("pass_name", ["fusion", "layout"])
def test_other_passes_clean_nothing_up(pass_name: str) -> None:
    draw = Drawing()
    assert names(draw, pass_name, draw.add("Relu", [draw.input("a", 4)], "out")) == []
