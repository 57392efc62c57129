import json

import pytest

from perfgate.compiler.runtime import RuntimeConfig, TeaCache
from perfgate.graph.loading import load
from perfgate.zoo.catalogue import build
from tests.graphs import Drawing, codes, compiled

CACHED = RuntimeConfig(tea_cache=TeaCache())


def drawing() -> Drawing:
    draw = Drawing()
    inner = draw.matmul(draw.matmul(draw.input("x", 64, 64), "region", 64), "stored", 64)
    draw.matmul(inner, "out", 64)
    return draw


def region(tensor: str) -> str:
    return json.dumps({"scopes": ["model.region"], "tensor": tensor})


def test_a_reusing_iteration_runs_what_lies_behind_the_stored_tensor() -> None:
    program = compiled(drawing().graph("out", step_cache=region("stored")), runtime=CACHED)
    assert program.step_reuse is not None
    assert [kernel.name for kernel in program.step_reuse.kernels if kernel.op == "MatMul"] == ["out"]
    assert [kernel.name for kernel in program.kernels if kernel.op == "MatMul"] == ["region", "stored", "out"]


def test_the_stored_tensor_is_not_copied_from_the_host() -> None:
    program = compiled(drawing().graph("out", step_cache=region("stored")), runtime=CACHED)
    assert program.step_reuse is not None
    assert [kernel.kind for kernel in program.step_reuse.kernels] == ["matrix", "d2h"]


def test_the_stored_tensor_outlives_the_step_that_computes_it() -> None:
    program = compiled(drawing().graph("out", step_cache=region("stored")), runtime=CACHED)
    assert next(b for b in program.buffers if b.tensor == "stored").last == len(program.kernels)


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({}, "no-region"),
        ({"step_cache": "{"}, "no-region"),
        ({"step_cache": region("nothing")}, "no-region"),
        ({"step_cache": '{"tensor": ["stored"]}'}, "no-region"),
    ],
)
def test_a_model_without_a_region_refuses_with_the_reason(metadata: dict[str, str], code: str) -> None:
    program = compiled(drawing().graph("out", **metadata), runtime=CACHED)
    assert program.step_reuse is None
    assert codes(program, "step_cache") == [code]


def test_the_diffusion_network_skips_all_but_its_outer_level() -> None:
    graph = load(build("sd_unet", "poster").SerializeToString(), name="sd_unet.onnx")
    program = compiled(graph, layout="NCHW", runtime=CACHED)
    reuse = program.step_reuse
    assert reuse is not None
    assert [kernel for kernel in reuse.kernels if kernel.kind == "host"] == []
    assert not any("mid_block" in kernel.name for kernel in reuse.kernels)
    assert program.peak_memory > compiled(graph, layout="NCHW").peak_memory


def test_a_stored_tensor_that_is_also_an_output_still_leaves_the_device() -> None:
    program = compiled(drawing().graph("stored", "out", step_cache=region("stored")), runtime=CACHED)
    assert [kernel.name for kernel in program.kernels if kernel.kind == "d2h"] == ["stored:d2h", "out:d2h"]
