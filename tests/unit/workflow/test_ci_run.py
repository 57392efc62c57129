"""The gate as a step: its output is fenced, its files are where later steps look, its code is kept."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from perfgate.workflow.ci_records import Origin
from perfgate.workflow.ci_run import READER, origin_of, output_text, run_fenced, run_step

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "0123456789abcdef"  # noqa: S105 - a mark of this test
OPEN, CLOSE = f"::stop-commands::{TOKEN}\n", f"::{TOKEN}::\n"


def fenced(code: str) -> tuple[int, str]:
    written: list[bytes] = []
    exit_code = run_fenced([sys.executable, "-c", code], {}, written.append, token=TOKEN)
    return exit_code, b"".join(written).decode()


@pytest.mark.parametrize(
    "command", ["::set-output name=a::b", "::error::x", "::add-mask::e", f"::{'0' * 16}::"]
)
def test_commands_of_the_measured_code_stand_between_the_marks(command: str) -> None:
    code, text = fenced(f"import sys; print({command!r}); print({command!r}, file=sys.stderr)")
    assert code == 0
    assert text == f"{OPEN}{command}\n{command}\n{CLOSE}"


@pytest.mark.parametrize("end", ["", "x", "x\n", "\n\n"])
def test_the_end_mark_stands_on_a_line_of_its_own(end: str) -> None:
    _, text = fenced(f"import sys; sys.stdout.write({end!r})")
    assert text.endswith(f"\n{CLOSE}")
    assert text.count("\n") == 2 + len(end.splitlines())


def test_the_code_is_that_of_a_shell() -> None:
    assert fenced("raise SystemExit(12)")[0] == 12
    assert fenced("import os; os.kill(os.getpid(), 15)")[0] == 128 + 15


def test_output_that_is_no_text_passes_unchanged() -> None:
    written: list[bytes] = []
    code = "import sys; sys.stdout.buffer.write(bytes(range(256)))"
    run_fenced([sys.executable, "-c", code], {}, written.append, token=TOKEN)
    assert b"".join(written) == OPEN.encode() + bytes(range(256)) + b"\n" + CLOSE.encode()


def test_a_process_that_lives_on_is_not_heard_after_the_end_mark(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)  # opening it for reading waits for the one who opens it for writing
    child = f"open({str(go)!r}).read(); print('::error::late', flush=True)"
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]); print('done')"
    written: list[bytes] = []
    exit_code = run_fenced([sys.executable, "-c", code], {}, written.append, token=TOKEN, drain_seconds=0.1)
    with go.open("w"):
        pass
    for reader in [thread for thread in threading.enumerate() if thread.name == READER]:
        reader.join(30)
        assert not reader.is_alive()
    assert exit_code == 0
    assert b"".join(written).endswith(CLOSE.encode())


def test_the_command_learns_neither_the_token_nor_the_files_of_the_runner(tmp_path: Path) -> None:
    seen = tmp_path / "seen.json"
    (tmp_path / "conftest.py").write_text(
        "import json, os, pathlib, sys\n"
        f"pathlib.Path({str(seen)!r}).write_text(json.dumps([dict(os.environ), sys.orig_argv]))\n"
    )
    environment = {
        "GITHUB_OUTPUT": "o",
        "GITHUB_ENV": "e",
        "GITHUB_TOKEN": "t",
        "GITHUB_STEP_SUMMARY": "s",
        "GITHUB_EVENT_NAME": "push",
    }
    written: list[bytes] = []
    step = run_step(
        tmp_path / "out", ["--rootdir", str(tmp_path), str(tmp_path)], "", environment, written.append
    )
    text = b"".join(written).decode()
    token = re.match(r"::stop-commands::([0-9a-f]{64})\n", text)
    assert token is not None
    assert token[1] not in seen.read_text()
    variables, _ = json.loads(seen.read_text())
    assert variables.keys() & environment.keys() == {"GITHUB_EVENT_NAME"}
    assert text.endswith(f"::{token[1]}::\n")
    assert step.exit_code != 0
    assert step.verdict == "no verdict"  # the folder is no repository
    assert not step.report.exists()


def test_two_runs_draw_two_tokens(tmp_path: Path) -> None:
    tokens = set()
    for _ in range(2):
        written: list[bytes] = []
        run_step(tmp_path / "out", ["--version"], "", {}, written.append)
        tokens.add(written[0])
    assert len(tokens) == 2


def test_a_green_code_without_a_report_is_no_verdict(tmp_path: Path) -> None:
    step = run_step(
        tmp_path / "out", ["--version"], "", {}, lambda _: None
    )  # pytest ends with 0 and judges nothing
    assert (step.exit_code, step.verdict) == (11, "no verdict")


def test_a_report_of_an_earlier_call_is_not_believed(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    (folder / "records").mkdir(parents=True)
    (folder / "perfgate.json").write_text("{}")
    (folder / "records" / "old.json").write_text("{}")
    run_step(folder, ["--version"], "", {}, lambda _: None)
    assert [path.name for path in folder.rglob("*")] == ["origin.json"]


def test_two_calls_in_one_job_keep_their_files_apart(tmp_path: Path) -> None:
    for name in ("perfgate-records-a", "perfgate-records-b"):
        run_step(tmp_path / name, ["--version"], "", {}, lambda _: None)
    assert sorted(path.parent.name for path in tmp_path.rglob("origin.json")) == [
        "perfgate-records-a",
        "perfgate-records-b",
    ]


def test_the_origin_is_that_of_the_event(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7, "head": {"sha": "a" * 40}}}))
    environment = {"GITHUB_EVENT_PATH": str(event), "GITHUB_SHA": "c" * 40}
    assert origin_of(environment) == Origin(pull_request=7, head="a" * 40)
    event.write_text(json.dumps({"before": "b" * 40}))
    assert origin_of(environment) == Origin(pull_request=0, head="c" * 40)
    assert origin_of({}) == Origin(pull_request=0, head="")


def test_an_output_cannot_end_its_own_heredoc() -> None:
    draws = iter(["aa", "bb", "cc"])
    text = output_text("report", "x\naa\nverdict<<bb\n", lambda: next(draws))
    assert text == "report<<cc\nx\naa\nverdict<<bb\n\ncc\n"


def test_delimiters_are_drawn_anew_for_each_output() -> None:
    assert output_text("a", "b") != output_text("a", "b")
