"""The files of submodules, placed into a checkout of ours from stores that lie beside the mirror.

Git's own `submodule update` would keep addresses and repositories in the worktree, which a build may change.
Here each address has a bare store, and a checkout gets files only: no `.git`, no hook, no filter.
"""

from __future__ import annotations

import hashlib
import os
import threading
from typing import TYPE_CHECKING

from perfgate.bisection.gitrun import COPY_TIMEOUT, Git, GitError
from perfgate.bisection.mirror import private_folder
from perfgate.bisection.submodule_url import TRANSPORTS, submodule_url
from perfgate.bisection.worktrees import remove_folder

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.bisection.mirror import Mirror

MOST_LEVELS = 5  # of submodules in submodules
_ID_DIGITS = 16
_LINK_MODE = b"160000"


class Submodules:
    """Fills checkouts; threads may call it at once. `origin` is the address of the user's own origin."""

    def __init__(self, mirror: Mirror, origin: str, transports: tuple[str, ...] = TRANSPORTS) -> None:
        self._mirror = mirror
        self._origin = origin
        self._transports = transports
        self._settings = ("protocol.allow=never", *(f"protocol.{item}.allow=always" for item in transports))
        self._lock = threading.Lock()

    def fill(self, tree: Path, commit: str) -> None:
        """Place the submodules of a commit that was just checked out into `tree`.

        Raises:
            GitError: an address is missing, not allowed or not answering, or they are nested too deep.
        """
        with self._lock:
            self._fill(self._mirror.git, self._origin, (commit, tree), MOST_LEVELS)

    def _fill(self, git: Git, origin: str, place: tuple[str, Path], levels: int) -> None:
        commit, folder = place
        links = submodule_links(git, commit)
        if not links:
            return
        if not levels:
            raise GitError("submodules are nested too deep", str(folder), "leave --submodules out")
        addresses = submodule_addresses(git, commit)
        for path, wanted in links.items():
            if path not in addresses:
                raise GitError(f"no address for the submodule {path!r}", ".gitmodules", "add it")
            url = submodule_url(addresses[path], origin, self._transports)
            store = self._store(url)
            self._bring(store, url, wanted)
            target = folder / path  # git has just made its parents, so no link leads out of the tree
            remove_folder(target)
            _write_files(store, wanted, target)
            self._fill(store, url, (wanted, target), levels - 1)

    def _store(self, url: str) -> Git:
        """The bare repository of an address, made when there is none."""
        name = hashlib.sha256(os.fsencode(url)).hexdigest()[:_ID_DIGITS]
        base = self._mirror.folder / "submodules"
        private_folder(base)
        git = Git(folder=base / f"{name}.git", environment=self._mirror.git.environment)
        if not git.folder.is_dir():
            unfinished = base / f"{name}.{os.getpid()}"
            remove_folder(unfinished)
            self._mirror.git.run("init", "--bare", "--quiet", "--template=", "--", str(unfinished))
            unfinished.rename(git.folder)
        return git

    def _bring(self, store: Git, url: str, commit: str) -> None:
        """Fetch a commit that is not there; from servers that give no single commit all branches."""
        if store.succeeds("cat-file", "-e", f"{commit}^{{tree}}"):
            return
        options = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
        settings = ("protocol.version=2", *self._settings)
        try:
            refs = f"+{commit}:refs/perfgate/{commit}"
            store.run(*options, "--", url, refs, timeout=COPY_TIMEOUT, settings=settings)
        except GitError:
            refs = "+refs/heads/*:refs/heads/*"
            store.run(*options, "--", url, refs, timeout=COPY_TIMEOUT, settings=settings)
        if not store.succeeds("cat-file", "-e", f"{commit}^{{tree}}"):
            raise GitError(f"the submodule has no commit {commit[:12]}", url, "leave --submodules out")


def submodule_links(git: Git, commit: str) -> dict[str, str]:
    """Path and wanted commit of each submodule of a commit."""
    found = {}
    for row in git.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
        if row.startswith(_LINK_MODE):
            head, _, path = row.partition(b"\t")
            found[os.fsdecode(path)] = head.split()[2].decode()
    return found


def submodule_addresses(git: Git, commit: str) -> dict[str, str]:
    """Address of each path that the `.gitmodules` of a commit names; without the file there is none."""
    pattern = r"^submodule\..*\.(path|url)$"
    try:
        printed = git.run("config", f"--blob={commit}:.gitmodules", "-z", "--get-regexp", pattern)
    except GitError:
        return {}
    values: dict[str, dict[str, str]] = {}
    for item in os.fsdecode(printed).split("\0"):
        key, _, value = item.partition("\n")
        name, _, word = key.rpartition(".")
        values.setdefault(name, {})[word] = value
    return {item["path"]: item["url"] for item in values.values() if {"path", "url"} <= item.keys()}


def _write_files(store: Git, commit: str, target: Path) -> None:
    """The files of a commit below a new folder, by an index of their own."""
    target.mkdir()
    index = store.folder / f"index.{os.getpid()}"
    git = Git(folder=target, environment=store.environment, git_dir=store.folder, index=index)
    try:
        git.run("read-tree", commit)
        git.run("checkout-index", "--all", "--force", "--quiet", timeout=COPY_TIMEOUT)
    finally:
        index.unlink(missing_ok=True)
