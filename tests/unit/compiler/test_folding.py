import numpy as np

from perfgate.compiler.folding import fold_constants
from perfgate.compiler.origin import ResidueKind
from tests.graphs import Drawing, passed


def test_constants_are_added_and_the_expression_is_kept() -> None:
    draw = Drawing("int64")
    total = draw.add("Add", [draw.constant("two", 2), draw.constant("three", 3)], "total", ())
    draw.add("Mul", [draw.input("x"), total], "out")
    work, _ = passed(draw.graph("out"), fold_constants)
    assert work.values["total"].value == 5
    assert work.values["total"].is_constant
    (residue,) = work.residues
    assert (residue.node, residue.kind, residue.text) == (0, ResidueKind.CONSTANT, "Add(2, 3)")


def test_a_chain_of_constants_folds_to_its_end() -> None:
    draw = Drawing("int64")
    first = draw.add("Add", [draw.constant("a", 2), draw.constant("b", 3)], "first", ())
    draw.add("Add", [draw.input("x"), draw.add("Neg", [first], "second")], "out")
    work, _ = passed(draw.graph("out"), fold_constants)
    assert work.values["second"].value == -5
    assert [node.name for node in work.nodes()] == ["out"]


def test_a_large_result_is_folded_without_its_value() -> None:
    draw = Drawing()
    big = draw.constant("big", np.zeros((1024, 1024), dtype=np.float32))
    draw.add("Add", [draw.input("x", 1024, 1024, dtype="float32"), draw.add("Neg", [big], "folded")], "out")
    work, entries = passed(draw.graph("out"), fold_constants)
    assert work.values["folded"].value is None
    assert entries[0].applied
    assert entries[0].reason.startswith("too-large")  # 4 MiB against the limit of 1 MiB


def test_a_weight_without_bytes_folds_to_one_without_bytes() -> None:
    draw = Drawing()
    folded = draw.add("Neg", [draw.weight("w", 4)], "folded")
    draw.add("Add", [draw.input("x", 4), folded], "out")
    work, entries = passed(draw.graph("out"), fold_constants)
    assert work.values["folded"].is_constant
    assert entries[0].reason.startswith("no-value")


def test_random_numbers_are_not_folded() -> None:
    draw = Drawing()
    noise = draw.add("RandomNormalLike", [draw.weight("w", 4)], "noise")
    draw.add("Add", [draw.input("x", 4), noise], "out")
    work, entries = passed(draw.graph("out"), fold_constants)
    assert len(work.nodes()) == 2
    assert (entries[0].applied, entries[0].reason.split(":")[0]) == (False, "random-op")


def test_an_output_of_the_model_is_still_computed() -> None:
    draw = Drawing("int64")
    draw.add("Add", [draw.constant("a", 2), draw.constant("b", 3)], "out", ())
    work, entries = passed(draw.graph("out"), fold_constants)
    assert len(work.nodes()) == 1
    assert entries[0].reason.startswith("graph-output")


def test_the_border_of_a_loop_is_no_constant_though_its_start_is() -> None:
    draw = Drawing()
    draw.split("LoopEnter", [draw.constant("start", np.zeros(4, dtype=np.float16))], ["state"], [(4,)])
    draw.add("Relu", ["state"], "next", repeat=3)
    draw.split("LoopExit", ["next"], ["out"], [(4,)], carried=1)
    work, entries = passed(draw.graph("out"), fold_constants)
    assert len(work.nodes()) == 3
    assert entries == []
