"""Cleaning up after runs that were killed: processes, worktrees, entries and locks, in our mirror only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.owner import RUN_VARIABLE, kill_marked, parse_owner
from perfgate.bisection.worktrees import OWNER_SUFFIX, remove_folder, remove_owned, trees_folder

if TYPE_CHECKING:
    from perfgate.bisection.mirror import Mirror


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What was found: runs that had died, and processes of theirs that were still running."""

    runs: int = 0
    processes: int = 0


def sweep(mirror: Mirror) -> Swept:
    """Remove what dead runs of this machine and boot have left. The caller holds the mirror's lock.

    An owner of another machine is left alone: on a shared disk it may be alive.
    """
    base = trees_folder(mirror)
    alive: set[str] = set()
    runs = processes = 0
    for path in sorted(base.glob(f"*{OWNER_SUFFIX}")):
        token = path.name.removesuffix(OWNER_SUFFIX)
        owner = parse_owner(path.read_text(encoding="utf-8", errors="replace"))
        if owner is not None and not owner.is_dead:
            alive.add(token)
            continue
        runs += 1
        if owner is not None and owner.is_here:
            processes += kill_marked(RUN_VARIABLE, owner.token)
        remove_owned(mirror, token)
    for path in sorted(base.glob("*")):
        if path.name.partition(".")[0] not in alive:
            remove_folder(path)  # nobody's: the process died before it could say whose
    for entry in sorted((mirror.repository / "worktrees").glob("*")):
        if entry.name.partition("-")[0] not in alive:
            remove_folder(entry)
    if not alive:
        _remove_locks(mirror)
    return Swept(runs=runs, processes=processes)


def _remove_locks(mirror: Mirror) -> None:
    """Lock files of a git that was killed; nobody else writes here while we hold the mirror's lock."""
    repository = mirror.repository
    for lock in [*repository.glob("*.lock"), *(repository / "refs").rglob("*.lock")]:
        lock.unlink(missing_ok=True)
