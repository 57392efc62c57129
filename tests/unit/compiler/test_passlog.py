from perfgate.compiler.passlog import PassLog
from perfgate.compiler.workgraph import WorkGraph
from tests.graphs import Drawing, device


def test_the_estimate_is_launches_and_memory_time() -> None:
    # 310p-like: 10 us per launch; 2,048,000 B at 204.8 GB/s take 10 us.
    draw = Drawing()
    draw.add("Exp", [draw.input("x", 4)], "out")
    (node,) = WorkGraph(draw.graph("out")).nodes()
    log = PassLog(device())
    log.applied("fusion", node, "why", saved=(2_048_000, 1))
    (entry,) = log.entries
    assert (entry.where, entry.before) == ("model.py:10:5 model.out", ("Exp out",))
    assert abs(entry.estimated_ps - 20_000_000) < 20_000  # rates per megabyte are whole picoseconds


def test_a_refusal_changes_nothing_and_names_code_and_sentence() -> None:
    draw = Drawing()
    draw.add("Exp", [draw.input("x", 4)], "out")
    (node,) = WorkGraph(draw.graph("out")).nodes()
    log = PassLog(device())
    log.refused("fusion", node, "unknown-op", "Exp is none")
    (entry,) = log.entries
    assert (entry.applied, entry.reason, entry.before == entry.after) == (
        False,
        "unknown-op: Exp is none",
        True,
    )
