from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import helper

from perfgate.core.errors import UsageError
from perfgate.graph import GraphError, ProblemCode, load
from perfgate.graph.ir import Place, TensorKind
from perfgate.graph.ops.rows import MOST_VALUE_ELEMENTS

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes

DATA = Path(onnx.__file__).parent / "backend/test/data"


def relu(name: str = "", **more: str) -> onnx.NodeProto:
    return helper.make_node("Relu", ["x"], ["y"], name=name, **more)


def test_a_path_and_its_bytes_give_the_same_graph(model_bytes: ModelBytes, tmp_path: Path) -> None:
    content = model_bytes([relu("act")], inputs={"x": (2, 3)}, outputs=["y"])
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    assert load(path) == load(content)


def test_nodes_and_tensors_are_named_as_in_the_model(model_bytes: ModelBytes) -> None:
    graph = load(model_bytes([relu("block/0/act")], inputs={"x": (2, 3)}, outputs=["y"]))
    (node,) = graph.nodes
    assert (node.index, node.name, node.scope, node.op) == (0, "block/0/act", "block.0.act", "Relu")
    assert graph.inputs == ("x",)
    assert graph.outputs == ("y",)
    assert graph.tensors["x"].kind is TensorKind.INPUT
    assert graph.tensors["y"].shape == (2, 3)


def test_a_node_without_name_takes_its_first_output(model_bytes: ModelBytes) -> None:
    (node,) = load(model_bytes([relu()], inputs={"x": (1,)}, outputs=["y"])).nodes
    assert (node.name, node.scope) == ("y", "y")


def test_the_source_place_comes_from_metadata_then_doc_string_then_the_position(
    model_bytes: ModelBytes,
) -> None:
    tagged = relu("a", doc_string="other.py:1")
    tagged.metadata_props.add(key="source", value="net.py:12:5")
    documented = helper.make_node("Relu", ["y"], ["z"], doc_string="net.py:7")
    prose = helper.make_node("Relu", ["z"], ["w"], doc_string="an activation: nothing more")
    graph = load(model_bytes([tagged, documented, prose], inputs={"x": (1,)}, outputs=["w"]))
    assert [node.place for node in graph.nodes] == [
        Place("net.py", 12, 5), Place("net.py", 7), Place("model.onnx", 2),
    ]  # fmt: skip


def test_the_digest_changes_with_content_and_bound_sizes(model_bytes: ModelBytes) -> None:
    content = model_bytes([relu("a")], inputs={"x": ("n", 4)}, outputs=["y"])
    other = model_bytes([relu("b")], inputs={"x": ("n", 4)}, outputs=["y"])
    digests = {
        load(content, bindings={"x": (1, 4)}).digest,
        load(content, bindings={"x": (2, 4)}).digest,
        load(other, bindings={"x": (1, 4)}).digest,
    }
    assert len(digests) == 3
    assert load(content, bindings={"x": (1, 4)}).digest in digests


def test_bytes_that_are_no_model_are_refused() -> None:
    for content in (b"", b"not a model", b"\x08\x01"):
        with pytest.raises(GraphError) as caught:
            load(content, name="weights.bin")
        assert caught.value.codes == (ProblemCode.BROKEN_MODEL,)
        assert "weights.bin" in str(caught.value)


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the model"):
        load(tmp_path / "absent.onnx")


def test_an_option_that_names_nothing_is_refused_with_the_nearest_name(model_bytes: ModelBytes) -> None:
    content = model_bytes([relu()], inputs={"x": ("n",), "mask": (3,)}, outputs=["y"])
    with pytest.raises(UsageError, match="did you mean 'mask'"):
        load(content, bindings={"x": (2,), "masc": (3,)})


def test_an_output_that_nothing_produces_is_broken(model_bytes: ModelBytes) -> None:
    with pytest.raises(GraphError, match="graph output 'z' is produced by nothing"):
        load(model_bytes([relu()], inputs={"x": (1,)}, outputs=["y", "z"]))


def test_at_most_twenty_problems_are_listed_and_all_are_counted(model_bytes: ModelBytes) -> None:
    nodes = [helper.make_node("Nothing", ["x"], [f"y{i}"], name=f"n{i}") for i in range(25)]
    with pytest.raises(GraphError) as caught:
        load(model_bytes(nodes, inputs={"x": (1,)}, outputs=["y0"], opsets={"": 17}))
    assert len(caught.value.problems) == 20
    assert "25 problems" in str(caught.value)
    assert "and 5 more" in str(caught.value)


def test_what_follows_from_a_problem_is_not_reported_again(model_bytes: ModelBytes) -> None:
    nodes = [helper.make_node("Nothing", ["x"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    with pytest.raises(GraphError) as caught:
        load(model_bytes(nodes, inputs={"x": (1,)}, outputs=["y"]))
    assert [problem.code for problem in caught.value.problems] == [ProblemCode.UNKNOWN_OPERATOR]


def test_initialisers_that_are_also_inputs_are_no_inputs(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        inputs={"x": (2,), "w": (2,)},
        outputs=["y"],
        weights={"w": np.ones(2, np.float32)},
    )
    graph = load(content)
    assert graph.inputs == ("x",)
    assert graph.tensors["w"].kind is TensorKind.WEIGHT


SHIPPED = [path for path in sorted(DATA.rglob("*.onnx")) if path.parent.name != "light"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_shipped_models_load_with_the_output_shapes_of_their_test_data(path: Path) -> None:
    outputs = sorted(path.parent.glob("test_data_set_0/output_*.pb"))
    values = {}
    model = onnx.load(path)
    # Many are written for opset 6; what they use means the same in 7, the oldest that is loaded.
    model.opset_import[0].version = max(7, model.opset_import[0].version)
    weights = {weight.name for weight in model.graph.initializer}
    inputs = [entry for entry in model.graph.input if entry.name not in weights]
    for index, entry in enumerate(inputs):
        array = _stored(path.parent / f"test_data_set_0/input_{index}.pb")
        if array is not None and array.dtype != object:
            values[entry.name] = array
    shapes = {name: array.shape for name, array in values.items()}
    values = {name: array for name, array in values.items() if array.size <= MOST_VALUE_ELEMENTS}
    graph = load(model.SerializeToString(), values=values, bindings=shapes)
    for name, stored in zip(graph.outputs, outputs, strict=True):
        expected = _stored(stored)
        assert expected is not None
        assert graph.tensors[name].shape == expected.shape


def _stored(path: Path) -> np.ndarray | None:
    if not path.is_file():
        return None
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return np.asarray(onnx.numpy_helper.to_array(tensor))
