from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.bisection.gitrun import Git, scrubbed
from perfgate.bisection.overlay import Overlay, OverlayFile, former_names, read_overlay, submodules
from tests.repositories import clean_environment
from tests.scripted_history import History

if TYPE_CHECKING:
    from pathlib import Path


def git_in(folder: Path) -> Git:
    return Git(folder=folder, environment=scrubbed(clean_environment(), folder / "none"))


def test_suites_devices_and_locks_are_the_ruler_and_nothing_else(tmp_path: Path) -> None:
    history = History()
    files = {
        "perf_a.yaml": "a",
        "part/perf_b.yml": "b",
        "devices/mine.yaml": "d",
        "uv.lock": "l",
        "deploy/convert.sh": "s",
        "src/a.py": "p",
    }
    mark = history.commit("start", files)
    repository, marks = history.write(tmp_path / "repository")
    git = git_in(repository.folder)
    paths = [item.path for item in read_overlay(git, marks[mark], with_locks=True).files]
    assert paths == ["devices/mine.yaml", "part/perf_b.yml", "perf_a.yaml", "uv.lock"]
    fewer = read_overlay(git, marks[mark], with_locks=False, without=("part", "perf_a.yaml"))
    assert [item.path for item in fewer.files] == ["devices/mine.yaml"]
    assert not fewer.replaces_suites  # what is under test stays each commit's own


def test_placing_removes_suites_under_other_names(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "perf_old.yaml").write_text("twice")
    overlay = Overlay(files=(OverlayFile(path="new/perf_new.yaml", data=b"x"),), replaces_suites=True)
    overlay.place(tmp_path)
    assert not (tmp_path / "old" / "perf_old.yaml").exists()
    assert (tmp_path / "new" / "perf_new.yaml").read_bytes() == b"x"


def test_links_in_the_way_are_replaced_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "perf_a.yaml").write_text("mine")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "part").symlink_to(outside)
    (tree / "perf_b.yaml").symlink_to(outside / "perf_a.yaml")
    files = (OverlayFile(path="part/perf_a.yaml", data=b"x"), OverlayFile(path="perf_b.yaml", data=b"y"))
    Overlay(files=files).place(tree)
    assert (outside / "perf_a.yaml").read_text() == "mine"
    assert not (tree / "part").is_symlink()
    assert (tree / "perf_b.yaml").read_bytes() == b"y"


def test_a_renamed_file_is_given_the_name_that_the_benchmark_knows(tmp_path: Path) -> None:
    (tmp_path / "old.sh").write_text("the commit's own")
    (tmp_path / "older.sh").write_text("a decoy")
    Overlay(former={"new/name.sh": ("old.sh", "older.sh")}).place(tmp_path)
    assert (tmp_path / "new" / "name.sh").read_text() == "the commit's own"
    (tmp_path / "new" / "name.sh").write_text("present")
    Overlay(former={"new/name.sh": ("old.sh",)}).place(tmp_path)
    assert (tmp_path / "new" / "name.sh").read_text() == "present"


def test_a_former_name_that_leads_out_of_the_checkout_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "old.sh").symlink_to(tmp_path / "secret")
    Overlay(former={"new.sh": ("old.sh",)}).place(tree)
    assert not (tree / "new.sh").exists()


def test_renames_are_followed_newest_first(tmp_path: Path) -> None:
    history = History()
    text = "".join(f"line {number}\n" for number in range(20))
    first = history.commit("start", {"one.sh": text})
    history.commit("rename", renames={"one.sh": "two.sh"})
    last = history.commit("again", renames={"two.sh": "three.sh"})
    repository, marks = history.write(tmp_path / "repository")
    git = git_in(repository.folder)
    assert former_names(git, (marks[first], marks[last]), "three.sh") == ("two.sh", "one.sh")
    assert former_names(git, (marks[first], marks[last]), "absent.sh") == ()


def test_submodules_are_listed(tmp_path: Path) -> None:
    history = History()
    history.commit("start", {"a": "0"})
    repository, _ = history.write(tmp_path / "repository")
    head = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    commit = repository.git("commit-tree", "-m", "with", repository.git("write-tree"))
    assert submodules(git_in(repository.folder), commit) == ("sub",)
    assert submodules(git_in(repository.folder), head) == ()


def test_the_digest_moves_with_every_part() -> None:
    file = OverlayFile(path="perf_a.yaml", data=b"x")
    overlays = [
        Overlay(),
        Overlay(files=(file,)),
        Overlay(files=(file,), former={"a": ("b",)}),
        Overlay(files=(file,), replaces_suites=True),
    ]
    assert len({item.digest for item in overlays}) == len(overlays)
