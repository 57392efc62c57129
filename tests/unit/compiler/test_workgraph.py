from perfgate.compiler.workgraph import WorkGraph, WorkNode
from tests.graphs import Drawing


def graph() -> WorkGraph:
    draw = Drawing()
    first = draw.add("Exp", [draw.input("x", 4)], "first")
    draw.add("Add", [draw.add("Add", [first, draw.input("y", 4)], "second"), first], "out")
    return WorkGraph(draw.graph("out"))


def users(work: WorkGraph, name: str) -> list[str]:
    return [node.name for node in work.values[name].consumers]


def test_adjacency_is_known_both_ways() -> None:
    work = graph()
    assert users(work, "first") == ["second", "out"]
    assert work.values["second"].producer is work.of("Add")[0]


def test_users_follow_a_redirected_value() -> None:
    work = graph()
    work.redirect(work.values["first"], work.values["x"])
    assert users(work, "first") == []
    assert users(work, "x") == ["first", "second", "out"]


def test_a_fused_node_takes_the_later_place_and_the_other_operands() -> None:
    work = graph()
    first, second, _ = work.nodes()
    anchor: WorkNode = second
    work.absorb(anchor, work.nodes()[2], work.values["second"], step=("fusion", "fused"))
    assert [node.name for node in work.nodes()] == ["first", "second"]
    assert [value.name for value in anchor.inputs if value] == ["first", "y", "first"]
    assert users(work, "first") == ["second", "second"]
    assert [source.name for source in anchor.sources] == ["second", "out"]
    assert anchor.outputs[0].name == "out"
    assert first.slot == 0


def test_a_name_that_is_taken_gets_a_number() -> None:
    work = graph()
    assert work.new_value("first", (4,), "float16").name == "first.2"


def test_a_removed_node_leaves_no_trace() -> None:
    work = graph()
    work.remove(work.nodes()[2])
    assert users(work, "second") == []
    assert [node.name for node in work.of("Add")] == ["second"]
