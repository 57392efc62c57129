"""Which files of a repository are looked at, and how they are opened."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from perfgate.config.discover import Unreadable, listed_files, read_bytes

if TYPE_CHECKING:
    from pathlib import Path


def _git(root: Path, *arguments: str) -> None:
    command = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - fixed words on a temporary folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "deploy").mkdir(parents=True)
    for name in ("deploy/a b.sh", "deploy/柳.sh", ".gitignore", "ignored.sh", "new\nline.sh"):
        (root / name).write_text("ignored.sh\n" if name == ".gitignore" else "atc --a\n")
    (root / "link.sh").symlink_to("deploy/a b.sh")
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    (root / "untracked.sh").write_text("atc --b\n")
    return root


def test_tracked_and_untracked_files_are_listed_but_no_links_and_ignored_ones(repository: Path) -> None:
    listed = listed_files(repository)
    assert listed == (".gitignore", "deploy/a b.sh", "deploy/柳.sh", "new\nline.sh", "untracked.sh")


def test_a_folder_inside_lists_its_own_files(repository: Path) -> None:
    assert listed_files(repository / "deploy") == ("a b.sh", "柳.sh")


def test_outside_of_a_repository_there_is_no_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert listed_files(tmp_path) is None


def test_a_file_is_read_up_to_one_byte_over_the_limit(repository: Path) -> None:
    assert read_bytes(repository, "deploy/a b.sh", size_limit=100) == b"atc --a\n"
    assert read_bytes(repository, "deploy/a b.sh", size_limit=3) == b"atc "


@pytest.mark.parametrize(
    "path", ["link.sh", "../x", "/etc/passwd", "deploy", "missing.sh", "deploy//a b.sh", "a\0b", "\ud800"]
)
def test_links_folders_and_paths_that_leave_are_not_read(repository: Path, path: str) -> None:
    found = read_bytes(repository, path, size_limit=100)
    assert isinstance(found, Unreadable)
    assert found.reason


def test_a_folder_that_is_a_link_is_not_followed(repository: Path) -> None:
    (repository / "linked").symlink_to("deploy", target_is_directory=True)
    assert isinstance(read_bytes(repository, "linked/a b.sh", size_limit=100), Unreadable)


def test_a_pipe_does_not_make_the_reader_wait(repository: Path) -> None:
    os.mkfifo(repository / "pipe.sh")
    found = read_bytes(repository, "pipe.sh", size_limit=100)
    assert found == Unreadable(path="pipe.sh", reason="no regular file")
