"""The list of candidates: prior weights, and commits that end in the same tree taken as one."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from perfgate.bisection.probe import Candidate

USUAL, SUSPECT, HARMLESS = 1.0, 3.0, 0.1  # never 0: a prior must not rule anybody out
_TEXTS = frozenset({".md", ".rst", ".txt", ".adoc"})
_TEXT_FOLDERS = frozenset({"doc", "docs"})


def prior_weight(touched: Iterable[str], read: Collection[str]) -> float:
    """Weight of a commit by the files it touches (`/`-separated), before anything is measured.

    Three when one of them is in `read`, what configuration discovery or the benchmark reads; a tenth when
    all of them are documentation. A commit that touches nothing, as most merges, has the usual weight.
    """
    paths = list(touched)
    if any(path in read for path in paths):
        return SUSPECT
    if paths and all(is_documentation(path) for path in paths):
        return HARMLESS
    return USUAL


def is_documentation(path: str) -> bool:
    """By its ending, or a folder `doc` or `docs`; a programme in such a folder may well be run."""
    pure = PurePosixPath(path)
    if pure.suffix in _TEXTS:
        # requirements.txt and CMakeLists.txt are read by programmes
        return pure.suffix != ".txt" or not _TEXT_FOLDERS.isdisjoint(pure.parts[:-1])
    return pure.suffix in {".png", ".svg", ".html", ".css"} and not _TEXT_FOLDERS.isdisjoint(pure.parts[:-1])


def merge_same_trees(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """One candidate per tree, oldest first: whatever lies between two commits with one tree has no effect.

    Of a change, its revert and its second application the last one remains; a change that was reverted for
    good goes away. The first commit of a run of equal ends stands for it and names the others in `same`.
    """
    last = {candidate.tree: place for place, candidate in enumerate(candidates)}
    merged = []
    place = 0
    while place < len(candidates):
        end = last[candidates[place].tree]
        same = tuple(candidate.commit for candidate in candidates[place + 1 : end + 1])
        merged.append(msgspec.structs.replace(candidates[place], same=same))
        place = end + 1
    return tuple(merged)


def side_of_merge(
    first_parent: Candidate, side: Sequence[Candidate], merge: Candidate
) -> tuple[Candidate, ...]:
    """The range to search when the culprit is a merge: its first parent is good, the merge itself bad.

    A culprit in it is a commit of the side, or the merge when no commit of the side shows the change.
    """
    return merge_same_trees((first_parent, *side, merge))
