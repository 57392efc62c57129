from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from perfgate.cli import diagnose as command
from perfgate.core.diagnosis import Diagnosis, Focus
from perfgate.core.errors import ExitCode
from perfgate.workflow.diagnosing import Diagnosed, DiagnoseRequest
from tests.diagnoses import diagnosis


def diagnosed(*found: Diagnosis, code: ExitCode = ExitCode.FAIL, notes: tuple[str, ...] = ()) -> Diagnosed:
    return Diagnosed(diagnoses=found, verdicts=(), notes=notes, exit_code=code)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[DiagnoseRequest]:
    """What the workflow was asked; it answers with the incident."""
    requests: list[DiagnoseRequest] = []

    def run(request: DiagnoseRequest, _: object) -> Diagnosed:
        requests.append(request)
        return diagnosed(diagnosis())

    monkeypatch.setattr(command, "run_diagnosis", run)
    return requests


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(command.diagnose, list(arguments), obj={"quiet": True, "verbose": 0})
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("words", "focus"),
    [
        ((), Focus.LATENCY),
        (("--focus", "tail"), Focus.TAIL),
        (("--focus", "latency_regression"), Focus.LATENCY),
        (("--focus", "latency_spike"), Focus.TAIL),
        (("--focus", "power_consumption"), Focus.ENERGY),
        (("--focus", "memory"), Focus.MEMORY),
    ],
)
def test_a_focus_goes_by_its_name_or_by_that_of_the_problem(
    asked: list[DiagnoseRequest], words: tuple[str, ...], focus: Focus
) -> None:
    assert run(*words)[0] == 0
    assert asked[0].focus is focus


def test_the_two_sides_have_two_names_each(asked: list[DiagnoseRequest]) -> None:
    run("--baseline", "a", "--input", "b")
    run("--before", "a", "--after", "b")
    assert [(item.before, item.after) for item in asked] == [(Path("a"), Path("b"))] * 2


def test_an_explained_regression_is_no_failure_of_the_verb(asked: list[DiagnoseRequest]) -> None:
    code, said = run()
    assert code == 0
    assert "ROOT CAUSE" in said
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (diagnosed(code=ExitCode.NOTHING), 11),
        (diagnosed(code=ExitCode.UNUSABLE), 12),
        (diagnosed(code=ExitCode.FAIL), 0),
        (diagnosed(diagnosis(), code=ExitCode.UNUSABLE), 0),
    ],
)
def test_only_what_could_not_be_compared_at_all_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, found: Diagnosed, code: int
) -> None:
    monkeypatch.setattr(command, "run_diagnosis", lambda *_: found)
    assert run()[0] == code


def test_notes_of_the_run_come_last_and_hostile_ones_stay_text(monkeypatch: pytest.MonkeyPatch) -> None:
    found = diagnosed(diagnosis(), notes=("x\x1b[31m[d]: no diagnosis",))
    monkeypatch.setattr(command, "run_diagnosis", lambda *_: found)
    said = run()[1]
    assert said.splitlines()[-1] == "note: x\\x1b[31m[d]: no diagnosis"


def test_one_cause_of_two_benchmarks_is_told_once_and_with_v_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    two = diagnosed(diagnosis(), msgspec.structs.replace(diagnosis(), benchmark="resnet50"))
    monkeypatch.setattr(command, "run_diagnosis", lambda *_: two)
    assert run()[1].count("FIXES") == 1
    told = CliRunner().invoke(command.diagnose, [], obj={"quiet": True, "verbose": 1}).output
    assert told.count("FIXES") == 2


def test_files_are_written_in_the_form_of_their_name_and_others_refused_at_once(
    asked: list[DiagnoseRequest], tmp_path: Path
) -> None:
    markdown, report = tmp_path / "d.md", tmp_path / "d.json"
    assert run("-o", str(markdown), "-o", str(report))[0] == 0
    assert markdown.read_text().startswith("## Diagnosis: `sd_unet`")
    assert msgspec.json.decode(report.read_bytes())["schema"] == "perfgate/diagnoses/1"
    asked.clear()
    assert run("-o", str(tmp_path / "report.pdf"))[0] != 0
    assert asked == []


def test_json_alone_stands_on_standard_output(asked: list[DiagnoseRequest]) -> None:
    said = run("--json", "-")[1]
    assert msgspec.json.decode(said)["diagnoses"][0]["benchmark"] == "sd_unet"
    assert len(asked) == 1
