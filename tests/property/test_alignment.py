"""Alignments of any tables: a partition, the same every time; and of real models compiled in two ways."""

from __future__ import annotations

import functools

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.compiler.runtime import RuntimeConfig
from perfgate.core.execution_profile import OperatorRow, SourceNode
from perfgate.diagnose.align import align_operators
from perfgate.graph.loading import load
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import simulate_iterations
from perfgate.npu.profiling import build_profile
from perfgate.zoo.catalogue import build, names
from tests.graphs import compiled
from tests.operator_tables import operator, stated

SCOPES = ("", "m.", "m.a.", "m.b.", "n.a.")
WORDS = ("conv1", "conv2", "add", "Conv_1", "Conv_2", "x_copy_3", "")
OPS = ("Conv", "Add", "Relu")
DEVICE = "ascend-310p-like"


@st.composite
def operators(draw: st.DrawFn) -> list[OperatorRow]:
    """Few names, types and shapes, so that all kinds of collisions occur; some run others fused."""
    rows = [
        operator(
            draw(st.sampled_from(SCOPES)) + draw(st.sampled_from(WORDS)),
            draw(st.sampled_from(OPS)),
            number=draw(st.integers(-1, 9)),
            shape=(draw(st.integers(1, 2)),),
            total_ps=draw(st.integers(0, 3)),
        )
        for _ in range(draw(st.integers(0, 10)))
    ]
    sources = [SourceNode(row.name, row.op, row.scope, row.shape, row.number) for row in rows]
    if not rows:
        return rows
    fused = st.lists(st.sampled_from(sources), max_size=3).map(tuple)
    return [msgspec.structs.replace(row, sources=draw(fused)) for row in rows[:-1]]


@settings(max_examples=400, deadline=None)
@given(before=operators(), after=operators())
def test_every_operator_is_in_one_pair_group_added_or_removed(
    before: list[OperatorRow], after: list[OperatorRow]
) -> None:
    found = align_operators(before, after)
    mine = [i for i, _ in found.pairs] + [i for group in found.groups for i in group.before]
    yours = [j for _, j in found.pairs] + [j for group in found.groups for j in group.after]
    assert sorted([*mine, *found.removed]) == list(range(len(before)))
    assert sorted([*yours, *found.added]) == list(range(len(after)))
    assert all(group.before and group.after for group in found.groups)
    assert all(len(group.before) + len(group.after) > 2 for group in found.groups)
    assert sorted(i for scope in found.scopes for i in scope.removed) == list(found.removed)
    assert sorted(j for scope in found.scopes for j in scope.added) == list(found.added)
    assert 0 <= found.coverage <= 1
    assert align_operators(before, after) == found


@settings(max_examples=200, deadline=None)
@given(rows=operators())
def test_a_table_against_itself_leaves_nothing_open(rows: list[OperatorRow]) -> None:
    found = align_operators(rows, rows)
    assert (found.added, found.removed, found.coverage) == ((), (), 1)


@functools.cache
def rows_of(model: str, layout: str = "", passes: str = "") -> tuple[OperatorRow, ...]:
    graph = load(build(model, "tiny").SerializeToString(), name=model)
    program = compiled(graph, layout=layout, disabled_passes=frozenset(passes.split()))
    return build_profile(simulate_iterations(program, load_device(DEVICE), RuntimeConfig())).operators


def renamed(rows: tuple[OperatorRow, ...], how: str) -> list[OperatorRow]:
    """The operators of another export of the model: last words made up, no scopes, or a prefix more."""

    def name_of(node: OperatorRow | SourceNode) -> str:
        path = node.name.replace("/", ".")
        word = f"n{node.number * 7919 % 9973}"
        return {
            "kept": path,
            "last words": f"{path.rpartition('.')[0]}.{word}",
            "flat": f"{node.op}_{node.number}",
            "prefix": f"model.{path}",
        }[how]

    other = []
    for row in rows:
        sources = [(name_of(node), node) for node in row.sources]
        nodes = tuple(SourceNode(name, node.op, name, node.shape, node.number) for name, node in sources)
        name = name_of(row)
        other.append(msgspec.structs.replace(row, name=name, scope=name, sources=nodes))
    return other


def nodes_of(row: OperatorRow) -> set[str]:
    return {node.name for node in row.sources} | {row.name}


@pytest.mark.parametrize("names_after", ["kept", "last words", "flat", "prefix"])
@pytest.mark.parametrize("model", names())
def test_a_model_compiled_in_two_ways_pairs_what_runs_the_same_nodes(model: str, names_after: str) -> None:
    """The compiler's own map from nodes to kernels, by the names that the alignment does not get to see."""
    ways = [rows_of(model, "NHWC"), rows_of(model, "NCHW"), rows_of(model, passes="fusion")]
    for before, after in ((ways[0], ways[1]), (ways[0], ways[2]), (ways[2], ways[1])):
        found = align_operators(before, renamed(after, names_after))
        truth = {
            (i, j)
            for i, mine in enumerate(before)
            for j, yours in enumerate(after)
            if nodes_of(mine) & nodes_of(yours)
        }
        assert stated(found) == truth
        touched = {("before", i) for i, _ in truth} | {("after", j) for _, j in truth}
        assert len(touched) == len(before) + len(after) - len(found.added) - len(found.removed)
