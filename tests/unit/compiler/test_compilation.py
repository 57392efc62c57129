"""Each flag against its default: the named mechanism moves, and no other pass says anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from perfgate.compiler.config import BufferMode
from perfgate.compiler.passnames import PASS_NAMES
from perfgate.compiler.precision import PrecisionMode
from perfgate.compiler.preprocessing import Preprocessing
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.shape_flags import DynamicKind, DynamicShapes
from perfgate.compiler.switches import Fusion
from perfgate.core.errors import UsageError
from perfgate.graph.ir import Place
from tests.graphs import HALF, PLAIN, Drawing, compiled, entries

if TYPE_CHECKING:
    from perfgate.compiler.program import Program
    from perfgate.graph.ir import Graph


def network(dtype: str = HALF) -> Graph:
    """An image of three channels, a residual block whose map has 25 x 41 pixels, and a linear head."""
    draw = Drawing(dtype)
    stem = draw.add("Relu", [draw.conv(draw.input("image", 1, 3, 25, 41), "stem", 32)], "stem.relu")
    pooled = draw.add("MaxPool", [stem], "pool", kernel_shape=(1, 1))
    block = draw.add("Add", [draw.batch_norm(draw.conv(pooled, "conv", 32), "norm"), pooled], "sum")
    head = draw.add("GlobalAveragePool", [block], "mean", (1, 32, 1, 1))
    draw.add("Softmax", [draw.matmul(draw.add("Flatten", [head], "flat", (1, 32)), "fc", 16)], "out", axis=-1)
    return draw.graph("out")


def changed_passes(before: Program, after: Program) -> set[str]:
    """Passes whose entries differ."""

    def by_pass(program: Program) -> dict[str, list[Any]]:
        return {name: entries(program, name) for name in PASS_NAMES}

    left, right = by_pass(before), by_pass(after)
    return {name for name in left if left[name] != right[name]}


@pytest.mark.parametrize(
    ("config", "passes"),
    [
        ({"layout": "NHWC"}, {"layout"}),
        ({"layout": "NCHW"}, {"layout"}),
        ({"type_layouts": {"MaxPool": "NCHW"}}, {"layout"}),
        ({"input_layout": "NHWC"}, {"layout"}),
        ({"small_channel": True}, {"layout"}),
        ({"preprocessing": (Preprocessing(0, ("crop",)),)}, {"layout"}),
        ({"fusion_off": frozenset({Fusion.CONV_BATCH_NORM})}, {"fusion"}),
        ({"quantise": True}, {"quantise", "layout"}),
        ({"precision": PrecisionMode.FP32}, {"precision", "layout"}),  # strides are in bytes
        ({"precise_ops": frozenset({"Softmax"})}, set()),
        ({"output_type": "float32"}, set()),
        ({"buffer_mode": BufferMode.OFF}, set()),
        ({"single_stream": True}, set()),
        ({"dynamic": DynamicShapes(DynamicKind.BATCH, ((1,), (2,)))}, set()),
    ],
)
def test_a_flag_moves_its_own_pass_and_the_program(config: dict[str, Any], passes: set[str]) -> None:
    graph = network()
    plain, flagged = compiled(graph), compiled(graph, **config)
    assert changed_passes(plain, flagged) <= passes
    assert plain != flagged


def test_the_precision_of_a_model_in_fp32_moves_its_own_pass() -> None:
    graph = network(PLAIN)
    plain, flagged = compiled(graph), compiled(graph, precision=PrecisionMode.FP16)
    assert changed_passes(plain, flagged) == {"precision"}
    assert plain != flagged


@pytest.mark.parametrize(
    ("field", "value", "seen"),
    [
        ("single_stream", True, lambda p: p.single_stream),
        ("buffer_mode", BufferMode.L1, lambda p: p.buffer_mode == "l1_optimize"),
        ("dynamic", DynamicShapes(DynamicKind.BATCH, ((1,), (2,))), lambda p: p.dynamic_dispatch),
    ],
)
def test_what_the_machine_decides_is_handed_on_in_the_program(field: str, value: Any, seen: Any) -> None:  # noqa: ANN401 - one per field
    assert seen(compiled(network(), **{field: value}))
    assert not seen(compiled(network()))


@pytest.mark.parametrize("name", PASS_NAMES)
def test_any_pass_can_be_switched_off_and_says_so(name: str) -> None:
    program = compiled(network(), disabled_passes=frozenset({name}))
    assert program.disabled_passes == (name,)
    assert any(not entry.applied for entry in entries(program, name))


@pytest.mark.parametrize("name", ["tiling", "lower"])
def test_a_pass_that_nothing_runs_without_stays_on_and_is_listed_as_unhandled(name: str) -> None:
    program = compiled(network(), disabled_passes=frozenset({name}))
    assert [item.what for item in program.unhandled] == [f"pass {name}"]
    assert program.kernels == compiled(network()).kernels


def test_nothing_but_an_entry_is_left_of_a_pass_that_is_off() -> None:
    program = compiled(network(), disabled_passes=frozenset({"fusion"}))
    assert [e.reason for e in entries(program, "fusion")] == ["switched-off: pass fusion is disabled"]
    assert {kernel.op for kernel in program.kernels} >= {"BatchNormalization", "Relu", "Add"}


def test_the_same_arguments_give_the_same_program() -> None:
    graph = network()
    assert compiled(graph, layout="NCHW") == compiled(graph, layout="NCHW")


def test_passes_write_in_their_order() -> None:
    order = [PASS_NAMES.index(e.pass_name) for e in compiled(network(), layout="NCHW").pass_log]
    assert order == sorted(order)


def test_only_the_first_five_passes_change_the_amount_of_arithmetic() -> None:
    late = frozenset(PASS_NAMES[5:])
    whole, early = compiled(network()), compiled(network(), disabled_passes=late)
    assert sum(kernel.macs for kernel in whole.kernels) == sum(kernel.macs for kernel in early.kernels)


def test_notes_and_unhandled_settings_stand_in_the_program() -> None:
    runtime = RuntimeConfig(notes=("a note",))
    assert compiled(network(), runtime=runtime).notes == ("a note",)


def test_a_place_beyond_its_bits_is_one_error() -> None:
    graph = network()
    far = msgspec.structs.replace(graph.nodes[0], place=Place("model.onnx", 1 << 20))
    with pytest.raises(UsageError, match="source place is too large"):
        compiled(msgspec.structs.replace(graph, nodes=(far, *graph.nodes[1:])))


def test_a_comparison_works_in_the_type_of_its_operands() -> None:
    draw = Drawing()
    draw.add("Greater", [draw.input("x", 64), draw.input("y", 64)], "out", dtype="bool")
    assert [k.dtype for k in compiled(draw.graph("out")).kernels if k.op == "Greater"] == ["float16"]


def test_kernels_have_the_models_types_when_the_precision_pass_is_off() -> None:
    program = compiled(network(), disabled_passes=frozenset({"precision"}))
    assert {kernel.dtype for kernel in program.kernels} == {"float16"}
