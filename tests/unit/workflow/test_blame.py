from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.errors import UnusableError, UsageError
from perfgate.workflow.blame import Span, with_commits
from perfgate.workflow.recording import open_tree
from tests.diagnoses import BENCHMARK, DEVICE, LAYOUT, cause, diagnosis
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.core.diagnosis import Commit, Diagnosis
    from perfgate.core.difference import Difference

SCRIPT = "#!/bin/sh\natc \\\n  --framework=5 \\\n  --optypelayout=NHWC\n"  # the flag is in line 4


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("start", {"deploy/convert.sh": SCRIPT, "other.txt": "x\n"})
    made.git("tag", "base")
    return made


def turn(repository: Repository, old: str = "NHWC", new: str = "NCHW", subject: str = "turn it") -> str:
    path = repository.folder / "deploy/convert.sh"
    path.write_text(path.read_text().replace(old, new))
    return repository.commit(subject)


def named(
    repository: Repository, difference: Difference | None = LAYOUT, tip: str | None = None, folder: str = ""
) -> Commit | None:
    tree = open_tree(repository.folder / folder)
    span = Span(tree=tree, base=repository.git("rev-parse", "base"), tip=tip)
    (found,) = with_commits([diagnosis(causes=(cause(difference=difference),))], span, None)
    return found.causes[0].commit


def test_the_only_commit_that_touched_the_line_is_named_and_not_accused(repository: Repository) -> None:
    guilty = turn(repository)
    repository.commit("something else", {"other.txt": "y\n"})
    found = named(repository)
    assert found is not None
    assert (found.commit, found.subject, found.author) == (guilty, "turn it", "Ada")
    assert (found.relation, found.probability) == ("touched by", None)
    assert found.date.startswith("2026-01-01T00:00:00")


def test_two_commits_on_the_line_are_no_answer(repository: Repository) -> None:
    turn(repository)
    turn(repository, "NCHW", "ND", "turn it again")
    difference = msgspec.structs.replace(LAYOUT, after="ND")
    assert named(repository, difference) is None


def test_a_commit_on_another_line_of_the_file_does_not_count(repository: Repository) -> None:
    guilty = turn(repository)
    turn(repository, "--framework=5", "--framework=3", "another line")
    found = named(repository)
    assert found is not None
    assert found.commit == guilty


def test_an_edit_that_is_not_committed_has_no_commit(repository: Repository) -> None:
    turn(repository)
    (repository.folder / "deploy/convert.sh").write_text(SCRIPT.replace("NHWC", "ND"))
    assert named(repository) is None


def test_up_to_a_commit_its_own_lines_count_and_later_commits_do_not(repository: Repository) -> None:
    guilty = turn(repository)
    path = repository.folder / "deploy/convert.sh"
    path.write_text("# moved\n# down\n" + path.read_text().replace("NCHW", "ND"))
    repository.commit("move and turn")
    (repository.folder / "deploy/convert.sh").write_text("edited\n")  # the working tree does not matter
    found = named(repository, tip=guilty)
    assert found is not None
    assert found.commit == guilty


def test_of_a_flag_that_is_gone_the_only_commit_on_the_file_is_named(repository: Repository) -> None:
    guilty = turn(repository, "  --optypelayout=NHWC\n", "", "drop it")
    gone = msgspec.structs.replace(LAYOUT, after=None, place_after="")
    found = named(repository, gone)
    assert found is not None
    assert found.commit == guilty


@pytest.mark.parametrize(
    "changed",
    [
        {"place_after": "", "place_before": ""},
        {"place_after": "deploy/none.sh:4:5"},
        {"place_after": "deploy/convert.sh:400:5"},
        {"place_after": "perf_models.yaml"},
        {"place_after": ":(top)other.txt:1:1"},
    ],
)
def test_a_place_that_git_does_not_know_has_no_commit(
    repository: Repository, changed: dict[str, str]
) -> None:
    turn(repository)
    assert named(repository, msgspec.structs.replace(LAYOUT, **changed)) is None


def test_a_cause_without_a_setting_and_one_outside_of_git_have_no_commit(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert named(repository, None) is None
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    bare = tmp_path / "bare"
    bare.mkdir()
    (found,) = with_commits([diagnosis()], Span(tree=open_tree(bare), base="x"), None)
    assert found.causes[0].commit is None


def test_an_empty_or_hostile_subject_is_taken_as_it_is(repository: Repository) -> None:
    path = repository.folder / "deploy/convert.sh"
    path.write_text(SCRIPT.replace("NHWC", "NCHW"))
    repository.git("commit", "-qa", "--allow-empty-message", "-m", "")
    found = named(repository)
    assert found is not None
    assert (found.subject, found.author) == ("", "Ada")
    repository.git("commit", "-q", "--amend", "-m", "x\x1b[31m`|<b> %H%x00\n\nbody")
    found = named(repository)
    assert found is not None
    assert found.subject == "x\x1b[31m`|<b> %H%x00"


def test_places_below_a_folder_of_the_repository_are_found(repository: Repository) -> None:
    guilty = turn(repository)
    difference = msgspec.structs.replace(LAYOUT, place_after="convert.sh:4:5")
    found = named(repository, difference, folder="deploy")
    assert found is not None
    assert found.commit == guilty


def bisection(path: Path, *suspects: str, key: str = f"{BENCHMARK}[{DEVICE}]") -> Path:
    one = {
        "suspects": [{"commit": name * 40, "subject": f"commit {name}"} for name in suspects],
        "chance": 0.998,
    }
    path.write_text(json.dumps({"results": [{"benchmark": key, "findings": [{"culprit": one}]}]}))
    return path


def with_bisection(found: Diagnosis, path: Path) -> Diagnosis:
    return with_commits([found], None, path)[0]


def test_the_culprit_of_a_bisection_stands_before_any_other(repository: Repository, tmp_path: Path) -> None:
    turn(repository)
    path = bisection(tmp_path / "b.json", "b")
    span = Span(tree=open_tree(repository.folder), base=repository.git("rev-parse", "base"))
    (found,) = with_commits([diagnosis()], span, path)
    commit = found.causes[0].commit
    assert commit is not None
    assert (commit.commit, commit.relation, commit.probability) == ("b" * 40, "bisection", 0.998)


def test_a_bisection_of_another_benchmark_or_between_two_commits_names_none(tmp_path: Path) -> None:
    other = bisection(tmp_path / "o.json", "b", key="resnet50[ascend-310p-like]")
    two = bisection(tmp_path / "t.json", "b", "c")
    for path in (other, two):
        assert with_bisection(diagnosis(), path).causes[0].commit is None


def test_without_a_cause_the_culprit_is_a_note(tmp_path: Path) -> None:
    found = with_bisection(diagnosis(causes=()), bisection(tmp_path / "b.json", "b"))
    assert found.notes == ("a bisection names bbbbbbb, probability 0.998",)


def test_a_file_that_is_no_bisection_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        with_bisection(diagnosis(), tmp_path / "none.json")
    for text in ("{", "[]", '{"results": [{}]}'):
        (tmp_path / "b.json").write_text(text)
        with pytest.raises(UnusableError):
            with_bisection(diagnosis(), tmp_path / "b.json")
