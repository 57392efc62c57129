"""The command line as a whole: what `-v` shows, and files that verbs write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from perfgate.cli import doctor as doctor_module
from perfgate.cli.main import main


def run(*arguments: str) -> int:
    """The exit code of `perfgate ...`."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(str(ended.value.code))


@pytest.mark.parametrize("asked", [["-vv"], ["-v", "-v"], ["-qvv"], ["--verbose", "--verbose"]])
def test_twice_verbose_raises_the_error_itself(monkeypatch: pytest.MonkeyPatch, asked: list[str]) -> None:
    def fail(*_: object) -> None:
        raise LookupError("broken")

    monkeypatch.setattr(doctor_module, "examine", fail)
    assert run("-v", "doctor") == 2
    with pytest.raises(LookupError, match="broken"):
        main([*asked, "doctor"])


def test_fixes_that_cannot_be_written_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "guardrails.yaml").write_text("version: 1\n", encoding="utf-8")
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    assert run("guard", "--fix", "-o", "file/fixes.diff") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_init_keeps_every_byte_of_gitignore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "guardrails.yaml").write_text("version: 1\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_bytes(b"caf\xe9\r\n")
    monkeypatch.chdir(tmp_path)
    assert run("init") == 0
    assert (tmp_path / ".gitignore").read_bytes() == b"caf\xe9\r\n.perfgate/\n"


@pytest.mark.parametrize(
    "verb", [["check"], ["doctor"], ["baseline", "list"], ["baseline", "update", "--reason", "r"]]
)
def test_a_baselines_folder_outside_is_refused(verb: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*verb, "--baselines", "../elsewhere") == 2
    assert "'../elsewhere' leaves the repository: --baselines" in capsys.readouterr().err


def test_a_reader_that_leaves_is_141() -> None:
    command = [sys.executable, "-m", "perfgate.cli.main", "guard", "schema"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - our own
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait() == 141


def test_a_closed_standard_output_does_not_hide_the_verdict() -> None:
    command = f"{sys.executable} -m perfgate.cli.main guard schema >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - our own
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_standard_output_is_one_line() -> None:
    command = f"{sys.executable} -m perfgate.cli.main guard schema >/dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - our own
    assert done.returncode == 2
    assert done.stderr == (
        "perfgate: no space left on device: standard output: free it, or name another place\n"
    )
