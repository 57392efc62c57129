"""The history of a baseline in scripted repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.baseline.revision import open_repository
from perfgate.baseline.store import encode_record
from perfgate.core.errors import UsageError
from perfgate.core.record import Provenance
from perfgate.workflow.baseline_history import BaselineFile, baseline_history
from perfgate.workflow.visualising import with_history
from perfgate.workflow.worktree import WorkTree
from tests.html_material import material, profile
from tests.records import make_record
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

PATH = "baselines/dev/toy.json"


def text(latency: float, reason: str = "") -> str:
    record = make_record("toy", latencies=[[latency] * 5] * 5)
    return encode_record(msgspec.structs.replace(record, provenance=Provenance(accepted_regression=reason)))


def file_of(repository: Repository, prefix: str = "") -> BaselineFile:
    return BaselineFile(
        repository=open_repository(repository.folder),
        prefix=prefix,
        folder="baselines",
        benchmark="toy",
        device="dev",
    )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "project")
    made.commit("nothing yet", {"README.md": "x"})
    made.commit("first baseline", {PATH: text(1.0)})
    made.commit("another file", {"README.md": "y"})
    made.commit("slower, accepted", {PATH: text(2.0, "safety checker")})
    return made


def test_commits_that_touched_the_baseline_are_listed_oldest_first(repository: Repository) -> None:
    found = baseline_history(file_of(repository))
    assert [point.subject for point in found.points] == ["first baseline", "slower, accepted"]
    assert [point.record.runs[0].samples["latency"][0] for point in found.points] == [1.0, 2.0]
    assert found.points[1].commit == repository.git("rev-parse", "HEAD")
    assert found.points[1].date.startswith("2026-01-01T00:00:00")
    assert found.points[1].record.provenance.accepted_regression == "safety checker"
    assert found.notes == ()


def test_the_history_ends_at_the_revision(repository: Repository) -> None:
    found = baseline_history(file_of(repository), "HEAD~1")
    assert [point.subject for point in found.points] == ["first baseline"]


def test_a_merge_is_one_change(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit("try one", {PATH: text(3.0)})
    repository.commit("try another", {PATH: text(4.0)})
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "merge topic", "topic")
    assert [point.subject for point in baseline_history(file_of(repository)).points] == [
        "first baseline",
        "slower, accepted",
        "merge topic",
    ]


def test_only_the_newest_changes_are_read_and_the_cut_is_said(repository: Repository) -> None:
    found = baseline_history(file_of(repository), most=1)
    assert [point.subject for point in found.points] == ["slower, accepted"]
    assert found.notes == ("only the newest 1 changes of the baseline are shown",)


def test_what_cannot_be_read_is_a_note(repository: Repository) -> None:
    broken = repository.commit("merge went wrong", {PATH: "<<<<<<< HEAD"})
    repository.git("rm", "-q", PATH)
    removed = repository.commit("remove it")
    found = baseline_history(file_of(repository))
    assert len(found.points) == 2
    assert f"{PATH}@{broken[:7]}" in found.notes[0]
    assert found.notes[1] == f"{removed[:7]} removed the baseline"


def test_a_file_of_another_benchmark_is_a_note(repository: Repository) -> None:
    other = encode_record(make_record("other"))
    repository.commit("copied the wrong file", {PATH: other})
    found = baseline_history(file_of(repository))
    assert len(found.points) == 2
    assert "the file holds other[dev]" in found.notes[0]


def test_perfgates_root_may_be_a_folder_of_the_repository(tmp_path: Path) -> None:
    made = Repository(tmp_path / "project")
    made.commit("first", {f"models/{PATH}": text(1.0)})
    assert len(baseline_history(file_of(made, "models")).points) == 1
    assert baseline_history(file_of(made)).points == ()


def test_a_shallow_clone_says_that_its_history_is_cut(repository: Repository, tmp_path: Path) -> None:
    clone = repository.clone(tmp_path / "clone", "--depth", "1")
    found = baseline_history(file_of(clone))
    assert "this clone is shallow" in found.notes[0]


def test_a_clone_without_contents_says_what_it_lacks(repository: Repository, tmp_path: Path) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = repository.clone(tmp_path / "clone", "--filter=blob:none")
    found = baseline_history(file_of(clone))
    # the newest was fetched for the working tree
    assert [point.subject for point in found.points] == ["slower, accepted"]
    assert "the file's content is not in this clone" in found.notes[0]


def test_a_page_gets_the_history_as_of_a_revision(repository: Repository) -> None:
    tree = WorkTree(repository.folder, open_repository(repository.folder))
    made = with_history(material(None, profile([])), tree, "baselines", "HEAD~1")
    assert [point.subject for point in made.history] == ["first baseline"]
    bare = WorkTree(repository.folder, None)
    assert with_history(made, bare, "baselines") is made


def test_an_unknown_revision_is_refused(repository: Repository) -> None:
    with pytest.raises(UsageError, match="no commit named 'v9'"):
        baseline_history(file_of(repository), "v9")
