"""`perfgate ci`: what the steps of a job read and write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from perfgate.cli import ci as ci_module
from perfgate.cli.main import main
from perfgate.core.codec import plain, readable_json
from tests.check_reports import make_report, red_report, unchanged
from tests.github_server import HEAD, Server

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _outside_github(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "GITHUB_STEP_SUMMARY",
        "GITHUB_OUTPUT",
        "GITHUB_EVENT_PATH",
        "GITHUB_TOKEN",
        "GITHUB_API_URL",
    ):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str) -> int:
    """The exit code of `perfgate ci ...`."""
    with pytest.raises(SystemExit) as ended:
        main(["ci", *arguments])
    return int(str(ended.value.code))


def written(path: Path, report: object) -> str:
    path.write_text(readable_json(plain(report)), encoding="utf-8")
    return str(path)


def test_a_summary_is_appended_to_the_file_of_the_runner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "summary.md"
    target.write_text("of another step\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(target))
    assert run("summary", "--report", written(tmp_path / "r.json", red_report())) == 0
    assert target.read_text("utf-8").startswith(
        "of another step\n### ❌ perfgate: 1 of 40 benchmarks regressed"
    )


def test_outside_a_job_the_summary_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("summary", "--report", written(tmp_path / "r.json", make_report(unchanged("a")))) == 0
    assert capsys.readouterr().out.startswith("### ✅ perfgate: all 1 benchmarks green")


def test_a_run_without_a_report_is_never_summarised_green(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("summary", "--report", str(tmp_path / "none.json"), "--exit-code", "12") == 0
    assert run("annotate", "--report", str(tmp_path / "none.json")) == 0
    assert (
        capsys.readouterr().out
        == "### ❌ perfgate: it ended before the decision (exit 12); the log says why\n"
    )


@pytest.mark.parametrize("verb", ["summary", "annotate"])
def test_a_report_that_cannot_be_read_is_one_line_and_12(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "r.json"
    broken.write_text('{"schema": "perfgate/check/1"', encoding="utf-8")
    assert run(verb, "--report", str(broken)) == 12
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_annotations_are_workflow_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("annotate", "--report", written(tmp_path / "r.json", red_report())) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("::error file=deploy/convert.sh,line=14,")


@pytest.mark.parametrize(
    ("name", "words"),
    [("../outside", "begin the name with perfgate-records"), ("perfgate-records/../../x", "no plain name")],
)
def test_an_artefact_name_that_leaves_the_folder_is_refused(
    name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("run", "--artifact", name) == 2
    assert words in capsys.readouterr().err


def test_arguments_with_an_open_quote_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", "--artifact", "perfgate-records", "--arguments", "-k 'a") == 2
    assert "no closing quotation" in capsys.readouterr().err.lower()


def test_a_comment_needs_an_event_and_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("comment") == 2
    event = tmp_path / "event.json"
    event.write_text("{}", encoding="utf-8")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    assert run("comment") == 2
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    assert run("comment") == 2
    first, second, third = capsys.readouterr().err.splitlines()
    assert "GITHUB_EVENT_PATH" in first
    assert "GITHUB_TOKEN" in second
    assert "not the expected form" in third


def test_a_comment_that_is_not_there_is_a_warning_and_exit_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = {"id": 1, "full_name": "org/models", "default_branch": "main"}
    finished = {
        "id": 99,
        "event": "pull_request",
        "head_sha": HEAD,
        "head_branch": "feature\n::error::x",
        "head_repository": {"id": 2, "full_name": "ada/fork"},
    }
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"workflow_run": finished, "repository": repository}), encoding="utf-8")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    monkeypatch.setattr(ci_module, "https_transport", Server(pulls=[]))
    assert run("comment") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line == "::warning title=perfgate::no comment: 0 open pull requests have this head commit"
