from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.errors import NothingMeasuredError, UsageError
from perfgate.core.execution_profile import summarise
from perfgate.diagnose.engine import Observation, Setting, diagnose
from perfgate.workflow import explaining
from perfgate.workflow.diagnosing import DiagnoseRequest, diagnose_pairs, run_diagnosis
from perfgate.workflow.diagnosis_side import DiagnosisSide
from perfgate.workflow.measuring import write_record
from perfgate.workflow.options import GateOptions
from tests.diagnose_sides import profile_of, side
from tests.records import make_record

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.record import Record

FAST, SLOW = ((1.0, 1.01, 0.99, 1.02, 1.0),) * 5, ((2.0, 2.01, 1.99, 2.02, 2.0),) * 5
PROFILE = profile_of(side("resnet50", "tiny"))


def request(root: Path, **fields: object) -> DiagnoseRequest:
    asked = DiagnoseRequest(options=GateOptions(root=root), environment={}, today=dt.date(2026, 11, 29))
    return replace(asked, **fields)  # type: ignore[arg-type]  # - fields of the request


def record(name: str, latencies: tuple[tuple[float, ...], ...] = FAST) -> Record:
    return make_record(name, latencies=latencies, profile=summarise(PROFILE))


def pair(name: str) -> tuple[DiagnosisSide, DiagnosisSide]:
    before, after = (
        DiagnosisSide(observation=Observation(record=record(name, runs), profile=PROFILE))
        for runs in (FAST, SLOW)
    )
    return before, after


def announce(*_: object) -> None:
    pass


def test_each_pair_gets_the_gates_answer_and_a_diagnosis(tmp_path: Path) -> None:
    found = diagnose_pairs({"a[dev]": pair("a"), "b[dev]": pair("b")}, request(tmp_path), None)
    assert [item.key for item in found.diagnoses] == ["a[dev]", "b[dev]"]
    for item in found.diagnoses:
        assert item.metrics[0].relative == pytest.approx(1.0, rel=0.05)
    assert found.notes == ()


def test_sides_that_are_not_the_same_benchmark_are_not_compared(tmp_path: Path) -> None:
    before, after = pair("a")
    other = after.observation.record
    ruler = msgspec.structs.replace(other.ruler, inputs={"x": "float32[9,9]"})
    moved = DiagnosisSide(
        observation=Observation(record=msgspec.structs.replace(other, ruler=ruler), profile=PROFILE)
    )
    found = diagnose_pairs({"a[dev]": (before, moved), "b[dev]": pair("b")}, request(tmp_path), None)
    assert [item.key for item in found.diagnoses] == ["b[dev]"]
    assert found.notes[0].startswith("a[dev]: changed, ")
    assert found.notes[0].endswith("the two sides cannot be compared")


def test_one_pair_that_contradicts_itself_does_not_silence_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def contradicts(before: Observation, after: Observation, setting: Setting) -> Diagnosis:
        if after.record.benchmark == "a":
            raise ArithmeticError("3 of 4 ps")
        return diagnose(before, after, setting)

    monkeypatch.setattr(explaining, "diagnose", contradicts)
    found = diagnose_pairs({"a[dev]": pair("a"), "b[dev]": pair("b")}, request(tmp_path), None)
    assert [item.key for item in found.diagnoses] == ["b[dev]"]
    assert found.notes == ("a[dev]: no diagnosis: 3 of 4 ps",)


def written(folder: Path, *names: str, device: str = "dev") -> Path:
    for name in names:
        write_record(folder, make_record(name, device=device, profile=summarise(PROFILE)))
    return folder


def test_of_two_folders_what_stands_on_both_sides_is_explained(tmp_path: Path) -> None:
    before, after = written(tmp_path / "b", "x", "y"), written(tmp_path / "a", "y", "z")
    found = run_diagnosis(request(tmp_path, before=before, after=after), announce)
    assert [item.key for item in found.diagnoses] == ["y[dev]"]
    assert set(found.notes) == {f"{name}[dev]: only one side has a record of it" for name in "xz"}


def test_device_and_name_choose_among_records(tmp_path: Path) -> None:
    for folder in ("b", "a"):
        written(tmp_path / folder, "x", "y")
        written(tmp_path / folder, "x", device="other")
    sides = {"before": tmp_path / "b", "after": tmp_path / "a"}
    found = run_diagnosis(request(tmp_path, **sides, expression="X["), announce)
    assert {item.key for item in found.diagnoses} == {"x[dev]", "x[other]"}
    options = GateOptions(root=tmp_path, devices=("other",))
    found = run_diagnosis(request(tmp_path, **sides, options=options), announce)
    assert [item.key for item in found.diagnoses] == ["x[other]"]
    with pytest.raises(NothingMeasuredError, match="no benchmark stands on both sides"):
        run_diagnosis(request(tmp_path, **sides, expression="none"), announce)


@pytest.mark.parametrize(
    "fields",
    [
        {"is_single": True, "at": "HEAD"},
        {"is_single": True, "before": "x"},
        {"at": "HEAD", "after": "x"},
        {"is_single": True, "bisection": "b.json"},
        {"before": "x"},
        {"after": "x"},
    ],
)
def test_options_that_say_nothing_about_the_chosen_sides_are_refused(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    paths = {name: tmp_path / str(value) if name != "at" else value for name, value in fields.items()}
    paths |= {"is_single": fields.get("is_single", False)}
    with pytest.raises(UsageError):
        run_diagnosis(request(tmp_path, **paths), announce)
