import numpy as np

from perfgate.compiler.cse import merge_duplicates, same_attributes
from tests.graphs import Drawing, passed


def test_the_second_of_two_equal_nodes_becomes_a_name_of_the_first() -> None:
    # x = a + b; y = a + b -> y := x (SEED_FEATURES B10); the operands of a sum may be swapped.
    draw = Drawing()
    a, b = draw.input("a", 4), draw.input("b", 4)
    draw.add("Mul", [draw.add("Add", [a, b], "x"), draw.add("Add", [b, a], "y")], "out")
    work, entries = passed(draw.graph("out"), merge_duplicates)
    assert [node.name for node in work.nodes()] == ["x", "out"]
    assert [value.name for value in work.nodes()[1].inputs if value] == ["x", "x"]
    assert work.residues[0].text == "duplicate of Add x"
    assert (entries[0].kernels_saved, entries[0].bytes_saved) == (1, 8)  # 4 elements of 2 bytes


def test_the_order_of_operands_matters_where_the_operator_says_so() -> None:
    draw = Drawing()
    a, b = draw.input("a", 4), draw.input("b", 4)
    draw.add("Mul", [draw.add("Sub", [a, b], "x"), draw.add("Sub", [b, a], "y")], "out")
    work, _ = passed(draw.graph("out"), merge_duplicates)
    assert len(work.nodes()) == 3


def test_different_attributes_are_different_values() -> None:
    draw = Drawing()
    a = draw.input("a", 4)
    draw.add(
        "Add", [draw.add("LeakyRelu", [a], "x", alpha=0.1), draw.add("LeakyRelu", [a], "y", alpha=0.2)], "out"
    )
    work, _ = passed(draw.graph("out"), merge_duplicates)
    assert len(work.nodes()) == 3


def test_equal_initialisers_count_as_one_and_unknown_ones_only_as_themselves() -> None:
    draw = Drawing()
    a = draw.input("a", 4)
    known = [draw.constant(name, np.ones(4, dtype=np.float16)) for name in ("k1", "k2")]
    unknown = [draw.weight(name, 4) for name in ("w1", "w2")]
    parts = [draw.add("Mul", [a, constant], f"with_{constant}") for constant in (*known, *unknown)]
    draw.add("Sum", parts, "out")
    work, _ = passed(draw.graph("out"), merge_duplicates)
    assert [node.name for node in work.nodes()] == ["with_k1", "with_w1", "with_w2", "out"]


def test_random_numbers_are_drawn_twice() -> None:
    draw = Drawing()
    a = draw.input("a", 4)
    draw.add("Add", [draw.add("RandomNormalLike", [a], "x"), draw.add("RandomNormalLike", [a], "y")], "out")
    work, entries = passed(draw.graph("out"), merge_duplicates)
    assert len(work.nodes()) == 3
    assert entries[0].reason.startswith("random-op")


def test_two_loops_that_start_alike_are_two_loops() -> None:
    draw = Drawing()
    a = draw.input("a", 4)
    for name in ("one", "two"):
        draw.split("LoopEnter", [a], [f"{name}_state"], [(4,)])
        draw.split(
            "LoopExit",
            [draw.add("Relu", [f"{name}_state"], f"{name}_next", repeat=3)],
            [name],
            [(4,)],
            carried=1,
        )
    work, entries = passed(draw.graph("one", "two"), merge_duplicates)
    assert [node.op for node in work.nodes()].count("LoopEnter") == 2
    assert entries[0].reason.startswith("has-subgraph")


def test_attributes_that_hold_several_arrays_are_compared_by_content() -> None:
    one, two = np.array([1, 2]), np.array([1, 2])
    assert same_attributes({"tensors": (one,), "axes": (0, 1)}, {"tensors": (two,), "axes": (0, 1)})
    assert not same_attributes({"tensors": (one,)}, {"tensors": (two + 1,)})
    assert not same_attributes({"tensors": (one,)}, {"tensors": (one, two)})
