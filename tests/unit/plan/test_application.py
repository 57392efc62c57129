"""Applying and rolling back: whatever happens in between, the tree ends up byte for byte as it was."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import UsageError
from perfgate.plan.application import apply_plan, roll_back
from perfgate.plan.disk import RealDisk
from perfgate.plan.journal import BACKUPS
from perfgate.plan.manifest import FilePlan, Manifest, TextEdit, sha256
from tests.plans import edit, manifest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perfgate.plan.disk import Disk

# An executable script, one with CRLF, one with a byte order mark, one read-only without a final newline.
FILES: dict[str, tuple[bytes, int]] = {
    "deploy/convert.sh": (b"#!/bin/sh\natc --optypelayout=NCHW\n", 0o755),
    "deploy/win.sh": (b"atc --optypelayout=NCHW\r\necho\r\n", 0o644),
    "deploy/mark.yaml": (b"\xef\xbb\xbflayout: NCHW\n", 0o600),
    "end.yaml": (b"layout: NCHW", 0o444),
}


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process loses nothing that the system has taken; only a power cut would."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


class KilledError(BaseException):
    """The process is gone: nothing catches this, as nothing catches SIGKILL."""


@dataclass
class DyingDisk:
    """A disk whose process is killed at the step `dies_at`; a write may be killed half way.

    From then on every call fails, since a dead process does nothing any more.
    """

    disk: Disk
    dies_at: int
    is_half: bool = False
    steps: int = 0
    log: list[str] = field(default_factory=list)

    def _step(self, what: str, half: Callable[[], None] | None = None) -> None:
        self.steps += 1
        self.log.append(what)
        if self.steps == self.dies_at and self.is_half and half is not None:
            half()
        if self.steps >= self.dies_at:
            raise KilledError(what)

    def read(self, path: str) -> bytes | None:
        if self.steps >= self.dies_at:
            raise KilledError(path)
        return self.disk.read(path)

    def mode(self, path: str) -> int:
        return self.disk.mode(path)

    def write(self, path: str, data: bytes, mode: int) -> None:
        self._step(f"write {path}", lambda: self.disk.write(path, data[: len(data) // 2], 0o600))
        self.disk.write(path, data, mode)

    def replace(self, source: str, target: str) -> None:
        self._step(f"replace {target}", lambda: self.disk.replace(source, target))
        self.disk.replace(source, target)

    def remove(self, path: str) -> None:
        self._step(f"remove {path}", lambda: self.disk.remove(path))
        self.disk.remove(path)


def build(folder: Path) -> Manifest:
    """The tree, and a plan that turns the layout in every file."""
    plans = []
    for path, (data, mode) in FILES.items():
        file = folder / path
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_bytes(data)
        file.chmod(mode)
        plans.append(
            FilePlan(
                path=path,
                before_sha256=sha256(data),
                after_sha256=sha256(data.replace(b"NCHW", b"NHWC")),
                edits=(edit(data.index(b"NCHW")),),
            )
        )
    return manifest(*plans)


def tree_digest(folder: Path) -> str:
    """SHA-256 over path, mode and content of every file and folder."""
    rows = []
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        rows.append(f"{path.relative_to(folder)} {path.stat().st_mode:o} {sha256(data)}")
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def test_a_plan_is_applied_and_rolled_back_to_the_byte(tmp_path: Path) -> None:
    plan = build(tmp_path)
    before = tree_digest(tmp_path)
    assert apply_plan(RealDisk(tmp_path), plan) == tuple(FILES)
    for path, (data, mode) in FILES.items():
        assert (tmp_path / path).read_bytes() == data.replace(b"NCHW", b"NHWC")
        assert (tmp_path / path).stat().st_mode & 0o777 == mode
    assert roll_back(RealDisk(tmp_path), plan.id) == tuple(FILES)
    assert tree_digest(tmp_path) == before


def steps_of(folder: Path, run: Callable[[Disk, Manifest], object], plan: Manifest) -> int:
    disk = DyingDisk(RealDisk(folder), dies_at=10**6)
    run(disk, plan)
    return disk.steps


@pytest.mark.parametrize("is_half", [False, True])
def test_killed_at_any_step_of_applying_the_tree_comes_back(tmp_path: Path, is_half: bool) -> None:  # noqa: FBT001 - a parameter
    steps = steps_of_applying(tmp_path / "count")
    assert steps > 2 * len(FILES)
    for number in range(1, steps + 1):
        folder = tmp_path / str(number)
        plan = build(folder)
        before = tree_digest(folder)
        dying = DyingDisk(RealDisk(folder), dies_at=number, is_half=is_half)
        with pytest.raises(KilledError):
            apply_plan(dying, plan)
        for path, (data, _) in FILES.items():  # each file is as before or as planned, never in between
            assert (folder / path).read_bytes() in {data, data.replace(b"NCHW", b"NHWC")}
        roll_back(RealDisk(folder), plan.id)
        assert tree_digest(folder) == before, dying.log[-1]


@pytest.mark.parametrize("is_half", [False, True])
def test_killed_at_any_step_of_rolling_back_a_second_one_ends_it(tmp_path: Path, is_half: bool) -> None:  # noqa: FBT001 - a parameter
    counted = build(tmp_path / "count")
    apply_plan(RealDisk(tmp_path / "count"), counted)
    steps = steps_of(tmp_path / "count", lambda disk, plan: roll_back(disk, plan.id), counted)
    for number in range(1, steps + 1):
        folder = tmp_path / str(number)
        plan = build(folder)
        before = tree_digest(folder)
        apply_plan(RealDisk(folder), plan)
        with pytest.raises(KilledError):
            roll_back(DyingDisk(RealDisk(folder), dies_at=number, is_half=is_half), plan.id)
        roll_back(RealDisk(folder), plan.id)
        assert tree_digest(folder) == before


def steps_of_applying(folder: Path) -> int:
    plan = build(folder)
    return steps_of(folder, apply_plan, plan)


@dataclass
class FullDisk:
    """A disk on which the write of step `fails_at` fails, once, as when it is full."""

    disk: Disk
    fails_at: int
    does: Callable[[], None] | None = None
    steps: int = 0

    def read(self, path: str) -> bytes | None:
        return self.disk.read(path)

    def mode(self, path: str) -> int:
        return self.disk.mode(path)

    def write(self, path: str, data: bytes, mode: int) -> None:
        self.steps += 1
        if self.steps == self.fails_at:
            if self.does is None:
                raise OSError(28, "No space left on device", path)
            self.does()
        self.disk.write(path, data, mode)

    def replace(self, source: str, target: str) -> None:
        self.disk.replace(source, target)

    def remove(self, path: str) -> None:
        self.disk.remove(path)


def test_a_full_disk_at_any_write_leaves_everything_as_it_was(tmp_path: Path) -> None:
    for number in range(1, 11):
        folder = tmp_path / str(number)
        plan = build(folder)
        before = tree_digest(folder)
        with pytest.raises(UsageError, match="cannot be written, no space left on device"):
            apply_plan(FullDisk(RealDisk(folder), fails_at=number), plan)
        assert tree_digest(folder) == before


def test_a_file_that_moves_meanwhile_is_refused_and_the_others_come_back(tmp_path: Path) -> None:
    plan = build(tmp_path)

    def move() -> None:
        (tmp_path / "deploy/win.sh").write_bytes(b"mine\n")

    # Writes 1 and 2 are the folder's own, 3 to 6 the originals, 7 the first new file, 8 the second.
    with pytest.raises(UsageError, match=r"has changed since the plan was made: deploy/win.sh"):
        apply_plan(FullDisk(RealDisk(tmp_path), fails_at=7, does=move), plan)
    for path, (data, _) in FILES.items():
        assert (tmp_path / path).read_bytes() == (b"mine\n" if path == "deploy/win.sh" else data)
    assert not (tmp_path / BACKUPS).exists()


@pytest.mark.parametrize("content", [b"atc --optypelayout=NCHW --new\n", None])
def test_a_file_that_moved_before_is_refused(tmp_path: Path, content: bytes | None) -> None:
    plan = build(tmp_path)
    file = tmp_path / "deploy/convert.sh"
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    before = tree_digest(tmp_path)
    with pytest.raises(UsageError, match="has changed since the plan was made"):
        apply_plan(RealDisk(tmp_path), plan)
    assert tree_digest(tmp_path) == before


def test_a_plan_is_not_applied_twice_and_not_rolled_back_over_later_work(tmp_path: Path) -> None:
    plan = build(tmp_path)
    apply_plan(RealDisk(tmp_path), plan)
    with pytest.raises(UsageError, match="applied already"):
        apply_plan(RealDisk(tmp_path), plan)
    (tmp_path / "deploy/win.sh").write_bytes(b"mine\n")
    before = tree_digest(tmp_path)
    with pytest.raises(UsageError, match=r"changed since the plan was applied: deploy/win.sh"):
        roll_back(RealDisk(tmp_path), plan.id)
    assert tree_digest(tmp_path) == before


def test_a_damaged_backup_or_journal_is_not_trusted(tmp_path: Path) -> None:
    plan = build(tmp_path)
    apply_plan(RealDisk(tmp_path), plan)
    original = tmp_path / BACKUPS / plan.id / "original-0"
    data = original.read_bytes()
    original.write_bytes(b"rm -rf .\n")
    with pytest.raises(UsageError, match=r"backup of deploy/convert.sh is missing or damaged"):
        roll_back(RealDisk(tmp_path), plan.id)
    original.write_bytes(data)
    journal = tmp_path / BACKUPS / plan.id / "journal.json"
    journal.write_text(journal.read_text().replace("deploy/win.sh", "deploy/mine.sh"))
    with pytest.raises(UsageError, match="journal is not as perfgate wrote it"):
        roll_back(RealDisk(tmp_path), plan.id)


@pytest.mark.parametrize(
    "path",
    ["../out.sh", "/etc/out.sh", "a/../../out.sh", "a//b", ".git/config", "a/.GIT/hooks/x", "a\nb", "c\\d"],
)
def test_a_path_of_a_plan_stays_in_the_repository(tmp_path: Path, path: str) -> None:
    data = b"NCHW"
    plan = manifest(FilePlan(path=path, before_sha256=sha256(data), after_sha256="", edits=()))
    with pytest.raises(UsageError, match="a plan cannot change this path"):
        apply_plan(RealDisk(tmp_path), plan)


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_link_is_never_followed(tmp_path: Path, is_folder: bool) -> None:  # noqa: FBT001 - a parameter
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "a.sh").write_bytes(b"NCHW")
    if is_folder:
        (inside / "deploy").symlink_to(outside)
    else:
        (inside / "deploy").mkdir()
        (inside / "deploy/a.sh").symlink_to(outside / "a.sh")
    plan = FilePlan(
        path="deploy/a.sh", before_sha256=sha256(b"NCHW"), after_sha256=sha256(b"NHWC"), edits=(edit(0),)
    )
    with pytest.raises(UsageError, match="cannot be read"):
        apply_plan(RealDisk(inside), manifest(plan))
    assert (outside / "a.sh").read_bytes() == b"NCHW"
    assert not os.path.lexists(inside / ".perfgate")


@pytest.mark.parametrize("wrong", [edit(1), edit(-4), edit(0, old="NHWC"), edit(0, new="ND")])
def test_edits_that_do_not_give_what_was_promised_are_refused(tmp_path: Path, wrong: TextEdit) -> None:
    (tmp_path / "a.sh").write_bytes(b"NCHW")
    plan = FilePlan(path="a.sh", before_sha256=sha256(b"NCHW"), after_sha256=sha256(b"NHWC"), edits=(wrong,))
    with pytest.raises(UsageError, match="not as perfgate wrote it"):
        apply_plan(RealDisk(tmp_path), manifest(plan))
    assert (tmp_path / "a.sh").read_bytes() == b"NCHW"
