"""Scripted repositories for bisection: a model of the zoo, a compile script that changes, and a culprit."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.scripted_history import History

if TYPE_CHECKING:
    from pathlib import Path

    from tests.repositories import Repository

SUITE = """\
version: 1
defaults: {devices: [ascend-310p-like], runs: 5, samples: 20, metrics: [latency, cycles, copied_bytes]}
benchmarks:
  - name: unet
    model: zoo:sd_unet
    preset: tiny
    compile: {from: deploy/convert.sh, command: atc, require_resolved: [--optypelayout]}
"""
BENCHMARK = "unet[ascend-310p-like]"
BROKEN = "#!/bin/sh\necho nothing is compiled here\n"


def script(layout: str = "NHWC", comment: str = "") -> str:
    """The compile script; only its flag matters."""
    return (
        f"#!/bin/sh\n# {comment}\natc --framework=5 --model=unet.onnx --output=unet \\\n"
        f"    --precision_mode=force_fp16 \\\n    --optypelayout={layout}\n"
    )


@dataclass(frozen=True, slots=True)
class World:
    """A repository and the commits that matter in it."""

    repository: Repository
    good: str
    bad: str
    culprit: str


def long_history(folder: Path, *, commits: int = 300, seed: int = 5) -> World:
    """Merges, a renamed script, reverts, 5 % broken builds, one flag flip in the compile script."""
    draw = random.Random(seed)  # noqa: S311 - a test's dice
    history = History()
    good = last = history.commit(
        "start",
        {"perf_models.yaml": SUITE, "scripts/build.sh": script(), "README.md": "a\n", "src/a.py": "A = 0\n"},
    )
    flip_at = draw.randrange(commits // 4, 3 * commits // 4)
    rename_at = commits // 6
    path, layout, culprit = "scripts/build.sh", "NHWC", 0
    repairs = False
    for number in range(1, commits):
        files: dict[str, str | bytes | None] = {}
        message, renames = f"change {number}", {}
        if repairs:
            files[path] = script(layout, f"mended {number}")
            repairs, message = False, "revert the broken script"
        elif number == flip_at:
            layout, message = "NCHW", "tidy the flags of the exporter"
            files[path] = script(layout, f"tidy {number}")
        elif number == rename_at:
            renames = {path: "deploy/convert.sh"}
            path, message = "deploy/convert.sh", "move the script"
        elif draw.random() < 0.05:
            files[path], repairs, message = BROKEN, True, "rework the script"
        else:
            files[f"src/{'abc'[number % 3]}.py"] = f"A = {number}\n"
        if number % 10 == 0 and not renames and path not in files:
            side = history.commit(
                f"side {number}", {f"src/side{number}.py": "B = 1\n"}, parents=(last,), branch="side"
            )
            last = history.commit(f"merge {number}", files, parents=(last, side))
        else:
            last = history.commit(message, files, parents=(last,), renames=renames)
        if number == flip_at:
            culprit = last
    repository, marks = history.write(folder)
    return World(repository, marks[good], marks[last], marks[culprit])


def short_history(folder: Path, *, commits: int = 16, flip_at: int = 9, untidy: bool = False) -> World:
    """A straight history; a flag is planted if it reaches `flip_at`, `untidy` leaves uncommitted work."""
    history = History()
    good = last = history.commit("start", {"perf_models.yaml": SUITE, "deploy/convert.sh": script()})
    culprit = 0
    for number in range(1, commits):
        flips = number == flip_at
        files = {"deploy/convert.sh": script("NCHW", "tidy")} if flips else {"src/a.py": f"A = {number}\n"}
        last = history.commit(f"change {number}", files, parents=(last,))
        culprit = last if flips else culprit
    repository, marks = history.write(folder)
    if untidy:
        make_untidy(repository)
    return World(repository, marks[good], marks[last], marks.get(culprit, ""))


def make_untidy(repository: Repository) -> None:
    """A stash, staged, changed and untracked files, another branch, a second worktree."""
    repository.write({"src/a.py": "A = 'stashed'\n"})
    repository.git("stash")
    repository.write({"src/staged.py": "S = 1\n"})
    repository.git("add", "src/staged.py")
    repository.write({"src/a.py": "A = 'changed'\n", "untracked.txt": "mine\n"})
    repository.git("branch", "another", "HEAD~3")
    repository.git("worktree", "add", "-q", str(repository.folder.parent / "linked"), "another")
