"""What must hold for every model: the zoo's, and the real networks that ship inside the onnx package."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfgate.compiler.origin import SourceCode
from perfgate.compiler.program import KernelKind, Pool, Program
from perfgate.compiler.provenance import fates_of, source_places
from perfgate.graph.loading import load
from perfgate.zoo.catalogue import build, names, presets
from tests.graphs import compiled, light_models

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph

MODELS = [
    *(f"zoo:{name}:{preset}" for name in names() for preset in presets(name)),
    *(str(p) for p in light_models()),
]


@functools.cache
def graph_of(model: str) -> Graph:
    if model.startswith("zoo:"):
        _, name, preset = model.split(":")
        return load(build(name, preset).SerializeToString(), name=f"{name}.onnx")
    return load(model)


@functools.cache
def program_of(model: str, layout: str) -> Program:
    return compiled(graph_of(model), layout=layout)


every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.rsplit("/", 1)[-1])
every_layout = pytest.mark.parametrize("layout", ["", "NHWC", "NCHW"])


@every_model
@pytest.mark.parametrize("name", ["ascend-310p-like", "ascend-910b-like", "a100-like", "orin-like"])
def test_with_nothing_pinned_no_model_ever_takes_the_host_route(model: str, name: str) -> None:
    program = compiled(graph_of(model), on=name)
    trips = [kernel.name for kernel in program.kernels if kernel.kind is KernelKind.HOST and kernel.implicit]
    assert trips == []


@every_layout
@every_model
def test_bytes_that_are_read_were_written_or_came_from_outside(model: str, layout: str) -> None:
    program = program_of(model, layout)
    inputs = set(graph_of(model).inputs)
    written: dict[int, int] = {}
    for kernel in program.kernels:
        for access in kernel.reads:
            buffer = program.buffers[access.buffer]
            if buffer.pool is Pool.WEIGHTS or buffer.tensor in inputs:
                continue
            assert written[access.buffer] in kernel.dependencies or written[access.buffer] < kernel.index
            assert access.size <= -(-buffer.size // 32) * 32
        for access in kernel.writes:
            assert access.buffer not in written
            written[access.buffer] = kernel.index


@every_layout
@every_model
def test_what_leaves_one_side_of_the_link_arrives_on_the_other(model: str, layout: str) -> None:
    program = program_of(model, layout)
    trips = [kernel for kernel in program.kernels if kernel.implicit and kernel.kind is not KernelKind.LAYOUT]
    assert len(trips) % 3 == 0
    for down, host, up in zip(trips[::3], trips[1::3], trips[2::3], strict=True):
        assert (down.kind, host.kind, up.kind) == (KernelKind.D2H, KernelKind.HOST, KernelKind.H2D)
        assert down.link_bytes == down.writes[0].size == host.reads[0].size
        assert up.link_bytes == host.writes[0].size == up.reads[0].size
        assert program.buffers[up.writes[0].buffer].size == up.link_bytes


def test_some_model_really_crosses_the_link() -> None:
    """The test above would say nothing if no program had a trip."""
    programs = [program_of(model, "NCHW") for model in MODELS]
    assert any(
        kernel.kind is KernelKind.HOST and kernel.implicit for item in programs for kernel in item.kernels
    )


@every_layout
@every_model
def test_layouts_change_no_arithmetic(model: str, layout: str) -> None:
    assert sum(k.macs for k in program_of(model, layout).kernels) == sum(
        k.macs for k in program_of(model, "").kernels
    )


@every_model
def test_late_passes_change_no_arithmetic(model: str) -> None:
    bare = compiled(
        graph_of(model), disabled_passes=frozenset({"fusion", "precision", "quantise", "layout", "memory"})
    )
    assert sum(kernel.macs for kernel in bare.kernels) == sum(
        kernel.macs for kernel in program_of(model, "").kernels
    )


@every_layout
@every_model
def test_every_node_and_every_kernel_has_its_counterpart(model: str, layout: str) -> None:
    program = program_of(model, layout)
    assert fates_of(program).lost(len(program.owners)) == ()
    for kernel in program.kernels:
        assert kernel.origin >= 0
        assert source_places(program, kernel)


@every_model
def test_dependencies_point_backwards_and_tell_who_wrote_the_operands(model: str) -> None:
    program = program_of(model, "NCHW")
    writers = {access.buffer: kernel.index for kernel in program.kernels for access in kernel.writes}
    for kernel in program.kernels:
        assert all(index < kernel.index for index in kernel.dependencies)
        assert set(kernel.dependencies) == {
            writers[access.buffer] for access in kernel.reads if access.buffer in writers
        }


@given(st.integers(0, (1 << 12) - 1), st.integers(0, (1 << 20) - 1), st.integers(0, 255), st.integers(0, 255))
def test_packed_places_survive_the_round_trip(file: int, line: int, column: int, flags: int) -> None:
    code = SourceCode(file, line, column, flags)
    packed = code.pack()
    assert 0 <= packed < 1 << 48
    assert SourceCode.unpack(packed) == code
