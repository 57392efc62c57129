"""Real networks out of published wheels: every tensor has the shape that onnxruntime gives it.

The wheels are no dependency: install them beside perfgate, or unpack them into a folder that the environment
variable PERFGATE_WHEELS names.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
import onnx
import pytest

from perfgate.graph import GraphError, ProblemCode, load, ops

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph

runtime = pytest.importorskip("onnxruntime", reason="the oracle of these tests; install perfgate[ort]")
Value: TypeAlias = Any  # a number or an array


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A model of a wheel with its inputs' sizes; `values` decide branches."""

    package: str
    pattern: str
    bindings: dict[str, tuple[int, ...]] = {}
    values: dict[str, Value] = {}


STATE = (2, 1, 128)
CASES = [
    Case(package="basic_pitch", pattern="nmp.onnx", bindings={"serving_default_input_2:0": (1, 43844, 1)}),
    Case(package="magika", pattern="model.onnx", bindings={"bytes": (3, 2048)}),
    Case(package="rapidocr_onnxruntime", pattern="*_det_infer.onnx", bindings={"x": (1, 3, 640, 480)}),
    Case(package="rapidocr_onnxruntime", pattern="*_rec_infer.onnx", bindings={"x": (2, 3, 48, 320)}),
    Case(package="rapidocr_onnxruntime", pattern="*_cls_infer.onnx", bindings={"x": (1, 3, 48, 192)}),
    Case(
        package="silero_vad",
        pattern="silero_vad.onnx",
        bindings={"input": (1, 576), "state": STATE},
        values={"sr": 16000},
    ),
    Case(
        package="silero_vad",
        pattern="silero_vad.onnx",
        bindings={"input": (1, 288), "state": STATE},
        values={"sr": 8000},
    ),
    Case(package="silero_vad", pattern="silero_vad_half.onnx", bindings={"input": (1, 576), "state": STATE}),
    Case(package="silero_vad", pattern="silero_vad_16k_sequence.onnx", bindings={"input": (7, 576)}),
]


def model_file(case: Case) -> Path:
    """The model's file; skips the test when the wheel is absent."""
    folders = []
    unpacked = os.environ.get("PERFGATE_WHEELS")
    if unpacked:
        folders.append(Path(unpacked))
    spec = importlib.util.find_spec(case.package)
    if spec is not None and spec.origin is not None:
        folders.append(Path(spec.origin).parent)
    found = [path for folder in folders for path in sorted(folder.rglob(case.pattern))]
    found = [path for path in found if case.package in path.parts]
    if not found:
        pytest.skip(f"the wheel of {case.package} is absent: install it or set PERFGATE_WHEELS")
    return found[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.package}-{case.pattern}-{case.values}")
def test_every_tensor_has_the_shape_the_runtime_gives_it(case: Case) -> None:
    path = model_file(case)
    graph = load(path, bindings=case.bindings, values=case.values)
    compared = 0
    for name, array in _runtime_tensors(path, graph, case).items():
        tensor = graph.tensors.get(name)
        if tensor is None:
            continue  # inside a branch that is not taken
        compared += 1
        assert tensor.shape == array.shape, name
        if tensor.value is not None:
            np.testing.assert_allclose(tensor.value, array, rtol=1e-3)
    assert compared >= len(graph.outputs)
    assert sum(ops.facts(node, graph.tensors).macs for node in graph.nodes) > 0


def _runtime_tensors(path: Path, graph: Graph, case: Case) -> dict[str, Value]:
    model = onnx.load(path)
    known = {output.name for output in model.graph.output}
    extra = dict.fromkeys(
        name for node in model.graph.node for name in node.output if name and name not in known
    )
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in extra)
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = {
        name: np.full(graph.tensors[name].shape, case.values.get(name, 1), graph.tensors[name].dtype)
        for name in graph.inputs
    }
    results = session.run(None, feeds)
    return dict(zip((output.name for output in session.get_outputs()), results, strict=True))


def test_the_voice_detector_loads_without_its_sample_rate() -> None:
    case = next(case for case in CASES if case.package == "silero_vad")
    graph = load(model_file(case), bindings=case.bindings)
    assert {remark.code for remark in graph.remarks} >= {"possible-branch"}
    assert any(node.op == "LSTM" for node in graph.nodes)


def test_a_text_detector_names_all_its_open_sizes() -> None:
    case = next(case for case in CASES if case.pattern.startswith("*_det"))
    with pytest.raises(GraphError) as caught:
        load(model_file(case))
    assert set(caught.value.codes) == {ProblemCode.UNBOUND_DIMENSION}
    assert len(caught.value.problems) == 3  # batch, height and width
