from perfgate.compiler.identity import permutation, simplify
from tests.graphs import Drawing, passed


def left(draw: Drawing, *outputs: str) -> list[str]:
    work, _ = passed(draw.graph(*outputs), simplify)
    return [f"{node.op} {node.name}" for node in work.nodes()]


def test_nodes_that_pass_their_operand_on_disappear() -> None:
    draw = Drawing()
    source = draw.input("x", 2, 3)
    for op in ("Identity", "Dropout", "Cast"):
        source = draw.add(op, [source], f"after_{op}")
    draw.add("Relu", [source], "out")
    assert left(draw, "out") == ["Relu out"]


def test_a_cast_that_changes_the_type_stays() -> None:
    draw = Drawing()
    source = draw.add("Cast", [draw.input("x", 2)], "wide", dtype="float32")
    draw.add("Relu", [source], "out")
    assert left(draw, "out") == ["Cast wide", "Relu out"]


def test_an_identity_that_names_a_model_output_stays_with_an_entry() -> None:
    draw = Drawing()
    draw.add("Identity", [draw.add("Relu", [draw.input("x", 2)], "r")], "out")
    _, entries = passed(draw.graph("out"), simplify)
    assert [entry.reason.split(":")[0] for entry in entries] == ["graph-output"]


def test_two_transposes_that_undo_each_other_disappear() -> None:
    draw = Drawing()
    first = draw.add("Transpose", [draw.input("x", 2, 3, 4)], "t1", (4, 2, 3), perm=(2, 0, 1))
    second = draw.add("Transpose", [first], "t2", (2, 3, 4), perm=(1, 2, 0))
    draw.add("Relu", [second], "out")
    assert left(draw, "out") == ["Relu out"]


def test_two_transposes_that_do_not_cancel_become_one() -> None:
    draw = Drawing()
    first = draw.add("Transpose", [draw.input("x", 2, 3, 4)], "t1", (3, 2, 4), perm=(1, 0, 2))
    second = draw.add("Transpose", [first], "t2", (3, 4, 2), perm=(0, 2, 1))
    draw.add("Relu", [second], "out")
    work, _ = passed(draw.graph("out"), simplify)
    (merged, _) = work.nodes()
    # y[i,j,k] = x[k,i,j]: the axes of x in the order 1, 2, 0.
    assert permutation(merged) == (1, 2, 0)
    assert [source.name for source in merged.sources] == ["t1", "t2"]


def test_a_chain_of_reshapes_is_its_last_one() -> None:
    draw = Drawing()
    first = draw.add("Reshape", [draw.input("x", 2, 6)], "r1", (3, 4))
    second = draw.add("Flatten", [first], "r2", (1, 12))
    draw.add("Relu", [second], "out")
    assert left(draw, "out") == ["Reshape r2", "Relu out"]


def test_reshapes_that_restore_the_shape_disappear() -> None:
    draw = Drawing()
    first = draw.add("Reshape", [draw.input("x", 2, 6)], "r1", (3, 4))
    second = draw.add("Reshape", [first], "r2", (2, 6))
    draw.add("Relu", [second], "out")
    assert left(draw, "out") == ["Relu out"]


def test_a_swap_behind_flattened_pixels_moves_in_front_of_the_flattening() -> None:
    draw = Drawing()
    flat = draw.add("Reshape", [draw.input("x", 2, 3, 4, 5)], "flat", (2, 3, 20))
    swapped = draw.add("Transpose", [flat], "swapped", (2, 20, 3), perm=(0, 2, 1))
    draw.add("Relu", [swapped], "out")
    work, _ = passed(draw.graph("out"), simplify)
    first, second, _ = work.nodes()
    assert (first.op, permutation(first), first.outputs[0].shape) == ("Transpose", (0, 2, 3, 1), (2, 4, 5, 3))
    assert (second.op, second.outputs[0].shape) == ("Reshape", (2, 20, 3))


def test_a_swap_before_unflattened_pixels_moves_behind_it() -> None:
    draw = Drawing()
    swapped = draw.add("Transpose", [draw.input("x", 2, 20, 3)], "swapped", (2, 3, 20), perm=(0, 2, 1))
    draw.add("Relu", [draw.add("Reshape", [swapped], "image", (2, 3, 4, 5))], "out")
    work, _ = passed(draw.graph("out"), simplify)
    first, second, _ = work.nodes()
    assert (first.op, first.outputs[0].shape) == ("Reshape", (2, 4, 5, 3))
    assert (second.op, permutation(second), second.outputs[0].shape) == (
        "Transpose",
        (0, 3, 1, 2),
        (2, 3, 4, 5),
    )


def test_a_view_with_other_users_is_not_merged() -> None:
    draw = Drawing()
    first = draw.add("Reshape", [draw.input("x", 2, 6)], "r1", (3, 4))
    draw.add("Relu", [first], "other")
    draw.add("Relu", [draw.add("Reshape", [first], "r2", (12,))], "out")
    assert left(draw, "out", "other") == ["Reshape r1", "Relu other", "Reshape r2", "Relu out"]
