"""The repository of `perfgate demo`: two weeks of ordinary commits, one of which flips a layout flag."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from git import Actor, Repo

ACCEPTED = "v1.0"  # tag of the commit whose values were accepted
CULPRIT = "tidy convert flags"
SCRIPT, RUNTIME = "deploy/convert.sh", "deploy/runtime_config.yaml"
_CONVERT = """\
#!/bin/sh
# Compiles the image generator for the inference card.
set -eu
atc --framework=5 --model=models/sd_unet.onnx --output=build/sd_unet \\
    --soc_version=Ascend310P3 \\
    --precision_mode=force_fp16 \\
    --optypelayout=NHWC
"""
_SUITE = """\
# The benchmarks of this repository: real flags out of deploy/, simulated devices.
version: 1
defaults:
  devices: [ascend-310p-like]
  runs: 5
  samples: 20
  metrics: [latency, copied_bytes, peak_memory]
  runtime: {from: deploy/runtime_config.yaml}
benchmarks:
  - name: sd3_poster
    model: zoo:sd_unet
    preset: poster
    compile: {from: deploy/convert.sh, command: atc, require_resolved: [--optypelayout]}
"""
_RUNTIME = """\
# How the compiled model is run.
memory_pool: 2GB
log_level: info
"""
_FILES = {
    "README.md": "# Poster service\n\nDraws posters from a sentence.\n",
    "perf_models.yaml": _SUITE,
    SCRIPT: _CONVERT,
    RUNTIME: _RUNTIME,
    "service/app.py": 'def draw(sentence: str) -> str:\n    return f"poster of {sentence}"\n',
    "guardrails.yaml": "# What every compile command has to fit.\natc_convert: require --precision_mode\n",
    ".gitignore": ".perfgate/\noptimization_plan/\nbuild/\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A commit: how many days ago, by whom, what it says and which text it changes in which file."""

    days: int
    author: str
    message: str
    path: str
    old: str
    new: str


_HISTORY = (
    _Step(days=9, author="Mei Lin", message="check the sentence", path="service/app.py",
          old="    return", new="    assert sentence\n    return"),
    _Step(days=6, author="Ana Ruiz", message="say what the service needs", path="README.md",
          old="a sentence.\n", new="a sentence. Needs an inference card.\n"),
    _Step(days=4, author="Mei Lin", message="log what the runtime does", path=RUNTIME,
          old="log_level: info", new="log_level: debug"),
    _Step(days=3, author="Jon Doe", message=CULPRIT, path=SCRIPT,
          old="--optypelayout=NHWC", new="--optypelayout=NCHW"),
    _Step(days=2, author="Ana Ruiz", message="greet politely", path="service/app.py",
          old="poster of", new="a poster of"),
    _Step(days=1, author="Mei Lin", message="explain the card", path="README.md",
          old="an inference card.", new="an inference card with 24 GB."),
)  # fmt: skip


class DemoRepository:
    """The repository while it grows; `now` is the time of its youngest commit plus a day."""

    def __init__(self, folder: Path, now: dt.datetime) -> None:
        self.folder = folder
        self._now = now
        self._repository = _new_repository(folder)

    def start(self) -> None:
        """The first commit: everything but the accepted values."""
        self._write(_FILES)
        self._commit(14, "Ana Ruiz", "the poster service")

    def accept(self) -> None:
        """Commit the baselines that were recorded meanwhile; this is the base that judges."""
        self._commit(13, "Ana Ruiz", "accept the first baselines")
        repository = self._repository
        repository.create_tag(ACCEPTED)
        repository.git.update_ref("refs/remotes/origin/main", "HEAD")

    def grow(self) -> None:
        """The ordinary commits, and the one that nobody noticed."""
        for step in _HISTORY:
            file = self.folder / step.path
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(step.old, step.new), encoding="utf-8", newline="\n")
            self._commit(step.days, step.author, step.message)

    def close(self) -> None:
        """Give back git's processes."""
        self._repository.close()

    def _write(self, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
            if path.endswith(".sh"):
                file.chmod(0o755)

    def _commit(self, days: int, author: str, message: str) -> None:
        when = (self._now - dt.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S +0000")
        actor = _actor(author)
        self._repository.git.add("--all")
        self._repository.index.commit(
            message, author=actor, committer=actor, author_date=when, commit_date=when
        )


def _new_repository(folder: Path) -> Repo:
    """An empty repository in a folder that is empty or not there.

    Raises:
        UsageError: the folder holds something, or cannot be made.
    """
    import git  # noqa: PLC0415 - 120 ms, only here

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("the folder is not empty", str(folder), "name a folder that does not exist yet")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UsageError(f"cannot be made, {reason}", str(folder), "name a writable place") from None
    return git.Repo.init(folder, initial_branch="main")


def _actor(name: str) -> Actor:
    from git import Actor  # noqa: PLC0415 - the same

    return Actor(name, f"{name.partition(' ')[0].lower()}@poster.example")
