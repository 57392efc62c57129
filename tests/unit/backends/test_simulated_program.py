"""Shapes, devices and iterations of a compiled request."""

from __future__ import annotations

import msgspec
import onnx
import pytest
from onnx import TensorProto, helper

from perfgate.backends.protocol import Request
from perfgate.backends.simulated import SimulatedBackend
from perfgate.core.errors import PerfgateError
from perfgate.core.setting import Setting


def linear(**metadata: str) -> bytes:
    """A matrix product of `batch` x 64 by 64 x 32 whose batch is open."""
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], name="net.linear")],
        "linear",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["batch", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT16, ["batch", 32])],
        [onnx.TensorProto(name="w", dims=[64, 32], data_type=TensorProto.FLOAT16)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    helper.set_model_props(model, metadata)
    return bytes(model.SerializeToString())


REQUEST = Request(benchmark="linear", device="ascend-310p-like", model=linear(), model_name="linear.onnx")


def request(flags: dict[str, str], **changes: object) -> Request:
    settings = tuple(
        Setting(name=f"--{name}", value=value, place="build.sh:1:1") for name, value in flags.items()
    )
    return msgspec.structs.replace(REQUEST, compile=settings, **changes)


def inputs(given: Request) -> dict[str, str]:
    return SimulatedBackend().open(given).describe().inputs


def test_the_compile_command_binds_the_shape_before_the_suite() -> None:
    assert inputs(request({}, shapes={"x": (3, 64)})) == {"x": "float16[3,64]"}
    assert inputs(request({"input_shape": "x:5,64"}, shapes={"x": (3, 64)})) == {"x": "float16[5,64]"}


def test_an_open_shape_without_a_size_is_refused() -> None:
    with pytest.raises(PerfgateError, match="x"):
        SimulatedBackend().open(request({}))


DYNAMIC = {"input_shape": "x:-1,64", "dynamic_batch_size": "1,4,8"}


def test_dynamic_batches_run_the_smallest_program_that_fits_and_count_all() -> None:
    found = SimulatedBackend().open(request(DYNAMIC, shapes={"x": (3, 64)})).describe()
    assert found.inputs == {"x": "float16[4,64]"}
    assert found.exact["programs"] == 3


def test_dynamic_shapes_add_to_every_launch() -> None:
    fixed = SimulatedBackend().open(request({"input_shape": "x:4,64"})).profile()
    dynamic = SimulatedBackend().open(request(DYNAMIC, shapes={"x": (4, 64)})).profile()
    # dispatch.dynamic_us of the device file: 3 us more than 10.
    assert dynamic.parts.dispatch_ps * 10 == fixed.parts.dispatch_ps * 13


def test_a_shape_that_no_program_fits_is_refused() -> None:
    with pytest.raises(PerfgateError, match="no compiled shape fits"):
        SimulatedBackend().open(request(DYNAMIC, shapes={"x": (9, 64)}))


def test_iterations_that_are_no_number_are_refused() -> None:
    with pytest.raises(PerfgateError, match="'many' iterations"):
        SimulatedBackend().open(request({"input_shape": "x:1,64"}, model=linear(iterations="many")))
