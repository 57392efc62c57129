"""Broken input of every kind: the exit code of the design, one line with file and remedy, no traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Project, Result

BASELINE = "baselines/ascend-310p-like/resnet50.json"


def said(done: Result, *words: str) -> bool:
    """All words stand in one line, and nothing looks like a traceback."""
    assert "Traceback" not in done.text, done.text
    assert "INTERNALERROR" not in done.text, done.text
    return any(all(word in line for word in words) for line in done.text.splitlines())


def rebase(project: Project) -> None:
    """What is committed now is the trusted base."""
    project.commit("as the base")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")


@pytest.mark.parametrize("is_in_base", [True, False])
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (None, "", ("broken JSON",)),
        ("}", "", ("broken JSON",)),
        ('"runs": [', '"runs": [NaN, ', ("NaN is no JSON number",)),
        ('"cycles": ', '"cycles": 9', ("digest",)),
    ],
    ids=["empty", "truncated", "NaN", "edited"],
)
def test_an_unusable_baseline_is_12_and_the_others_are_judged(
    project: Project, old: str | None, new: str, words: tuple[str, ...], *, is_in_base: bool
) -> None:
    path = project.folder / BASELINE
    text = path.read_text()
    path.write_text(new if old is None else text.replace(old, new))
    if is_in_base:
        rebase(project)
    for done in (project.perfgate("check"), project.pytest()):
        assert done.code == 12, done.text
        assert said(done, BASELINE, "git checkout", *words), done.text
        assert f"{3 if is_in_base else 4} unchanged" in done.out


@pytest.mark.parametrize(
    ("files", "code", "pytest_code", "words"),
    [
        (
            {"perf_models.yaml": "version: 1\nbenchmarks:\n  - {name: [}\n"},
            2,
            2,
            ("perf_models.yaml:3", "broken YAML"),
        ),
        (
            {"perf_models.yaml": "version: 1\nbenchmarks:\n  - {nme: a}\n"},
            2,
            2,
            ("perf_models.yaml:3:6", "did you mean 'name'?"),
        ),
        (
            {"perfgate.yaml": "version: 1\npolicy: [{match: '*', min_effect: 5}]\n"},
            12,
            12,
            ("perfgate.yaml:2", "'1%'"),
        ),
        ({"guardrails.yaml": "atc_convert: [require\n"}, 12, 12, ("guardrails.yaml",)),
    ],
    ids=["suite syntax", "suite key", "policy", "guardrails"],
)
def test_broken_files_of_the_change_stop_the_run(
    project: Project, files: dict[str, str | bytes], code: int, pytest_code: int, words: tuple[str, ...]
) -> None:
    project.write(files)
    checked = project.perfgate("check")
    assert checked.code == code, checked.text
    assert said(checked, *words), checked.text
    tested = project.pytest()
    assert tested.code == pytest_code, tested.text
    assert said(tested, *words), tested.text


def test_an_empty_suite_compares_nothing_and_is_never_green(project: Project) -> None:
    project.write({"perf_models.yaml": "version: 1\nbenchmarks: []\n"})
    checked = project.perfgate("check")
    assert checked.code == 11, checked.text
    assert said(checked, "no benchmark is defined", "perf_*.yaml")
    tested = project.pytest()
    assert tested.code == 11, tested.text
    assert "4 missing" in tested.out


def test_a_missing_base_commit_is_12_with_the_fetch_depth(project: Project) -> None:
    for done in (project.perfgate("check", "--base", "f" * 40), project.pytest("--perfgate-base", "f" * 40)):
        assert done.code == 12, done.text
        assert said(done, "perfgate: ", "base", "f" * 40), done.text


def test_a_model_cut_in_half_is_invalid_and_the_others_are_judged(project: Project) -> None:
    import onnx  # noqa: PLC0415 - only this test needs a model file

    from perfgate.zoo.catalogue import build  # noqa: PLC0415 - the same

    whole = build("sd_unet", "tiny").SerializeToString()
    assert onnx.load_from_string(whole)
    project.replace("perf_models.yaml", "onnx:light_resnet50", "models/half.onnx")
    project.write({"models/half.onnx": whole[: len(whole) // 2]})
    for done in (project.perfgate("check"), project.pytest()):
        assert done.code == 11, done.text
        assert said(done, "models/half.onnx"), done.text
        assert "2 unchanged" in done.out


def test_no_repository_and_no_suite_say_what_to_do(project: Project) -> None:
    (project.folder / ".git").rename(project.folder / "not-git")
    done = project.perfgate("check")
    assert done.code == 12
    assert said(done, "not a git repository", "git init")
    recorded = project.perfgate("record", "-o", "records")
    assert recorded.code == 0, recorded.text


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--perfgate-min-effect", "abc", ("--perfgate-min-effect", "'abc'", "'1%'")),
        ("--perfgate-min-effect", "150%", ("2.5 times or 1.5 times",)),
        ("--perfgate-runs", "0", ("--perfgate-runs", "'0'")),
        ("--perfgate-baselines", "../elsewhere", ("--perfgate-baselines", "leaves the repository")),
    ],
)
def test_a_bad_option_is_a_usage_error_of_pytest(
    project: Project, option: str, value: str, words: tuple[str, ...]
) -> None:
    done = project.pytest(option, value)
    assert done.code == 4, done.text
    assert said(done, *words), done.text


def test_a_bad_ini_value_names_the_key_and_its_file(project: Project) -> None:
    project.write({"pytest.ini": "[pytest]\nperfgate_min_effect = abc\n"})
    done = project.pytest()
    assert done.code == 4, done.text
    assert said(done, "perfgate_min_effect in pytest.ini", "'abc'"), done.text


def test_an_unknown_ini_key_is_named_with_the_nearest_one(project: Project) -> None:
    project.write({"pytest.ini": "[pytest]\nperfgate_min_efect = 1%\n"})
    done = project.pytest("-k", "resnet50")
    assert said(done, "unknown ini key perfgate_min_efect in pytest.ini", "did you mean 'min_effect'?"), (
        done.text
    )


def test_a_change_that_deletes_a_baseline_is_red_and_removing_the_benchmark_is_missing(
    project: Project,
) -> None:
    (project.folder / BASELINE).unlink()
    for done in (project.perfgate("check"), project.pytest()):
        assert done.code == 12, done.text
        assert said(done, "the change deletes the baseline of a benchmark", BASELINE, "restore the file")
        assert "4 unchanged" in done.out
    project.replace("perf_models.yaml", "name: resnet50", "name: resnet_fifty")
    gone = project.perfgate("check")
    assert gone.code == 1
    assert "deletes the baseline" not in gone.out
    assert "missing" in gone.out


def test_a_deleted_suite_file_leaves_every_benchmark_missing_in_both_faces(project: Project) -> None:
    (project.folder / "perf_models.yaml").unlink()
    for done in (project.perfgate("check"), project.pytest()):
        assert done.code == 11, done.text
        assert done.out.count("missing on ascend-310p-like") >= 2, done.text
        assert "NOTHING COMPARED" in done.out


def test_what_cannot_be_measured_is_said_once_with_its_device_in_front(project: Project) -> None:
    project.replace("perf_models.yaml", "model: zoo:sd_unet", "model: models/absent.onnx")
    project.replace("perf_models.yaml", "    preset: poster\n", "")
    done = project.perfgate("check", "-k", "sd_unet[ascend-310p-like]")
    assert done.code == 11, done.text
    head = "invalid on ascend-310p-like: the model is missing: models/absent.onnx"
    assert sum(head in line for line in done.out.splitlines()) == 1
    assert sum("the model is missing" in line for line in done.out.splitlines()) == 1, done.out
    assert "correct the path, or add the file on" not in done.out


def test_a_shallow_clone_that_judges_itself_says_so(project: Project, tmp_path: Path) -> None:
    clone = project.copy(tmp_path / "other")
    clone.folder = project.clone(tmp_path / "shallow", "--depth", "1").folder
    for done in (clone.perfgate("check"), clone.pytest()):
        assert done.code == 0, done.text
        assert said(done, "note: the base is HEAD itself, because this clone is shallow"), done.text


def test_a_budget_that_fits_no_benchmark_has_a_row_and_a_note(project: Project) -> None:
    project.write(
        {"guardrails.yaml": "rules: [{id: b, budget: {metric: latency, max: 33ms, device: warp}}]\n"}
    )
    project.commit("a budget")
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    done = project.perfgate("check", "-k", "resnet50")
    assert done.code == 0, done.text
    assert said(done, "*[warp]", "latency", "<=33ms", "unknown")
    assert said(done, "note: guardrails.yaml:1", "no benchmark is a *[warp]")
    assert said(project.pytest("-k", "resnet50"), "no benchmark is a *[warp]")
