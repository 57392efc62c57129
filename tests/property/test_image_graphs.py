"""Random networks on images: layouts, types and fusions may move bytes, never lose them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.compiler.memory import ALIGNMENT
from perfgate.compiler.precision import PrecisionMode
from perfgate.compiler.program import Buffer, KernelKind, Pool, Program
from perfgate.compiler.provenance import fates_of
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.switches import Fusion
from tests.graphs import Drawing, compiled

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph

LAYOUTS = ["", "NHWC", "NCHW", "NC1HWC0"]
DEVICES = ["ascend-310p-like", "ascend-910b-like", "a100-like", "orin-like"]
OPS = [
    "Conv",
    "Relu",
    "Add",
    "MaxPool",
    "BatchNormalization",
    "Sigmoid",
    "Mul",
    "Softmax",
    "attention",
    "Concat",
]


@st.composite
def images(draw: st.DrawFn) -> Graph:
    """Up to 15 operators on one map whose sizes are odd as often as not; two outputs."""
    drawing = Drawing(draw(st.sampled_from(["float16", "float32"])))
    channels, height, width = (
        draw(st.sampled_from([3, 8, 32, 40])),
        draw(st.integers(1, 9)),
        draw(st.integers(1, 9)),
    )
    values = [drawing.input("x", 2, channels, height, width)]
    for number in range(draw(st.integers(1, 15))):
        source = draw(st.sampled_from(values))
        values.append(
            grown(drawing, draw(st.sampled_from(OPS)), source, draw(st.sampled_from(values)), f"n{number}")
        )
    return drawing.graph(*dict.fromkeys([values[-1], draw(st.sampled_from(values[1:]))]))


def grown(drawing: Drawing, op: str, source: str, other: str, name: str) -> str:
    """One more operator that keeps the shape of the map."""
    n, c, h, w = drawing.shape(source)
    if op == "Conv":
        return drawing.conv(source, name, c)
    if op == "BatchNormalization":
        return drawing.batch_norm(source, name)
    if op == "Concat":
        joined = drawing.add(op, [source, other], f"{name}.joined", (n, 2 * c, h, w), axis=1)
        return drawing.conv(joined, name, c, kernel=1)
    if op == "attention":
        return attended(drawing, source, name)
    known: dict[str, dict[str, Any]] = {"MaxPool": {"kernel_shape": (1, 1)}, "Softmax": {"axis": 1}}
    attributes = known.get(op, {})
    return drawing.add(op, [source, other] if op in {"Add", "Mul"} else [source], name, **attributes)


def attended(drawing: Drawing, source: str, name: str) -> str:
    """Pixels as tokens through a product and back, entered and left by Transpose."""
    n, c, h, w = shape = drawing.shape(source)
    rows = drawing.add("Transpose", [source], f"{name}.enter", (n, h, w, c), perm=(0, 2, 3, 1))
    tokens = drawing.matmul(drawing.add("Reshape", [rows], f"{name}.tokens", (n, h * w, c)), f"{name}.mm", c)
    back = drawing.add("Reshape", [tokens], f"{name}.rows", (n, h, w, c))
    return drawing.add("Transpose", [back], name, shape, perm=(0, 3, 1, 2))


CONFIGS = st.fixed_dictionaries({
    "layout": st.sampled_from(LAYOUTS),
    "input_layout": st.sampled_from(["NCHW", "NHWC"]),
    "precision": st.sampled_from(list(PrecisionMode)),
    "quantise": st.booleans(),
    "small_channel": st.booleans(),
    "fusion_off": st.frozensets(st.sampled_from(list(Fusion)), max_size=3),
})  # fmt: skip


def check_bytes(program: Program, inputs: set[str]) -> None:
    """Every byte that is read came from a kernel, an input or a weight, and nobody wrote over it since."""
    written: set[int] = set()
    holder: dict[tuple[Pool, int], int] = {}
    for buffer in program.buffers:
        if buffer.first == 0 and buffer.tensor in inputs:
            holder.update(dict.fromkeys(blocks(buffer), buffer.id))
    for kernel in program.kernels:
        for access in kernel.reads:
            buffer = program.buffers[access.buffer]
            if buffer.pool is Pool.WEIGHTS:
                continue
            assert buffer.tensor in inputs or access.buffer in written
            assert {holder[block] for block in blocks(buffer)} == {buffer.id}
        for access in kernel.writes:
            assert access.buffer not in written
            written.add(access.buffer)
            holder.update(dict.fromkeys(blocks(program.buffers[access.buffer]), access.buffer))


def blocks(buffer: Buffer) -> list[tuple[Pool, int]]:
    """The allocator's units that a buffer covers."""
    return [
        (buffer.pool, unit)
        for unit in range(buffer.offset // ALIGNMENT, -(-(buffer.offset + buffer.size) // ALIGNMENT))
    ]


@settings(max_examples=100, deadline=None)
@given(images(), st.sampled_from(DEVICES), CONFIGS, st.sampled_from([1, 3]))
def test_no_byte_and_no_node_is_lost(graph: Graph, name: str, config: dict[str, Any], streams: int) -> None:
    program = compiled(graph, on=name, runtime=RuntimeConfig(streams=streams), **config)
    check_bytes(program, set(graph.inputs))
    assert fates_of(program).lost(len(program.owners)) == ()
    assert all(index < kernel.index for kernel in program.kernels for index in kernel.dependencies)
    if not config["layout"]:
        assert not any(k.kind is KernelKind.HOST for k in program.kernels)


@settings(max_examples=50, deadline=None)
@given(images(), st.sampled_from(DEVICES), CONFIGS)
def test_arithmetic_is_the_models_own_whatever_the_flags(
    graph: Graph, name: str, config: dict[str, Any]
) -> None:
    late = frozenset({"fusion", "precision", "quantise", "layout", "memory"})
    bare = compiled(graph, on=name, disabled_passes=late)
    assert sum(k.macs for k in compiled(graph, on=name, **config).kernels) == sum(
        k.macs for k in bare.kernels
    )


@settings(max_examples=50, deadline=None)
@given(images(), st.sampled_from(LAYOUTS))
def test_the_same_graph_gives_the_same_log_and_kernels(graph: Graph, layout: str) -> None:
    assert compiled(graph, layout=layout) == compiled(graph, layout=layout)
