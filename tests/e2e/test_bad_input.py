"""Broken input of every kind: the exit code of the design, one line with file and remedy, no traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
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
