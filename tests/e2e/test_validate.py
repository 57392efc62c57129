"""`perfgate validate`: the incident before and after its plan, with outputs and weights."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import numpy as np
import onnx
import pytest

from perfgate.core.codec import readable_json
from perfgate.workflow.json_schemas import schema_of
from tests.diagnoses import diagnosis, fix

if TYPE_CHECKING:
    from tests.e2e.project import Project

Run = Callable[..., str]
KEY = "sd_unet[ascend-310p-like]"
SIDES = ("--before", ".perfgate/before", "--after", ".perfgate/after")
CHOSEN = ("-k", KEY, "--profile", "-q")


@pytest.fixture(scope="module")
def recorded(template: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Both sides recorded, with the plan between them."""
    project = template.copy(tmp_path_factory.mktemp("validated") / "project")
    project.replace("deploy/convert.sh", "NHWC", "NCHW")
    project.commit("tidy convert flags")
    project.write({".perfgate/d.json": readable_json(diagnosis())})
    for words in (
        ("record", *CHOSEN, "-o", ".perfgate/before"),
        ("optimize", "--diagnosis", ".perfgate/d.json", "-o", ".perfgate/plan", "--apply"),
        ("record", *CHOSEN, "-o", ".perfgate/after"),
    ):
        done = project.perfgate(*words)
        assert done.code == 0, done.text
    return project


@pytest.fixture
def validate(recorded: Project) -> Run:
    """The verb, with what it says on both streams."""

    def run(*arguments: str, code: int = 0, sides: tuple[str, ...] = SIDES) -> str:
        done = recorded.perfgate("validate", *sides, *arguments)
        assert done.code == code, done.text
        return done.text

    return run


def rows_of(text: str) -> dict[str, dict[str, Any]]:
    found = json.loads(text)
    jsonschema.validate(found, schema_of("validation"), cls=jsonschema.Draft202012Validator)
    return {row["name"]: row for table in found["tables"] for row in table["rows"]}


def test_the_plan_keeps_its_promise(validate: Run) -> None:
    text = validate("--diagnosis", ".perfgate/d.json", "--plan", ".perfgate/plan")
    lines = {line.split("  ")[0]: line for line in text.splitlines()}
    for name in ("latency", "cycles", "copied_bytes, host-device", "UNet.mid_block"):
        assert "improved" in lines[name]
    assert re.search(
        r"copied_bytes, host-device +2\.34 GB +0 GB +-100\.0 % +improved +0 GB$", text, re.MULTILINE
    )
    assert re.search(r"latency .* s \(\d\.\d % (above|below)\)", lines["latency"])
    rows = rows_of(validate("--plan", ".perfgate/plan", "--json", "-"))
    assert rows["UNet.mid_block"]["after"] == rows["UNet.mid_block"]["predicted"]
    assert (
        rows["cycles"]["after"] == rows["cycles"]["predicted"]
    )  # exact: the plan simulated these very files
    assert rows["latency"]["after"] == pytest.approx(rows["latency"]["predicted"], rel=0.05)


def test_a_diagnosis_alone_promises_what_it_simulated(validate: Run) -> None:
    rows = rows_of(validate("--diagnosis", ".perfgate/d.json", "--json", "-"))
    assert rows["latency"]["predicted"] == 2.23
    assert rows["cycles"]["predicted"] is None
    assert {"UNet.mid_block", "UNet.mid_block.resnet.1.conv2"} <= rows.keys()


def test_names_and_aliases_choose_the_rows_and_their_order(validate: Run) -> None:
    names = "mem_copy,latency,p99,UNet.mid_block,speedup_ratio"
    rows = rows_of(validate("--metrics", names, "--json", "-"))
    assert list(rows) == ["copied_bytes", "latency", "p99_latency", "UNet.mid_block", "speedup_ratio"]
    assert rows["speedup_ratio"]["after"] == rows["latency"]["before"] / rows["latency"]["after"]
    assert "note: p99_latency: " in validate("--metrics", "p99")  # too few samples for a verdict
    assert "no metric, scope or operator 'unet'" in validate("--metrics", "latency,unet", code=2)


def test_the_judge_is_that_of_compare(validate: Run, recorded: Project) -> None:
    back = ("--before", ".perfgate/after", "--after", ".perfgate/before")
    text = validate(sides=back, code=1)
    assert "regressed" in text
    compared = recorded.perfgate("compare", ".perfgate/after", ".perfgate/before", "--json", "-")
    (verdict,) = json.loads(compared.out)["verdicts"]
    rows = rows_of(validate("--json", "-", sides=back, code=1))
    assert compared.code == 1
    judged = {row["metric"]["name"]: row["verdict"] for row in verdict["comparisons"]}
    assert {name: row["verdict"] for name, row in rows.items()} == judged


def test_equal_recordings_and_missing_folders_are_refused(validate: Run) -> None:
    same = ("--before", ".perfgate/before", "--after", ".perfgate/before")
    assert "both folders hold the same records" in validate(sides=same, code=2)
    gone = ("--before", ".perfgate/none", "--after", ".perfgate/before")
    assert "no such folder of records" in validate(sides=gone, code=2)


def test_broken_outputs_fail_whatever_the_gain(validate: Run, tmp_path: Path) -> None:
    image = np.linspace(-1, 1, 100).reshape(10, 10)
    right, close, wrong = (str(tmp_path / f"{name}.npz") for name in ("right", "close", "wrong"))
    np.savez(right, image=image)
    np.savez(close, image=image + 0.005)  # fp16, which the flags ask for, allows .0098 of the largest value
    np.savez(wrong, image=image + 0.02)
    assert "equal" in validate("--reference", right, "--outputs", right)
    assert "within tolerance" in validate("--reference", right, "--outputs", close)
    text = validate("--reference", right, "--outputs", wrong, code=1)
    assert "improved" in text
    assert "BROKEN image: off by up to 0.02 (allowed 0.00977)" in text
    validate("--reference", right, "--outputs", close, "--precision", "fp32", code=1)
    assert "one side is missing" in validate("--reference", right, code=2)
    (tmp_path / "text.npz").write_text("no archive")
    assert "is no NPZ file" in validate("--reference", right, "--outputs", str(tmp_path / "text.npz"), code=2)
    assert "no such file" in validate("--reference", right, "--outputs", "none.npz", code=2)


def model(path: Path, scale: float) -> str:
    """A product y = x W with a fixed W, multiplied by `scale`; one open dimension."""
    weights = np.random.default_rng(1).standard_normal((16, 8)).astype(np.float32) * np.float32(scale)
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [value("x", onnx.TensorProto.FLOAT, ["batch", 16])],
        [value("y", onnx.TensorProto.FLOAT, ["batch", 8])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    opset = onnx.helper.make_opsetid("", 17)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8), path)
    return str(path)


def test_two_models_are_run_on_equal_inputs(validate: Run, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    one, other = (model(tmp_path / f"{scale}.onnx", scale) for scale in (1.0, 1.1))
    text = validate("--reference", one, "--outputs", other, "--precision", "int8", code=1)
    # Equal inputs give outputs 1.1 times as large: off by a tenth of the largest, in the same direction.
    (off, cosine) = re.findall(r"BROKEN y: off by up to (\S+) \(allowed \S+\), cosine (\S+) ", text)[0]
    assert float(cosine) == pytest.approx(1.0)
    assert float(off) > 0


def test_weights_are_put_into_int8(validate: Run, tmp_path: Path) -> None:
    path = model(tmp_path / "unet.onnx", 1.0)
    text = validate("--quantized", path)
    assert re.search(r"speedup_ratio +1\.00 x +\d\.\d\d x", text)
    assert "weights of unet.onnx in symmetric int8: 512 B -> 132 B, -74.2 %" in text  # 128 values, one scale
    found = json.loads(validate("--quantized", path, "--json", "-"))["quantised"]
    assert found["tensors"][0]["largest_error"] <= found["tensors"][0]["scale"] / 2
    assert found["curve"][-1][1] <= 0.5
    (tmp_path / "no.onnx").write_bytes(b"\xff\xff\xff")
    assert "is no ONNX model" in validate("--quantized", str(tmp_path / "no.onnx"), code=2)


def test_the_plans_own_script_measures_and_compares(recorded: Project) -> None:
    words = ("python", ".perfgate/plan/validation_script.py", "--before", ".perfgate/before")
    done = recorded.run(*words, PATH=_path_with_perfgate())
    assert done.code == 0, done.text
    assert re.search(r"prediction: -7\d\.\d% predicted, -7\d\.\d% measured \(latency\)", done.out)


def _path_with_perfgate() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def test_a_fix_that_was_added_is_named_again(validate: Run, recorded: Project) -> None:
    recorded.write({".perfgate/small.json": readable_json(diagnosis(fix(after=9_100_000_000_000)))})
    asked = ("--diagnosis", ".perfgate/small.json", "--json", "-")
    assert rows_of(validate(*asked))["latency"]["predicted"] is None
