"""The commits that may be the culprit: first parents between the ends, equal trees as one, with weights."""

from __future__ import annotations

import hashlib
import os
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from perfgate.bisection.probe import Candidate
from perfgate.config.readers import reader_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.bisection.gitrun import Git

WATCHED_WEIGHT = 3.0  # touches what configuration discovery or the benchmark reads
DOCUMENTATION_WEIGHT = 0.1
_DOCUMENTATION = ("*.md", "*.rst", "*.adoc", "license*", "changelog*", "authors*", "codeowners")
_DOCUMENTATION_FOLDERS = frozenset({"doc", "docs"})
_FIELDS = "%H%x00%T%x00%P%x00%an%x00%aI%x00%s"
_FIELD_COUNT = 6


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The candidates of a range, good end first, and what each commit changed.

    `trees` are git's own ids by commit, of all the commits of the range.
    """

    candidates: tuple[Candidate, ...]
    changed: dict[str, tuple[str, ...]]
    trees: dict[str, str]

    def touching(self, names: Sequence[str]) -> tuple[Candidate, ...]:
        """Candidates that change a file of one of these names, wherever it lies."""
        return tuple(
            item
            for item in self.candidates[1:]
            for commits in [(item.commit, *item.same)]
            if any(PurePosixPath(path).name in names for one in commits for path in self.changed.get(one, ()))
        )


def list_history(
    git: Git, good: str, bad: str, *, paths: Sequence[str] = (), watched: Sequence[str] = ()
) -> History:
    """The commits after `good` up to `bad` along first parents, in the order of history, never by date.

    Neighbours with the same tree are one candidate; with `paths`, those whose listed paths are the same.
    `watched` are files that the benchmark reads.

    Raises:
        GitError: git cannot list them.
    """
    commits = [*_commits(git, "--max-count=1", good), *_commits(git, "--first-parent", f"{good}..{bad}")]
    changed = _changed_files(git, commits)
    trees = [item.tree for item in commits] if not paths else _path_digests(git, commits, paths)
    kept: list[Candidate] = []
    for item, tree in zip(commits, trees, strict=True):
        if kept and kept[-1].tree == tree:
            kept[-1] = msgspec.structs.replace(kept[-1], same=(*kept[-1].same, item.commit))
            continue
        weight = _weight(changed.get(item.commit, ()), frozenset(watched))
        kept.append(msgspec.structs.replace(item, tree=tree, weight=weight))
    return History(
        candidates=tuple(kept), changed=changed, trees={item.commit: item.tree for item in commits}
    )


def _commits(git: Git, *arguments: str) -> list[Candidate]:
    printed = git.run(
        "log",
        "--reverse",
        "--topo-order",
        "--no-show-signature",
        "-z",
        f"--format={_FIELDS}",
        *arguments,
        "--",
    )
    fields = printed.decode("utf-8", "replace").removesuffix("\0").split("\0") if printed else []
    rows = [fields[start : start + _FIELD_COUNT] for start in range(0, len(fields), _FIELD_COUNT)]
    return [
        Candidate(
            commit=row[0],
            tree=row[1],
            parents=tuple(row[2].split()),
            author=row[3],
            date=row[4],
            subject=row[5],
        )
        for row in rows
    ]


def _changed_files(git: Git, commits: Sequence[Candidate]) -> dict[str, tuple[str, ...]]:
    """What each commit changed against the one before it in the list, in one call of git.

    Git answers in the order of the question, each answer under its question: names may hold line
    breaks, so the next question ends an answer, not a line.
    """
    pairs = [(before.tree, item.tree, item.commit) for before, item in pairwise(commits)]
    if not pairs:
        return {}
    asked = [f"{old} {new}\n".encode() for old, new, _ in pairs]
    printed = git.run("diff-tree", "--stdin", "-r", "--no-renames", "--name-only", "-z", data=b"".join(asked))
    found: dict[str, tuple[str, ...]] = {}
    at = 0
    for question, following, pair in zip(asked, [*asked[1:], None], pairs, strict=True):
        at += len(question)
        names = []
        while at < len(printed) and (following is None or not printed.startswith(following, at)):
            end = printed.index(b"\0", at)
            names.append(os.fsdecode(printed[at:end]))
            at = end + 1
        found[pair[2]] = tuple(names)
    return found


def _path_digests(git: Git, commits: Sequence[Candidate], paths: Sequence[str]) -> list[str]:
    """One text per commit that is equal when all listed paths are; an absent path is a state as well."""
    asked = "".join(f"{item.commit}:{path}\n" for item in commits for path in paths)
    answers = os.fsdecode(git.run("cat-file", "--batch-check", data=os.fsencode(asked))).splitlines()
    states = [line.split()[0] if not line.endswith((" missing", " ambiguous")) else "-" for line in answers]
    count = len(paths)
    return [
        hashlib.sha256(" ".join(states[start : start + count]).encode()).hexdigest()
        for start in range(0, len(states), count)
    ]


def _weight(changed: Sequence[str], watched: frozenset[str]) -> float:
    if changed and all(_is_documentation(path) for path in changed):
        return DOCUMENTATION_WEIGHT
    if any(path in watched or _is_discovered(path) for path in changed):
        return WATCHED_WEIGHT
    return 1.0


def _is_discovered(path: str) -> bool:
    """Configuration discovery reads it by its name. Python is left out: that is most of the code itself."""
    return reader_of(path, "") is not None and not path.endswith((".py", ".pyi", ".pyw", ".ipynb"))


def _is_documentation(path: str) -> bool:
    pure = PurePosixPath(path)
    in_folder = bool(_DOCUMENTATION_FOLDERS.intersection(part.lower() for part in pure.parts[:-1]))
    return in_folder or any(fnmatchcase(pure.name.lower(), glob) for glob in _DOCUMENTATION)
