"""The simulated backend: runs, notes and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from onnx import TensorProto, helper

from perfgate import zoo
from perfgate.backends.protocol import Request
from perfgate.backends.simulated import SimulatedBackend
from perfgate.compiler.cache import CompileCache
from perfgate.core.errors import PerfgateError, UsageError
from perfgate.core.setting import Setting

if TYPE_CHECKING:
    from pathlib import Path

MODEL = bytes(zoo.build("sd_unet", "tiny").SerializeToString())
REQUEST = Request(
    benchmark="unet",
    device="ascend-310p-like",
    model=MODEL,
    model_name="zoo:sd_unet",
    samples=5,
    warmup=3,
    seed=11,
)


def request(**changes: object) -> Request:
    return msgspec.structs.replace(REQUEST, **changes)


def flags(**given: str) -> tuple[Setting, ...]:
    return tuple(
        Setting(name=f"--{name}", value=value, place="build.sh:3:1") for name, value in given.items()
    )


def keys(**given: str) -> tuple[Setting, ...]:
    return tuple(Setting(name=name, value=value, place="run.yaml:1:1") for name, value in given.items())


def test_a_run_has_its_own_samples_and_warm_up_apart() -> None:
    session = SimulatedBackend().open(REQUEST)
    first, second = session.measure(0), session.measure(1)
    assert (len(first.samples["latency"]), len(first.warmup["latency"])) == (5, 3)
    assert first.samples != second.samples
    assert (first.id, second.id, first.seed) == (0, 1, 11)
    assert session.measure(0) == first


def test_warm_up_samples_are_the_slow_ones() -> None:
    run = SimulatedBackend().open(request(noise="quiet", warmup=1)).measure(0)
    # The first sample is about twice the rest: 1 + exp(0).
    assert run.warmup["latency"][0] > 1.5 * min(run.samples["latency"])


def test_silent_noise_repeats_the_profile_and_says_so() -> None:
    session = SimulatedBackend().open(request(noise="none"))
    total = session.profile().application.total_ps * 1e-12
    assert set(session.measure(0).samples["latency"]) == {total}
    assert any("noise preset 'none'" in note for note in session.describe().notes)


def test_noise_never_touches_exact_metrics() -> None:
    quiet = SimulatedBackend().open(request(noise="quiet")).describe().exact
    loud = SimulatedBackend().open(request(noise="noisy-ci", seed=5)).describe().exact
    assert quiet == loud


def test_throughput_is_the_reciprocal_of_latency() -> None:
    run = SimulatedBackend().open(request(metrics=("latency", "throughput"))).measure(0)
    pairs = zip(run.samples["latency"], run.samples["throughput"], strict=True)
    assert all(rate == pytest.approx(1 / latency) for latency, rate in pairs)


def test_iterations_come_from_the_suite_before_the_model() -> None:
    own = SimulatedBackend().open(REQUEST).profile().application
    twice = SimulatedBackend().open(request(iterations=own.iterations * 2)).profile().application
    assert twice.total_ps == 2 * own.total_ps


def test_the_description_names_inputs_protocol_and_device() -> None:
    found = SimulatedBackend().open(REQUEST).describe()
    assert found.protocol["noise"] == "quiet"
    assert found.protocol["samples"] == "5"
    assert found.device == "ascend-310p-like"
    assert len(found.device_digest) == len(found.model_digest) == 64
    assert found.inputs
    assert all("[" in text for text in found.inputs.values())


def test_a_flag_without_effect_becomes_a_note() -> None:
    session = SimulatedBackend().open(request(compile=flags(some_new_flag="1")))
    assert any("some_new_flag" in note and "build.sh:3:1" in note for note in session.describe().notes)


def test_a_chip_that_is_not_the_benchmarks_device_is_reported() -> None:
    wrong = SimulatedBackend().open(request(compile=flags(soc_version="Ascend910B3")))
    right = SimulatedBackend().open(request(compile=flags(soc_version="Ascend310P3")))
    assert any(note.startswith("soc-mismatch") for note in wrong.describe().notes)
    assert not any(note.startswith("soc-mismatch") for note in right.describe().notes)


def test_without_a_device_the_chip_of_the_compile_command_chooses_it() -> None:
    session = SimulatedBackend().open(request(device="", compile=flags(soc_version="Ascend910B3")))
    assert session.describe().device == "ascend-910b-like"
    with pytest.raises(UsageError, match="no device"):
        SimulatedBackend().open(request(device=""))


def test_a_step_cache_without_a_region_says_why_it_changes_nothing() -> None:
    model = bytes(zoo.build("sd_unet", "tiny", iterations=1).SerializeToString())
    session = SimulatedBackend().open(request(model=model, runtime=keys(tea_cache="true")))
    assert any("tea_cache changes nothing" in note for note in session.describe().notes)


def test_a_second_opening_hits_the_compile_cache(tmp_path: Path) -> None:
    backend = SimulatedBackend(cache=CompileCache(tmp_path))
    first, second = backend.open(REQUEST), backend.open(REQUEST)
    assert first.describe().context["compile_cache"] == "miss"
    assert second.describe().context["compile_cache"] == "hit"
    assert first.profile() == second.profile()


def test_device_files_of_the_repository_are_found(tmp_path: Path) -> None:
    (tmp_path / "slow.yaml").write_text(
        "base: ascend-310p-like\nlaunch:\n  compiled_us: 100\n", encoding="utf-8"
    )
    slow = SimulatedBackend(devices=(tmp_path,)).open(request(device="slow")).profile()
    usual = SimulatedBackend().open(REQUEST).profile()
    # Ten times the launch of 10 us for each kernel.
    assert slow.parts.dispatch_ps == 10 * usual.parts.dispatch_ps


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"noise": "loud"}, "unknown noise preset"),
        ({"metrics": ("energy_j",)}, "no samples of 'energy_j'"),
        ({"device": "tpu-like"}, "unknown device"),
        ({"model": b"not a model"}, "zoo:sd_unet"),
    ],
)
def test_what_cannot_be_used_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(PerfgateError) as caught:
        SimulatedBackend().open(request(**changes))
    assert message in str(caught.value)


def test_a_session_answers_what_ifs_about_its_benchmark() -> None:
    session = SimulatedBackend().open(REQUEST)
    rows = session.what_if()
    assert rows[0].total_ps == session.profile().application.total_ps
    assert {row.knob for row in rows} == {"as it is", "precision", "fusion", "cores", "streams"}


def test_a_reported_share_of_estimated_time_is_a_warning() -> None:
    graph = helper.make_graph(
        [helper.make_node("Mystery", ["x"], ["y"], name="net.mystery", domain="com.example")],
        "mystery",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [64, 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [64, 64])],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
    model = bytes(helper.make_model(graph, opset_imports=opsets).SerializeToString())
    notes = SimulatedBackend().open(request(model=model, model_name="mystery.onnx")).describe().notes
    assert any("cost is only estimated" in note for note in notes)
