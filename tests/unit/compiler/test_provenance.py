from perfgate.compiler.provenance import fates_of, source_places
from tests.graphs import Drawing, compiled


def drawing() -> Drawing:
    draw = Drawing()
    x = draw.input("x", 4, 64)
    draw.add("Relu", [x], "dead")
    doubled = draw.add("Add", [draw.constant("a", 2.0), draw.constant("b", 3.0)], "folded", ())
    twice = [draw.add("Exp", [x], name) for name in ("first", "second")]
    scaled = draw.add("Mul", [draw.add("Sub", twice, "sub"), doubled], "scaled")
    draw.add("Softmax", [draw.add("Reshape", [scaled], "view", (256,))], "out", axis=-1)
    return draw


def test_every_node_ends_in_a_kernel_a_constant_or_a_tombstone() -> None:
    program = compiled(drawing().graph("out"))
    fates = fates_of(program)
    assert fates.lost(len(program.owners)) == ()
    named = {program.owners[node].name: residue for node, residue in fates.residues.items()}
    assert named["dead"].text == "dead: no output needs Relu dead"
    assert named["folded"].text == "Add(2.0, 3.0)"
    assert named["second"].text == "duplicate of Exp first"
    assert named["view"].text == "Reshape view is a view of scaled"


def test_a_fused_kernel_keeps_all_its_places() -> None:
    program = compiled(drawing().graph("out"))
    (chain,) = [kernel for kernel in program.kernels if kernel.op == "Exp"]
    assert [program.owners[node].name for node in program.origins[chain.origin].nodes] == [
        "first",
        "sub",
        "scaled",
    ]
    # Nodes stand at line 10 plus their number: first is the third node, sub the fifth, scaled the sixth.
    assert source_places(program, chain) == ("model.py:12:5", "model.py:14:5", "model.py:15:5")
    assert program.origins[chain.origin].steps == (("fusion", "fused"), ("fusion", "fused"))


def test_an_inserted_kernel_belongs_to_who_asked_for_it() -> None:
    draw = Drawing()
    draw.conv(draw.input("x", 1, 32, 25, 41), "conv", 32)
    program = compiled(draw.graph("conv"), layout="NCHW")
    trip = next(kernel for kernel in program.kernels if kernel.kind == "host")
    assert program.owners[trip.owner].name == "conv"
    assert program.origins[trip.origin].steps == (("layout", "inserted"),)
    assert program.origins[trip.origin].nodes == (0,)


def test_a_function_that_was_inlined_says_so() -> None:
    draw = Drawing()
    draw.add("Exp", [draw.input("x", 4)], "out")
    graph = draw.graph("out")
    import msgspec  # noqa: PLC0415 - only here

    node = msgspec.structs.replace(graph.nodes[0], scope="caller/inline@callee")
    program = compiled(msgspec.structs.replace(graph, nodes=(node,)))
    kernel = next(kernel for kernel in program.kernels if kernel.op == "Exp")
    assert ("graph", "inlined") in program.origins[kernel.origin].steps
