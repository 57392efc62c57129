"""What a change does to the gate that judges it: baselines, policy, guardrails, suites, workflows."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.store import decode_record
from perfgate.baseline.summary import largest_change
from perfgate.core.errors import PerfgateError
from perfgate.core.units import percent
from perfgate.measure.suite import SUITE_PATTERNS

if TYPE_CHECKING:
    from perfgate.baseline.trusted import TrustedTree
    from perfgate.workflow.worktree import WorkTree

_GATE_FILES = (
    "perfgate.yaml",
    "guardrails.yaml",
    ".cann_guardrails.yaml",
    "pyproject.toml",
    "pytest.toml",
    "pytest.ini",
    ".pytest.toml",
    ".pytest.ini",
    "tox.ini",
    "setup.cfg",
)
REMOVED = "removed"
_GATE_NAMES = ("conftest.py", *SUITE_PATTERNS)
_GATE_FOLDERS = (".github/workflows/", ".github/actions/")


class GateEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the gate that differs from base.

    `effect` is `added`, `removed`, `changed` or `accepts +12 %`.
    """

    path: str
    effect: str

    def __str__(self) -> str:
        return f"{self.path}: {self.effect}"


def gate_edits(tree: WorkTree, trusted: TrustedTree, baselines: str) -> tuple[GateEdit, ...]:
    """Compare the gate's files of the working tree with those of the base commit, byte by byte."""
    here = {path for path in tree.gate_files if belongs_to_gate(path, baselines)}
    there = {path for path in trusted.paths if belongs_to_gate(path, baselines)}
    edits = []
    for path in sorted(here | there):
        effect = _effect(tree, trusted, path, is_baseline=path.startswith(f"{baselines}/"))
        if effect:
            edits.append(GateEdit(path=path, effect=effect))
    return tuple(edits)


def belongs_to_gate(path: str, baselines: str) -> bool:
    """Whether a file decides what is measured or how it is judged."""
    name = path.rpartition("/")[2]
    return (
        path in _GATE_FILES
        or path.startswith((f"{baselines}/", *_GATE_FOLDERS))
        or any(fnmatch(name, pattern) for pattern in _GATE_NAMES)
    )


def _effect(tree: WorkTree, trusted: TrustedTree, path: str, *, is_baseline: bool) -> str:
    try:
        before = trusted.read(path)
    except PerfgateError as problem:
        return problem.what
    if path not in tree.gate_files:
        return REMOVED
    try:
        now = tree.read_gate_file(path, what="file") if is_baseline else tree.read(path)
    except PerfgateError as problem:
        return problem.what
    if before is None:
        return "added"
    if before == now:
        return ""
    return _accepted(before, now, path) if is_baseline else "changed"


def _accepted(before: bytes, now: bytes, path: str) -> str:
    """In percent, what an edited baseline accepts; an edited one need not have a right digest to be shown."""
    try:
        old = decode_record(before, path, check_digest=False)
        new = decode_record(now, path, check_digest=False)
    except PerfgateError:
        return "changed, and cannot be read"
    change = largest_change(old, new)
    return "other values" if change is None else f"accepts {percent(change[1])} {change[0]}"
