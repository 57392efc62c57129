"""The layout incident by mechanism: one word of a compile command, 2.34 GB of copies, four times the latency.

Expected values are those of SIMULATOR section 5: bytes by hand from shapes, times within the stated ranges.
"""

from __future__ import annotations

from functools import cache

import pytest

from perfgate import zoo
from perfgate.backends.protocol import Request
from perfgate.backends.simulated import SimulatedBackend, SimulatedSession
from perfgate.core.execution_profile import Profile, scope_totals, summarise
from perfgate.core.setting import Setting

CROSSING_BYTES = 8 * 1280 * 17 * 12 * 2  # batch, channels, map of the middle, fp16
CONV2 = "UNet.mid_block.resnet.1.conv2"


@cache
def model(preset: str) -> bytes:
    return bytes(zoo.build("sd_unet", preset).SerializeToString())


@cache
def session(preset: str, layout: str, device: str = "ascend-310p-like", **runtime: str) -> SimulatedSession:
    request = Request(
        benchmark="unet",
        device=device,
        model=model(preset),
        model_name="zoo:sd_unet",
        compile=(Setting(name="--optypelayout", value=layout),),
        runtime=tuple(Setting(name=name, value=value) for name, value in runtime.items()),
    )
    return SimulatedBackend().open(request)


def profile(preset: str, layout: str, device: str = "ascend-310p-like", **runtime: str) -> Profile:
    return session(preset, layout, device, **runtime).profile()


def total_s(found: Profile) -> float:
    return found.application.total_ps * 1e-12


def test_the_healthy_state_copies_nothing_and_takes_about_two_seconds() -> None:
    healthy = profile("poster", "NHWC")
    assert healthy.exact["copied_bytes"] == 0
    assert 1.5 <= total_s(healthy) <= 3.5


def test_the_faulty_state_copies_ten_tensors_out_and_back_in_every_step() -> None:
    faulty = profile("poster", "NCHW")
    assert faulty.exact["copied_bytes"] == CROSSING_BYTES * 10 * 28 * 2 == 2_339_635_200
    owners = {row.name: row.copies for row in faulty.operators if row.copies}
    # Crossings per step: downsampler 1, resnet.0 4, resnet.1 conv1 2 and conv2 3 with its residual.
    assert owners == {
        "UNet.down_blocks.2.downsampler.conv": 2 * 28,
        "UNet.mid_block.resnet.0.conv1": 4 * 28,
        "UNet.mid_block.resnet.0.conv2": 4 * 28,
        "UNet.mid_block.resnet.1.conv1": 4 * 28,
        CONV2: 6 * 28,
    }


def test_the_faulty_state_is_three_to_five_and_a_half_times_slower() -> None:
    assert 3.0 <= total_s(profile("poster", "NCHW")) / total_s(profile("poster", "NHWC")) <= 5.5


def test_conv2_ranks_first_and_the_middle_takes_most_of_the_time() -> None:
    faulty = profile("poster", "NCHW")
    assert summarise(faulty).operators[0].name == CONV2
    totals = scope_totals(faulty.operators)
    assert 0.45 <= totals["UNet.mid_block"] / totals[""] <= 0.75


def test_a_step_cache_gains_about_a_tenth_of_the_faulty_state() -> None:
    faulty, cached = profile("poster", "NCHW"), profile("poster", "NCHW", tea_cache="true")
    assert 0.05 <= 1 - total_s(cached) / total_s(faulty) <= 0.12
    assert cached.exact["programs"] == 2
    assert cached.exact["peak_memory"] > faulty.exact["peak_memory"]  # the stored tensor stays resident


def test_a_map_of_whole_blocks_does_not_show_it() -> None:
    # 1024 x 1024: the middle is 16 x 16, its channel stride 512 B is 16 blocks of 32 B.
    healthy, other = profile("poster_1024", "NHWC"), profile("poster_1024", "NCHW")
    assert other.exact["copied_bytes"] == 0
    assert 1.3 <= total_s(other) / total_s(healthy) <= 1.5


@pytest.mark.parametrize("device", ["a100-like", "orin-like", "ascend-910b-like"])
def test_other_machines_do_not_show_it(device: str) -> None:
    assert profile("poster", "NCHW", device).exact["copied_bytes"] == 0


def test_the_explanation_holds_the_arithmetic() -> None:
    lines = {line.quantity: line for line in session("poster", "NCHW").explain()}
    assert lines["bytes per crossing"].result == "4,177,920 B"
    assert lines["crossings"].result == "280"
    assert lines["implicit host-device copies"].result == "2,339,635,200 B"
    assert lines["one crossing"].result.endswith("21.59 ms")  # 0.34 + 20.92 + 0.34 with latencies and sync
    assert lines["host route in all"].result == "6.05 s"


def test_the_explanation_of_the_healthy_state_has_no_crossings() -> None:
    quantities = [line.quantity for line in session("poster", "NHWC").explain()]
    assert "bytes per crossing" not in quantities
    assert quantities[-1] == "fusion in all"
    assert "whole execution" in quantities


def test_without_the_residual_fusion_conv2_has_two_crossings_of_nine() -> None:
    # The Add is then a kernel of its own and reads the storage layout: SIMULATOR section 5.
    switches = '{"Switch": {"GraphFusion": {"ConvAddResidual": "off"}}}'
    request = Request(
        benchmark="unet",
        device="ascend-310p-like",
        model=model("poster"),
        model_name="zoo:sd_unet",
        compile=(
            Setting(name="--optypelayout", value="NCHW"),
            Setting(name="--fusion_switch_file", value="switches.cfg"),
        ),
    )
    found = SimulatedBackend(read=lambda _name, _place: switches).open(request).profile()
    assert found.exact["copied_bytes"] == CROSSING_BYTES * 9 * 28 * 2
    assert {row.name: row.copies for row in found.operators}[CONV2] == 2 * 2 * 28


def test_pinned_memory_speeds_up_the_copies_but_not_the_reordering() -> None:
    usual, pinned = profile("poster", "NCHW"), profile("poster", "NCHW", pinned_memory="true")
    # 560 copies of 4.18 MB at 26 instead of 13 GB/s, and the explicit copies of inputs and outputs.
    saved = (CROSSING_BYTES * 560 + usual.exact["io_bytes"]) / 26e9
    assert total_s(usual) - total_s(pinned) == pytest.approx(saved, rel=1e-6)
    assert pinned.exact["copied_bytes"] == usual.exact["copied_bytes"]


def test_a_small_arena_allocates_in_every_step() -> None:
    usual, small = profile("poster", "NHWC"), profile("poster", "NHWC", memory_pool="100MB")
    allocations = small.hardware.memory.allocations
    assert allocations > 0
    # 100 us each, in each of 28 steps.
    assert total_s(small) - total_s(usual) == pytest.approx(allocations * 28 * 100e-6)


def test_more_on_chip_reuse_never_costs_time() -> None:
    times = {}
    for mode in ("off_optimize", "l2_optimize", "l1_optimize"):
        settings = (Setting(name="--buffer_optimize", value=mode),)
        request = Request(
            benchmark="unet",
            device="ascend-310p-like",
            model=model("poster"),
            model_name="unet",
            compile=settings,
        )
        found = SimulatedBackend().open(request).profile()
        times[mode] = found.application.total_ps
        assert (found.hardware.l2_hit_share > 0) is (mode != "off_optimize")
    assert times["l1_optimize"] < times["l2_optimize"] < times["off_optimize"]
