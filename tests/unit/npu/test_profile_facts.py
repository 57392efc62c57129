"""Facts of a profile that only a diagnosis reads: tiles, arena, compiled shapes, other work, silent nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.compiler.runtime import Background, RuntimeConfig, StreamPriority
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate
from tests.diagnose_sides import profile_of, side
from tests.graphs import Drawing, compiled

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile
    from perfgate.graph.ir import Graph


def product() -> Graph:
    """256 x 512 times 512 x 384, a view of the result, and a Cast that changes nothing."""
    draw = Drawing()
    result = draw.matmul(draw.input("x", 256, 512), "product", 384)
    same = draw.add("Identity", [result], "same")
    return draw.graph(draw.add("Relu", [draw.add("Reshape", [same], "view", (384, 256))], "out"))


def profile(runtime: RuntimeConfig | None = None, shapes: int = 1) -> Profile:
    used = runtime or RuntimeConfig()
    program = compiled(product(), runtime=used)
    return build_profile(
        [Phase(execution=simulate(program, load_device("ascend-310p-like"), used))], (), shapes
    )


def test_tiles_cover_the_product() -> None:
    row = next(row for row in profile().kernels if row.name == "product")
    rows, columns, _ = row.tile
    assert row.tiles == -(-256 // rows) * -(-384 // columns)
    assert next(row for row in profile().kernels if row.name == "out").tiles == 0


def test_memory_says_which_arena_the_plan_needs_and_which_is_reserved() -> None:
    memory = profile(RuntimeConfig(memory_pool=4096)).hardware.memory
    assert memory.pool == 4096
    assert memory.arena == memory.activations >= 256 * 512 * 2
    assert profile().hardware.memory.pool == 0


def test_compiled_shapes_are_counted() -> None:
    found = profile(shapes=3)
    assert (found.application.programs, found.exact["programs"]) == (3, 3.0)


def test_waits_for_other_work_are_counted_per_kernel() -> None:
    """Rest of a running kernel 0.5 * 100 us / 2, and at equal priority the queue: / 0.5. Two kernels wait."""
    graph = profile(RuntimeConfig(background=Background(load=0.5))).graph
    assert (graph.priority, graph.background_priority) == ("normal", "normal")
    assert graph.background_ps == 2 * 50_000_000
    alone = profile(RuntimeConfig(stream_priority=StreamPriority.HIGH)).graph
    assert (alone.priority, alone.background_ps) == ("", 0)


def test_nodes_that_run_nothing_are_named() -> None:
    assert set(profile().graph.without_kernel) == {"same", "view"}


def test_int8_weights_are_a_quarter_of_the_float32_artefact() -> None:
    full, half, small = (
        profile_of(side("resnet50", "tiny", device="a100-like", flags=flags)).exact["artefact_bytes"]
        for flags in ({"--precision_mode": "force_fp32"}, {}, {"quantize": "int8"})
    )
    # Sizes are aligned, and scales and biases of int8 layers stay wide: measured 52 % and 29 %.
    assert half / full == pytest.approx(1 / 2, abs=0.03)
    assert small / full == pytest.approx(1 / 4, abs=0.05)
