from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from perfgate.backends.measured_process import ask_child
from perfgate.backends.onnx_model import parsed, with_names, with_weights
from perfgate.backends.onnxruntime import OnnxRuntimeBackend
from perfgate.backends.protocol import Reference, Request
from perfgate.core.errors import UsageError
from perfgate.core.machine import TRACED
from perfgate.core.setting import Setting
from perfgate.zoo.catalogue import build

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytest.importorskip("onnxruntime", reason="the extra `ort` is not installed")


def model(dims: Sequence[int | str] = (1, 4), kind: int = TensorProto.FLOAT) -> onnx.ModelProto:
    """The sum x + w, or a Gather of a table of two rows when the input holds whole numbers."""
    x = helper.make_tensor_value_info("x", kind, dims)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    table = numpy_helper.from_array(np.arange(8, dtype=np.float32).reshape(2, 4), "w")
    is_index = kind in {TensorProto.INT64, TensorProto.INT32}
    node = helper.make_node(*(("Gather", ["w", "x"]) if is_index else ("Add", ["x", "w"])), ["y"])
    graph = helper.make_graph([node], "g", [x], [y], [table])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture
def ask(tmp_path: Path) -> Request:
    return Request(
        benchmark="b",
        device="here",
        model=model().SerializeToString(),
        model_name="onnx:made",
        root=str(tmp_path),
        samples=5,
        warmup=0,
        place="p.yaml:3:5",
    )


def changed(request: Request, **change: object) -> Request:
    return msgspec.structs.replace(request, **change)


def refusal(request: Request) -> str:
    with pytest.raises(UsageError) as caught:
        OnnxRuntimeBackend().open(request).measure(0)
    assert "\n" not in str(caught.value)
    assert "p.yaml:3:5" in str(caught.value)
    return str(caught.value)


def archive(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]  # numpy's stub takes the keyword for a flag
    return buffer.getvalue()


def test_open_dimensions_are_bound_and_are_part_of_the_ruler(ask: Request) -> None:
    session = OnnxRuntimeBackend().open(
        changed(ask, model=model(["N", 2, 4]).SerializeToString(), bind={"N": 3})
    )
    assert session.describe().inputs == {"x": "float32[3,2,4]"}
    assert session.describe().context["runtime_version"].startswith("onnxruntime 1.")
    assert "accelerator" not in session.describe().context
    session.close()


def test_whole_numbers_stay_inside_a_table(ask: Request) -> None:
    index = model([1000], TensorProto.INT64).SerializeToString()  # any index but 0 and 1 would fail
    session = OnnxRuntimeBackend().open(changed(ask, model=index))
    assert len(session.measure(0).samples["latency"]) == 5
    session.close()


def test_a_file_of_the_repository_is_opened_where_its_data_lie(ask: Request, tmp_path: Path) -> None:
    proto = model()
    table = np.arange(8, dtype=np.float32)
    onnx.external_data_helper.set_external_data(proto.graph.initializer[0], location="w.bin")
    proto.graph.initializer[0].ClearField("raw_data")
    (tmp_path / "w.bin").write_bytes(table.tobytes())
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    inside = changed(ask, model=proto.SerializeToString(), model_name="m.onnx")
    session = OnnxRuntimeBackend().open(inside)
    assert session.measure(0).samples["latency"]
    assert session.profile().exact == {"kernel_count": 1.0}
    session.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": b"no model"}, "onnx:made failed"),
        ({"model": model(["N"]).SerializeToString()}, "add `bind: {N: 1}`"),
        ({"model": model(kind=TensorProto.STRING).SerializeToString()}, "onnx:made failed"),
        (
            {"compile": (Setting(name="threads", value="1", place="p.yaml:3:5"),)},
            "no session option 'threads'",
        ),
        (
            {"compile": (Setting(name="providers", value="NoProvider", place="p.yaml:3:5"),)},
            "no provider NoProvider: p.yaml:3:5: this onnxruntime has",
        ),
        ({"metrics": ("cycles",)}, "onnxruntime has no samples of 'cycles'"),
        ({"timeout": 0.01}, "was ended after 0.0 s"),
    ],
)
def test_what_cannot_be_run_is_one_line(ask: Request, change: dict[str, object], words: str) -> None:
    assert words in refusal(changed(ask, **change))


def test_without_the_extra_the_command_to_install_it_is_said(
    ask: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert "onnxruntime is not installed: p.yaml:3:5: run: pip install 'perfgate[ort]'" in refusal(ask)


X = np.ones((1, 4), dtype=np.float32)
RIGHT = X + np.arange(8, dtype=np.float32).reshape(2, 4)


@pytest.mark.parametrize("expected", [b"", archive(x=X, y=RIGHT), archive(x=X, y=RIGHT + np.float32(1e-6))])
def test_outputs_that_equal_the_reference_are_measured(ask: Request, expected: bytes) -> None:
    session = OnnxRuntimeBackend().open(
        changed(ask, reference=Reference(rtol=1e-3, atol=1e-5, expected=expected))
    )
    session.close()


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        # The largest expected value is 8; one of eight values is off by a half.
        (
            archive(x=X, y=RIGHT + np.array([[0.5, 0, 0, 0], [0, 0, 0, 0]], dtype=np.float32)),
            "outputs of onnx:made are wrong: 'y' is off by up to 0.5 (6.25% of its largest value), 12.50%",
        ),
        (archive(x=X, y=RIGHT[:1]), "'y' has the shape [2, 4], not [1, 4]"),
        (archive(x=X, z=RIGHT), "the reference has 'z'"),
        (archive(x=X), "the reference has no output"),
        (archive(x=X, y=RIGHT * np.float32("nan")), "are wrong"),
        (b"no archive", "failed"),
    ],
)
def test_outputs_that_differ_from_the_reference_are_not_timed(
    ask: Request, expected: bytes, words: str
) -> None:
    assert words in refusal(changed(ask, reference=Reference(rtol=1e-3, atol=1e-5, expected=expected)))


def test_a_sketch_gets_weights_of_its_shapes_and_the_same_ones_again() -> None:
    sketch = build("resnet50", "tiny").SerializeToString()
    first, again = (with_weights(sketch, "zoo:resnet50", "p:1:1") for _ in range(2))
    assert first == again
    for tensor in onnx.load_from_string(first).graph.initializer:
        values = numpy_helper.to_array(tensor)
        assert values.shape == tuple(tensor.dims)
        assert np.isfinite(values).all()


def test_weights_that_are_there_stay_as_they_are() -> None:
    given = model().SerializeToString()
    assert with_weights(given, "m", "p:1:1") == onnx.load_from_string(given).SerializeToString()


def test_nodes_without_a_name_are_named_by_their_output() -> None:
    proto = parsed(model().SerializeToString(), "m", "p:1:1")
    named = with_names(proto)
    assert named is not None
    assert [node.name for node in onnx.load_from_string(named).graph.node] == ["y"]
    assert with_names(onnx.load_from_string(named)) is None


def test_a_slow_tracer_stays_out_of_the_samples(ask: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child whose traced calls take a fifth longer than its untraced ones; the first call warms up."""

    def slow(module: str, task: dict[str, Any], *rest: Any) -> dict[str, Any]:  # noqa: ANN401 - as the real one
        answer = ask_child(module, task, *rest)
        if task["mode"] == "trace":
            answer["seconds"] = [9.0, 1.2, 1.3, 1.1]
        if task["mode"] == "measure":
            answer["samples"]["latency"] = [1.0] * 5
        return answer

    monkeypatch.setattr("perfgate.backends.onnxruntime.ask_child", slow)
    session = OnnxRuntimeBackend().open(ask)
    assert session.measure(0).samples["latency"] == (1.0,) * 5
    found = session.describe()
    assert found.context[TRACED] == "1.2"
    assert session.measure(1).samples["latency"] == (1.0,) * 5  # after tracing as before
    session.close()


def test_traced_calls_are_timed(ask: Request) -> None:
    session = OnnxRuntimeBackend().open(ask)
    assert float(session.describe().context[TRACED]) > 0
    session.close()
