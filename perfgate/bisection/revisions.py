"""From what the user wrote to two full commit ids with history between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.gitrun import GitError
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.bisection.gitrun import Git

_SHA_LENGTHS = frozenset({40, 64})
_FIRST_PRINTABLE = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The ends by full id, and what a reader has to know about how they were found."""

    good: str
    bad: str
    notes: tuple[str, ...] = ()


def resolve(git: Git, revision: str, option: str) -> str:
    """The full id of the commit that a revision names; text that looks like an option names none.

    Raises:
        UsageError: it names no commit.
    """
    found = ""
    if revision and all(ord(letter) >= _FIRST_PRINTABLE for letter in revision):
        asked = f"{revision}^{{commit}}"
        try:
            found = git.text("rev-parse", "--verify", "--quiet", "--end-of-options", asked)
        except GitError:
            found = ""
    if len(found) not in _SHA_LENGTHS:
        remedy = "name a branch, a tag or a commit of this clone"
        raise UsageError(f"{revision!r} is no commit here", option, remedy)
    return found


def resolve_range(git: Git, good: str, bad: str) -> Range:
    """Two commit ids as a range whose good end is an ancestor of the bad one; else the merge base is good.

    Raises:
        UsageError: the ends are equal, swapped, or share no history.
    """
    where = f"--good {good[:12]} --bad {bad[:12]}"
    if good == bad:
        raise UsageError("good and bad are the same commit", where, "name an older commit as good")
    if git.succeeds("merge-base", "--is-ancestor", good, bad):
        return Range(good=good, bad=bad)
    if git.succeeds("merge-base", "--is-ancestor", bad, good):
        remedy = "swap them, or use --direction improved to find what made it faster"
        raise UsageError("bad is an ancestor of good", where, remedy)
    try:
        base = git.text("merge-base", good, bad).split()[0]
    except GitError:
        remedy = "name two commits of one history"
        raise UsageError("good and bad share no history", where, remedy) from None
    note = f"{good[:12]} is no ancestor of {bad[:12]}: their merge base {base[:12]} is the good end"
    return Range(good=base, bad=bad, notes=(note,))


def is_complete(git: Git, ends: Range) -> bool:
    """Whether a shallow history holds all of the range: none of its commits has lost its parents."""
    listed = git.text("rev-list", "--parents", f"{ends.good}..{ends.bad}").splitlines()
    for line in listed:
        commit, *parents = line.split()
        if not parents and b"\nparent " in git.run("cat-file", "commit", commit).split(b"\n\n", 1)[0]:
            return False
    return True


def depth_advice(environment: Mapping[str, str]) -> str:
    """How to get the whole history in the CI in use."""
    if environment.get("GITHUB_ACTIONS"):
        return "set `fetch-depth: 0` in actions/checkout, or pass --fetch"
    if environment.get("GITLAB_CI"):
        return "set the variable GIT_DEPTH to 0 for the job, or pass --fetch"
    return "run `git fetch --unshallow`, or pass --fetch to leave your clone as it is"
