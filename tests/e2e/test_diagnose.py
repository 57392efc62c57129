"""`perfgate diagnose`, and the cause that a red gate prints, on a repository with one guilty commit."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import msgspec
import pytest

from perfgate.baseline.store import decode_record, encode_record
from perfgate.cli.main import main
from perfgate.workflow import explaining
from perfgate.workflow.json_schemas import schema_of
from perfgate.zoo.catalogue import build
from tests.diagnosed_project import LAYOUT, RESNET, SUBJECT, SUITE, UNET, build_diagnosed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Project

Run = Callable[..., str]
FLAG = "deploy/convert.sh:6   --optypelayout=NCHW   (baseline: NHWC)"


@pytest.fixture(scope="module")
def regressed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The repository; a diagnosis changes nothing in it but `.perfgate`."""
    return build_diagnosed(tmp_path_factory.mktemp("regressed"))


@pytest.fixture
def perfgate(regressed: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A verb in this process: starting Python takes longer than a diagnosis of tiny models."""
    for name in os.environ:
        if name == "CI" or name.startswith(("GITHUB_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(regressed.folder)

    def run(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        captured = capsys.readouterr()
        assert ended.value.code == code, captured.err
        return captured.out if code in {0, 1} else captured.err

    return run


def diagnoses(said: str) -> dict[str, Any]:
    """By key, out of the JSON of a run; on a slow machine its progress on standard error comes behind."""
    report, _ = json.JSONDecoder().raw_decode(said)
    jsonschema.validate(report, schema_of("diagnosis"), cls=jsonschema.Draft202012Validator)
    return {f"{item['benchmark']}[{item['device']}]": item for item in report["diagnoses"]}


def sections(said: str) -> dict[str, str]:
    """The text of each diagnosis by its benchmark."""
    parts = re.split(r"^DIAGNOSIS  ", said, flags=re.MULTILINE)[1:]
    return {part.split()[0]: part for part in parts}


def test_a_regression_is_explained_by_operator_flag_commit_proof_and_fix(
    perfgate: Run, regressed: Project
) -> None:
    culprit = regressed.git("rev-parse", "--short=7", "HEAD^")
    said = perfgate("diagnose", "-v")
    for benchmark, part in sections(said).items():
        assert re.search(rf"flag +{re.escape(FLAG)}", part)
        assert re.search(rf'commit +{culprit} "tidy convert flags \\x1b\[31m`\|<b>".*\(touched by\)', part)
        assert re.search(r"proof +re-simulated with NHWC restored: .*, recovers 100.0 % of the delta", part)
        assert re.search(r"-> \S+ \(operator #\d+\)", part)
        assert re.search(r"^  1  high    .* -\S+ \S+  +-\S+ %   risk: ", part, re.MULTILINE)
        assert "guardrail: atc_convert: require --optypelayout=NHWC" in part
        other = "resnet" if benchmark == "unet" else "unet"
        assert re.search(rf"also hits +{other} on ascend-310p-like: latency \+\d", part)
    assert "deploy/convert.sh:6  --optypelayout=NCHW -> --optypelayout=NHWC" in sections(said)["unet"]
    assert list(sections(said)) == sorted(sections(said), key=lambda name: -worse_by(sections(said)[name]))
    assert len(sections(said)) == 2


def worse_by(part: str) -> float:
    (change,) = re.findall(r"^  latency .*?\+([\d.]+) %", part, re.MULTILINE)
    return float(change)


def test_the_second_benchmark_with_the_same_cause_refers_to_the_first(perfgate: Run) -> None:
    first, second = sections(perfgate("diagnose")).values()
    assert "FIXES" in first
    assert "FIXES" not in second
    assert f"cause     as of {first.split()[0]}[ascend-310p-like], confidence" in second


def test_json_and_markdown_hold_what_the_terminal_says(perfgate: Run, tmp_path: Path) -> None:
    files = tmp_path / "d.md", tmp_path / "d.json"
    found = diagnoses(perfgate("diagnose", "--json", "-", "-o", str(files[0]), "-o", str(files[1])))
    assert set(found) == {UNET, RESNET}
    assert diagnoses(files[1].read_text()) == found
    markdown = files[0].read_text()
    for item in found.values():
        parts = item["attribution"]
        assert sum(row["after"] - row["before"] for row in parts["rows"]) + parts["residual"] == (
            parts["after"] - parts["before"]
        )
        assert [len(trace) for trace in set(item["traces"])] == [32, 32]
        assert item["causes"][0]["difference"]["name"] == "--optypelayout"
        assert item["causes"][0]["commit"]["relation"] == "touched by"
        assert f"## Diagnosis: `{item['benchmark']}` on `ascend-310p-like`" in markdown


def bisection(tmp_path: Path, benchmark: str) -> str:
    suspect = {"commit": "b" * 40, "subject": "by bisection", "author": "Ada", "date": ""}
    finding = {"culprit": {"suspects": [suspect], "chance": 0.998}}
    file = tmp_path / "bisect.json"
    file.write_text(json.dumps({"results": [{"benchmark": benchmark, "findings": [finding]}]}))
    return str(file)


def test_a_bisection_names_the_commit_with_its_probability(perfgate: Run, tmp_path: Path) -> None:
    found = perfgate("diagnose", "-k", "unet", "--bisect", bisection(tmp_path, UNET))
    assert re.search(r'commit +bbbbbbb "by bisection"   \(bisection, probability 0\.998\)', found)
    assert "no such file" in perfgate("diagnose", "--bisect", "none.json", code=2)


def test_a_commit_is_explained_against_its_parent_whatever_came_later(
    perfgate: Run, regressed: Project
) -> None:
    culprit = regressed.git("rev-parse", "HEAD^")
    said = perfgate("diagnose", "--at", culprit, "-k", "unet")
    # There the flag still stands in line 4: two lines of comment came with the next commit.
    assert "deploy/convert.sh:4   --optypelayout=NCHW   (baseline: NHWC)" in said
    assert re.search(rf'commit +{culprit[:7]} "tidy convert flags', said)
    nothing = sections(perfgate("diagnose", "--at", "HEAD", "-k", "unet"))["unet"]
    assert "ROOT CAUSE  none: both traced executions take the same time" in nothing
    assert "no commit named 'nowhere'" in perfgate("diagnose", "--at", "nowhere", code=2)


def test_a_base_without_the_benchmark_is_said(perfgate: Run, regressed: Project) -> None:
    start = regressed.git("rev-list", "--max-parents=0", "HEAD")
    regressed.git("checkout", "-q", "-b", "fewer", start)
    regressed.replace("perf_models.yaml", '  - {name: resnet, model: "zoo:resnet50", preset: tiny}\n', "")
    fewer = regressed.commit("only one benchmark yet")
    regressed.git("checkout", "-q", "main")
    said = perfgate("diagnose", "--at", "main", "--base", fewer)
    assert list(sections(said)) == ["unet"]
    assert f"note: {RESNET}: {fewer[:7]} has no such benchmark, so there is nothing to compare with" in said
    assert "has no such benchmark" in perfgate(
        "diagnose", "--at", "main", "--base", fewer, "-k", "resn", code=11
    )


@pytest.mark.parametrize(
    ("focus", "head"),
    [("memory", "WHERE THE BYTES WENT"), ("power_consumption", "WHERE THE ENERGY WENT")],
)
def test_another_metric_is_explained_in_its_unit(perfgate: Run, focus: str, head: str) -> None:
    said = perfgate("diagnose", "-k", "unet", "--focus", focus)
    assert head in said
    assert "ROOT CAUSE" in said


def test_without_a_baseline_the_fixes_count_from_now(perfgate: Run) -> None:
    said = perfgate("diagnose", "--single", "-k", "unet")
    assert "baseline" not in said
    assert "WHERE THE TIME WENT" not in said
    assert re.search(r"each re-simulated alone from now", said)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--single", "--at", "HEAD"), "two ways to choose the sides: --single, --at"),
        (("--before", "a", "--after", "b", "--single"), "two ways to choose the sides"),
        (("--single", "--bisect", "b.json"), "nothing regressed without a baseline"),
        (("--baseline", "a"), "one side is missing"),
        (("--baseline", "a", "--input", "b"), "no such folder of records"),
        (("-o", "report.pdf"), "no form of a diagnosis is called '.pdf'"),
        (("--focus", "beauty"), "'beauty' is not one of"),
    ],
)
def test_what_cannot_be_answered_is_refused_before_anything_is_measured(
    perfgate: Run, arguments: tuple[str, ...], word: str
) -> None:
    assert word in perfgate("diagnose", *arguments, code=2)


@pytest.fixture(scope="module")
def recorded(regressed: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders `before` and `after` of records with their profiles, as another machine would send them."""
    folder = tmp_path_factory.mktemp("recorded")
    for name, revision in (("before", "origin/main"), ("after", "main")):
        done = regressed.perfgate("record", "--at", revision, "-o", str(folder / name), "--profile")
        assert done.code == 0, done.text
    return folder


def test_records_of_another_machine_are_explained_as_far_as_they_tell(
    perfgate: Run, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # no repository, no suite: nothing can be simulated again
    sides = ("--baseline", str(recorded / "before"), "--input", str(recorded / "after"))
    found = diagnoses(perfgate("diagnose", *sides, "--json", "-"))
    assert set(found) == {UNET, RESNET}
    for item in found.values():
        first = item["causes"][0]
        assert first["difference"]["name"] == "--optypelayout"
        assert first["confidence"] <= 0.60
        assert item["simulations"] == 0
        assert all(fix.get("after") is None for fix in item["fixes"])
    said = perfgate("diagnose", *sides, "-k", "unet")
    assert "estimated, nothing could be re-simulated" in said
    assert FLAG in said


def test_records_of_this_repository_are_simulated_again_beside_it(perfgate: Run, recorded: Path) -> None:
    one = ("unet", "ascend-310p-like")
    files = [next((recorded / side).rglob(f"{one[0]}.json")) for side in ("before", "after")]
    said = perfgate("diagnose", "--before", str(files[0]), "--after", str(files[1]))
    assert "re-simulated with NHWC restored" in said
    assert "commit  " not in said  # nobody knows which commits lie between


def test_a_bisection_speaks_for_records_as_well(perfgate: Run, recorded: Path, tmp_path: Path) -> None:
    sides = ("--before", str(recorded / "before"), "--after", str(recorded / "after"))
    assert "(bisection, probability 0.998)" in perfgate(
        "diagnose", *sides, "--bisect", bisection(tmp_path, UNET)
    )


def test_a_record_without_a_profile_is_said_and_is_no_failure(
    perfgate: Run, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(recorded, tmp_path / "kept")
    for path in (tmp_path / "kept").rglob("*.json"):
        if path.name.endswith(".profile.json"):
            path.unlink()
        else:
            record = decode_record(path.read_bytes(), str(path))
            path.write_text(encode_record(msgspec.structs.replace(record, profile=None)))
    monkeypatch.chdir(tmp_path)
    said = perfgate("diagnose", "--before", "kept/before", "--after", "kept/after", "-k", "unet")
    assert "note: the measurement has no profile" in said
    assert f"also changed, its effect is not known: {FLAG}" in said
    assert "ROOT CAUSE  no cause found" in said


def test_a_record_on_one_side_only_is_named(perfgate: Run, recorded: Path, tmp_path: Path) -> None:
    shutil.copytree(recorded, tmp_path / "kept")
    for path in (tmp_path / "kept" / "before").rglob("resnet*"):
        path.unlink()
    sides = ("--before", str(tmp_path / "kept/before"), "--after", str(tmp_path / "kept/after"))
    assert f"note: {RESNET}: only one side has a record of it" in perfgate("diagnose", *sides)
    assert "no benchmark stands on both sides" in perfgate("diagnose", *sides, "-k", "resnet", code=11)


def test_outside_of_git_there_is_nothing_to_compare_with(
    perfgate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert "not a git repository" in perfgate("diagnose", code=12)  # as `perfgate check` answers
    assert "no git repository" in perfgate("diagnose", "--at", "HEAD", code=2)


def test_an_edit_that_is_no_commit_yet_blames_nobody(
    perfgate: Run, regressed: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    edited = regressed.copy(tmp_path / "edited")
    edited.git("checkout", "-q", "origin/main")
    edited.replace(*LAYOUT)
    monkeypatch.chdir(edited.folder)
    said = perfgate("diagnose", "-k", "unet")
    assert "deploy/convert.sh:4   --optypelayout=NCHW   (baseline: NHWC)" in said
    assert "     commit  " not in said


def test_an_unchanged_tree_has_nothing_to_explain_and_says_so(
    perfgate: Run, regressed: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    healthy = regressed.copy(tmp_path / "healthy")
    healthy.git("checkout", "-q", "origin/main")
    monkeypatch.chdir(healthy.folder)
    said = perfgate("diagnose")
    assert said.strip().endswith("note: no benchmark regressed, so there is nothing to explain")
    asked = perfgate("diagnose", "-k", "unet")
    assert "ROOT CAUSE  none: both traced executions take the same time" in asked
    assert "FIXES" not in asked


def test_a_red_check_prints_the_cause_with_its_fix_and_keeps_the_diagnosis(
    perfgate: Run, regressed: Project
) -> None:
    said = perfgate("check", code=1)
    assert re.search(r"cause 0\.\d\d: deploy/convert.sh:6 --optypelayout NHWC -> NCHW at #\d+ \S+", said)
    assert re.search(r"fix: restore flag --optypelayout: -\d\S* \S+, -\d\S* %, re-simulated", said)
    (kept,) = set(re.findall(r"perfgate optimize --diagnosis (\S*unet\S*) -o plan/", said))
    assert json.loads((regressed.folder / kept).read_text())["benchmark"] == "unet"


def test_a_red_test_run_prints_the_cause_as_well(regressed: Project) -> None:
    done = regressed.pytest("-k", "unet")
    assert done.code == 1, done.text
    assert re.search(r"cause 0\.\d\d: deploy/convert.sh:6 --optypelayout NHWC -> NCHW at #\d+ \S+", done.out)
    assert "next: perfgate optimize --diagnosis .perfgate/diagnoses/" in done.out


def test_operators_of_a_model_cannot_write_to_the_terminal_or_to_a_page(
    perfgate: Run, regressed: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = build("resnet50", "tiny")
    for node in model.graph.node:
        node.name = f"x\x1b[31m\u202e`|<b> {node.name}"
    evil = regressed.copy(tmp_path / "evil")
    suite = SUITE.replace('"zoo:resnet50", preset: tiny', "models/evil.onnx")
    evil.git("checkout", "-q", "origin/main")
    evil.commit("another model", {"perf_models.yaml": suite, "models/evil.onnx": model.SerializeToString()})
    evil.replace(*LAYOUT)
    evil.commit(SUBJECT)
    monkeypatch.chdir(evil.folder)
    said = perfgate("diagnose", "--at", "HEAD", "-k", "resnet", "-o", "d.md")
    assert "x\\x1b[31m\\u202e`|<b>" in said
    for text in (said, (evil.folder / "d.md").read_text()):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    assert "`x" not in re.sub(r"`[^`]*`", "", (evil.folder / "d.md").read_text())


def test_a_diagnosis_that_breaks_never_changes_the_verdict(
    perfgate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verdicts(said: str) -> list[tuple[str, str]]:
        return [(item["benchmark"], item["verdict"]) for item in json.loads(said)["verdicts"]]

    sound = json.loads(perfgate("check", "--json", "-", code=1))
    for broken in (ValueError("a fault of ours"), ArithmeticError("parts do not sum"), RecursionError()):

        def breaks(*_: object, problem: Exception = broken, **__: object) -> None:
            raise problem

        monkeypatch.setattr(explaining, "diagnose", breaks)
        found = perfgate("check", "--json", "-", code=1)
        assert verdicts(found) == [(item["benchmark"], item["verdict"]) for item in sound["verdicts"]]
        assert any("no diagnosis" in note for note in json.loads(found)["notes"])
