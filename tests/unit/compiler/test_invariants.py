from perfgate.compiler.invariants import move_invariants
from tests.graphs import Drawing, compiled, passed


def loop() -> Drawing:
    """Three iterations of state + relu(weight): the relu is the same each time."""
    draw = Drawing()
    a, outside = draw.input("a", 4), draw.input("b", 4)
    draw.split("LoopEnter", [a], ["state"], [(4,)])
    draw.add("Relu", [outside], "same", repeat=3)
    draw.add("Add", ["state", "same"], "next", repeat=3)
    draw.split("LoopExit", ["next"], ["out"], [(4,)], carried=1)
    return draw


def test_what_depends_on_nothing_carried_runs_once_before_the_loop() -> None:
    work, entries = passed(loop().graph("out"), move_invariants)
    assert [(node.op, node.repeat) for node in work.nodes()] == [
        ("Relu", 1), ("LoopEnter", 1), ("Add", 3), ("LoopExit", 1),
    ]  # fmt: skip
    assert work.nodes()[0].steps == (("loop_invariant", "moved"),)
    assert (entries[0].applied, entries[0].kernels_saved) == (True, 2)


def test_what_depends_on_the_carried_value_stays_with_one_entry_for_the_loop() -> None:
    _, entries = passed(loop().graph("out"), move_invariants)
    (refused,) = [entry for entry in entries if not entry.applied]
    assert refused.reason.startswith("carried-dependency: 1 nodes")


def test_a_value_of_an_inner_loop_moves_out_of_both() -> None:
    draw = Drawing()
    a, outside = draw.input("a", 4), draw.input("b", 4)
    draw.split("LoopEnter", [a], ["outer"], [(4,)])
    draw.split("LoopEnter", ["outer"], ["inner"], [(4,)], repeat=3)
    draw.add("Relu", [outside], "same", repeat=6)
    draw.add("Add", ["inner", "same"], "next", repeat=6)
    draw.split("LoopExit", ["next"], ["inner_out"], [(4,)], carried=1, repeat=3)
    draw.split("LoopExit", ["inner_out"], ["out"], [(4,)], carried=1)
    work, _ = passed(draw.graph("out"), move_invariants)
    first = work.nodes()[0]
    assert (first.op, first.repeat) == ("Relu", 1)


def test_random_numbers_stay_in_the_loop() -> None:
    draw = Drawing()
    a, outside = draw.input("a", 4), draw.input("b", 4)
    draw.split("LoopEnter", [a], ["state"], [(4,)])
    draw.add("RandomNormalLike", [outside], "noise", repeat=3)
    draw.add("Add", ["state", "noise"], "next", repeat=3)
    draw.split("LoopExit", ["next"], ["out"], [(4,)], carried=1)
    work, _ = passed(draw.graph("out"), move_invariants)
    assert next(node.op for node in work.nodes()) == "LoopEnter"


def test_a_kernel_of_the_body_keeps_its_repetition_and_outside_bytes_live_on() -> None:
    program = compiled(loop().graph("out"))
    relu = next(kernel for kernel in program.kernels if kernel.op == "Relu")
    add = next(kernel for kernel in program.kernels if kernel.op == "Add")
    assert (relu.repeat, add.repeat) == (1, 3)
    held = program.buffers[relu.writes[0].buffer]
    assert held.last > add.index  # the next iteration reads it again
