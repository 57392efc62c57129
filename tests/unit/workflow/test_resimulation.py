from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.backends.protocol import Request
from perfgate.core.difference import Change, Difference, DifferenceKind, NewSetting, Side
from perfgate.core.errors import PerfgateError
from perfgate.core.setting import Setting
from perfgate.measure.simulation_input import SimulationInput
from perfgate.workflow.resimulation import Resimulator
from perfgate.zoo.catalogue import build

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TINY = build("resnet50", "tiny").SerializeToString()
RELU = build("custom_activation", "tiny").SerializeToString()
OFF = '{"Switch": {"GraphFusion": {"ALL": "off"}, "UBFusion": {"ALL": "off"}}}'


def simulation(
    *flags: tuple[str, str],
    files: Mapping[str, str] | None = None,
    devices: tuple[Path, ...] = (),
    **fields: object,
) -> SimulationInput:
    held = files or {}

    def read(path: str, _: str) -> str:
        if path not in held:
            raise PerfgateError("the file is missing", path, "add it")
        return held[path]

    request = Request(
        benchmark="net",
        device="ascend-310p-like",
        model=TINY,
        model_name="zoo:resnet50",
        compile=tuple(Setting(name=name, value=value) for name, value in flags),
    )
    return SimulationInput(request=msgspec.structs.replace(request, **fields), read=read, devices=devices)


def difference(
    kind: DifferenceKind, name: str, before: str | None = "a", after: str | None = "b"
) -> Difference:
    return Difference(kind=kind, name=name, before=before, after=after)


def time(side: SimulationInput) -> int:
    return side.profile().application.total_ps


def undone(before: SimulationInput, after: SimulationInput, *taken: Difference) -> int:
    found = Resimulator(before, after)(Change(side=Side.AFTER, taken=taken))
    return found.application.total_ps


NHWC, NCHW = (("--optypelayout", layout) for layout in ("NHWC", "NCHW"))
LAYOUT = difference(DifferenceKind.FLAG, "--optypelayout", "NHWC", "NCHW")


def test_a_flag_taken_back_is_the_before_side_and_applied_to_it_the_after_side() -> None:
    before, after = simulation(NHWC), simulation(NCHW)
    assert time(before) < time(after)
    assert undone(before, after, LAYOUT) == time(before)
    applied = Resimulator(before, after)(Change(side=Side.BEFORE, taken=(LAYOUT,)))
    assert applied.application.total_ps == time(after)


def test_no_change_is_the_side_itself() -> None:
    before, after = simulation(NHWC), simulation(NCHW)
    resimulate = Resimulator(before, after)
    assert resimulate(Change(side=Side.AFTER)) == after.profile()
    assert resimulate(Change(side=Side.BEFORE)) == before.profile()


def test_a_flag_that_the_other_side_lacks_is_removed_and_a_missing_one_is_put() -> None:
    plain, off = simulation(NHWC), simulation(NHWC, ("--disable_pass", "fusion"))
    added = difference(DifferenceKind.FLAG, "--disable_pass", None, "fusion")
    assert time(plain) < time(off)
    assert undone(plain, off, added) == time(plain)
    assert undone(off, plain, added) == time(off)


def test_a_runtime_key_is_no_flag_of_the_same_name() -> None:
    keys = (Setting(name="pinned_memory", value="true"),)
    before, after = simulation(NHWC, runtime=keys), simulation(NHWC)
    assert time(before) < time(after)
    assert undone(before, after, difference(DifferenceKind.RUNTIME, "pinned_memory")) == time(before)
    assert undone(before, after, difference(DifferenceKind.FLAG, "pinned_memory")) == time(after)


def test_the_model_goes_with_its_own_shapes_and_the_flags_stay() -> None:
    before, after = simulation(NHWC, model=RELU, model_name="zoo:custom_activation"), simulation(NCHW)
    mixed = simulation(NCHW, model=RELU, model_name="zoo:custom_activation")
    assert undone(before, after, difference(DifferenceKind.MODEL, "zoo:resnet50")) == time(mixed)


def test_the_content_of_a_named_file_goes_alone() -> None:
    flags = NHWC, ("--fusion_switch_file", "fusion.cfg")
    on, off = OFF.replace("off", "on"), OFF
    before, after = (simulation(*flags, files={"fusion.cfg": text}) for text in (on, off))
    assert time(before) < time(after)
    assert undone(before, after, difference(DifferenceKind.FILE, "fusion.cfg")) == time(before)


def test_a_flag_brings_the_file_that_it_names_where_this_side_has_none() -> None:
    before = simulation(NHWC, ("--fusion_switch_file", "old.cfg"), files={"old.cfg": OFF})
    after = simulation(NHWC, ("--fusion_switch_file", "new.cfg"), files={"new.cfg": OFF.replace("off", "on")})
    flag = difference(DifferenceKind.FLAG, "--fusion_switch_file", "old.cfg", "new.cfg")
    assert undone(before, after, flag) == time(before)


def test_a_device_goes_by_its_folder_and_versions_cannot_be_had(tmp_path: Path) -> None:
    for name, launch in (("slow", 50), ("fast", 1)):
        (tmp_path / name).mkdir()
        text = f"name: mine\nbase: ascend-310p-like\nlaunch: {{compiled_us: [{launch}, A, test]}}\n"
        (tmp_path / name / "mine.yaml").write_text(text)
    before, after = (simulation(NHWC, devices=(tmp_path / name,), device="mine") for name in ("fast", "slow"))
    assert time(before) < time(after)
    assert undone(before, after, difference(DifferenceKind.DEVICE, "mine")) == time(before)
    assert undone(before, after, difference(DifferenceKind.CONTEXT, "onnx")) == time(after)


def test_a_setting_is_put_in_place_of_all_of_its_name_or_taken_out() -> None:
    after = simulation(NCHW, ("--x", "1"), NCHW)
    resimulate = Resimulator(after, after)
    put = NewSetting(kind=DifferenceKind.FLAG, name="--optypelayout", value="NHWC")
    found = resimulate(Change(side=Side.AFTER, settings=(put,)))
    assert found.application.total_ps == time(simulation(NHWC, ("--x", "1")))
    out = msgspec.structs.replace(put, value=None)
    gone = resimulate(Change(side=Side.AFTER, settings=(out,)))
    assert gone.application.total_ps == time(simulation(("--x", "1")))


def test_what_cannot_be_compiled_is_an_error_of_the_user() -> None:
    bad = NewSetting(kind=DifferenceKind.FLAG, name="--precision_mode", value="nonsense")
    with pytest.raises(PerfgateError):
        Resimulator(simulation(NHWC), simulation(NHWC))(Change(side=Side.AFTER, settings=(bad,)))
