from perfgate.compiler.dce import remove_dead_nodes
from perfgate.compiler.origin import ResidueKind
from tests.graphs import Drawing, passed


def test_a_chain_that_reaches_no_output_leaves_tombstones() -> None:
    draw = Drawing()
    a = draw.input("a", 4)
    draw.add("Relu", [draw.add("Neg", [a], "dead1")], "dead2")
    draw.add("Abs", [a], "out")
    work, entries = passed(draw.graph("out"), remove_dead_nodes)
    assert [node.name for node in work.nodes()] == ["out"]
    assert [(r.node, r.kind) for r in work.residues] == [
        (1, ResidueKind.TOMBSTONE),
        (0, ResidueKind.TOMBSTONE),
    ]
    assert [(entry.applied, entry.kernels_saved) for entry in entries] == [(True, 1), (True, 1)]


def test_an_unknown_operator_may_have_side_effects_and_stays() -> None:
    draw = Drawing()
    a = draw.input("a", 4)
    draw.add("Custom", [a], "dead", estimated=True)
    draw.add("Abs", [a], "out")
    work, entries = passed(draw.graph("out"), remove_dead_nodes)
    assert len(work.nodes()) == 2
    assert entries[0].reason.startswith("side-effect")
