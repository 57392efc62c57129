"""`perfgate trace` in a scripted repository: measured now, at a commit, out of files; its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perfgate.cli.main import main
from tests.repositories import Repository

SUITE = """\
version: 1
defaults: {devices: [ascend-310p-like, ascend-910b-like]}
benchmarks:
  - name: unet
    model: zoo:sd_unet
    preset: tiny
    compile: {from: convert.sh, command: atc}
  - {name: unet_large, model: "zoo:sd_unet", preset: tiny, iterations: 30000}
  - {name: sleep, backend: python, call: "work:work"}
"""
CONVERT = "atc --framework=5 --model=unet.onnx --output=unet --precision_mode=force_fp16 --optypelayout={}\n"
ONE = ("-k", "unet", "--device", "ascend-310p-like")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """`good` converts to NHWC, the working tree to NCHW."""
    made = Repository(tmp_path_factory.mktemp("trace") / "project")
    files: dict[str, str | bytes] = {"perf_models.yaml": SUITE, "work.py": "def work(): return 1\n"}
    made.commit("good", files | {"convert.sh": CONVERT.format("NHWC")})
    made.git("tag", "good")
    made.commit("bad", {"convert.sh": CONVERT.format("NCHW")})
    return made


@pytest.fixture(autouse=True)
def inside(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository.folder)


def run(*arguments: str) -> int:
    """The exit code of `perfgate trace ...`, in this process."""
    with pytest.raises(SystemExit) as ended:
        main(["trace", *arguments])
    return int(str(ended.value.code))


def error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line of a usage error."""
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def folded_total(text: str, column: int = -1) -> int:
    return sum(int(line.split(" ")[column]) for line in text.splitlines())


def test_a_commit_beside_the_working_tree_is_one_timeline(tmp_path: Path) -> None:
    file = tmp_path / "new" / "trace.json"
    assert run(*ONE, "--before", "good", "--format", "chrome", "-o", str(file)) == 0
    trace = json.loads(file.read_bytes())
    before, now = trace["otherData"]["profiles"]
    assert (before["label"], now["label"]) == ("before: good", "now")
    assert now["latency_ns"] > before["latency_ns"]
    assert trace["otherData"]["title"] == "unet[ascend-310p-like]"
    assert list(file.parent.iterdir()) == [file]


def test_the_same_files_give_the_same_bytes_now_and_at_a_commit(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    texts = []
    for asked in ((), ("--at", "HEAD")):
        assert run(*ONE, *asked, "--format", "folded", "-o", "-") == 0
        texts.append(capfdbinary.readouterr().out)
    assert texts[0] == texts[1] != b""


def test_profile_files_are_compared_without_a_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for place, asked in (("old", ("--at", "good")), ("new", ())):
        with pytest.raises(SystemExit):
            main(["-q", "record", *ONE, *asked, "--runs", "1", "--profile", "-o", str(tmp_path / place)])
        files.append(tmp_path / place / "ascend-310p-like" / "unet.profile.json")
    monkeypatch.chdir(tmp_path)
    assert (
        run(str(files[1]), "--before", str(files[0]), "--format", "folded", "--diff", "-o", "d.folded") == 0
    )
    text = (tmp_path / "d.folded").read_text(encoding="utf-8")
    totals = [json.loads(file.read_bytes())["application"]["total_ps"] for file in files]
    assert [folded_total(text, column) for column in (-2, -1)] == [(total + 500) // 1000 for total in totals]
    assert run(str(files[0]), "--format", "speedscope", "-o", "s.json") == 0
    assert json.loads((tmp_path / "s.json").read_bytes())["name"] == "unet.profile.json"
    assert "speedscope of unet.profile.json" in capsys.readouterr().out


def test_repeats_beyond_the_limit_are_said_apart_from_the_file(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("-k", "unet_large", "--device", "ascend-310p-like", "--format", "chrome", "-o", "-") == 0
    captured = capfd.readouterr()
    assert json.loads(captured.out)["otherData"]["profiles"][0]["steps"][0]["times"] == 30_000
    assert "each program is drawn once; the execution runs" in captured.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-k", "unet", "--format", "chrome"), "2 benchmarks match, a trace is of one"),
        (("-k", "sleep", "--format", "chrome"), "has no profile: its backend 'python' traces nothing"),
        ((*ONE, "--format", "chrome", "--diff"), "only folded stacks have two counts: --diff"),
        ((*ONE, "--format", "folded", "--diff"), "there is nothing to compare with: --diff"),
        ((*ONE, "--format", "folded", "--before", "good"), "need two counts: --before: add --diff"),
        ((*ONE, "--format", "chrome", "--before", "nowhere"), "no commit named 'nowhere': --before"),
        ((*ONE, "--format", "chrome", "--before", "none.json"), "cannot be read, no such file"),
        (("none.json", "--format", "chrome"), "cannot be read, no such file or directory: none.json"),
        (("work.py", "--format", "chrome"), "broken JSON"),
        (("none.json", "-k", "unet", "--format", "chrome"), "nothing is chosen or measured: none.json"),
        (("none.json", "--before", "good", "--format", "chrome"), "which benchmark to measure at a commit"),
    ],
)
def test_what_cannot_be_traced_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    assert words in error(capsys, *arguments, "-o", str(tmp_path / "t.json"))
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_place_is_one_line_and_leaves_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for target in (tmp_path / "file" / "t.json", tmp_path):
        assert "cannot be written" in error(capsys, *ONE, "--format", "folded", "-o", str(target))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert not Path(f"{tmp_path}.part").exists()


def test_a_benchmark_that_a_commit_does_not_have_is_named(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = repository.folder / "perf_models.yaml"
    suite.write_text(SUITE.replace("name: unet\n", "name: renamed\n"), encoding="utf-8")
    try:
        words = error(capsys, "-k", "renamed", "--device", "ascend-310p-like", "--before", "good",
                      "--format", "chrome", "-o", "t.json")  # fmt: skip
    finally:
        suite.write_text(SUITE, encoding="utf-8")
    assert "renamed[ascend-310p-like] is not a benchmark of good: --before" in words
