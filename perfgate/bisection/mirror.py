"""The private mirror: a bare clone in the cache folder where commits are checked out and built.

The user's repository is only read. Objects are shared by hard links, which git never writes to; there are no
alternates, no hooks and none of the user's configuration, so nothing of theirs runs and a `gc` on their side
takes nothing from us.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.gitrun import COPY_TIMEOUT, Git, GitError, scrubbed, trusted_folders
from perfgate.core.errors import UnusableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_FILE_TRANSPORT = ("protocol.file.allow=always", "protocol.version=2")  # version 2 answers for any commit id
_ID_DIGITS = 16
_PRIVATE = 0o700
_CACHE_MARK = "CACHEDIR.TAG"
_CACHE_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Copies that perfgate makes again when needed.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The user's repository, for reading. `git` runs in its `root`, the top of the working tree."""

    root: Path
    common: Path
    git: Git
    is_shallow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """Our copy; `git` runs in it. Worktrees, journals and caches lie beside it in `folder`."""

    folder: Path
    git: Git

    @property
    def repository(self) -> Path:
        """The bare repository."""
        return self.git.folder


def bisect_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where mirrors and journals live: `PERFGATE_CACHE`, else the user's cache folder."""
    named = environment.get("PERFGATE_CACHE", "")
    if named:
        return home.joinpath(named) / "bisect"
    base = environment.get("XDG_CACHE_HOME", "")
    return (home.joinpath(base) if base else home / ".cache") / "perfgate" / "bisect"


def open_source(root: Path, cache: Path, environment: Mapping[str, str]) -> Source:
    """The repository that holds `root`, with a git that reads and never writes there.

    Raises:
        UsageError: `root` is in no repository, git refuses it, or it is bare.
    """
    private_folder(cache)
    _write(cache / _CACHE_MARK, _CACHE_TEXT)  # backup programs leave such folders out
    config = cache / "gitconfig"
    trusted = trusted_folders(environment)
    _write(config, _safe_section(trusted))
    git = Git(folder=root, environment=scrubbed(environment, config))
    try:
        top = git.text("rev-parse", "--show-toplevel")
        common = git.text("rev-parse", "--path-format=absolute", "--git-common-dir")
    except GitError as problem:
        if "not a git repository" in problem.what:
            remedy = "run inside the repository whose history is searched"
            raise UsageError("not a git repository", str(root), remedy) from None
        raise
    if trusted:
        # Git has just accepted the working tree by the user's own entry; a clone asks for its .git as well.
        _write(config, _safe_section((*trusted, common)))
    source = Git(folder=root.__class__(top), environment=git.environment)
    is_shallow = source.text("rev-parse", "--is-shallow-repository") == "true"
    return Source(root=source.folder, common=root.__class__(common), git=source, is_shallow=is_shallow)


def mirror_folder(source: Source, cache: Path) -> Path:
    """Our folder for a repository; named by an id of ours, never by anything in the repository."""
    common = source.common.resolve()
    found = common.stat()
    identity = f"{common}\0{found.st_dev}\0{found.st_ino}"
    return cache / hashlib.sha256(os.fsencode(identity)).hexdigest()[:_ID_DIGITS]


def open_mirror(source: Source, cache: Path) -> Mirror:
    """The mirror of a repository, cloned when there is none. The caller holds the mirror's lock.

    Raises:
        UnusableError: there is one, but git cannot read it.
        GitError: it cannot be made.
    """
    folder = mirror_folder(source, cache)
    private_folder(folder)
    home = folder / "mirror.git"
    git = Git(folder=home, environment=source.git.environment)
    used_mark(folder).touch()
    if home.exists():
        if not home.is_dir() or not git.succeeds("rev-parse", "--git-dir"):
            remedy = "remove it with `perfgate cache prune --all`; it is made again"
            raise UnusableError("the mirror cannot be read", str(home), remedy)
        return Mirror(folder=folder, git=git)
    unfinished = folder / "unfinished.git"
    shutil.rmtree(unfinished, ignore_errors=True)
    # A path is cloned by hard links where the disk allows it; --local would refuse to copy where not.
    # --dissociate: a source that borrows objects from a third repository would make us borrow as well.
    options = ("--bare", "--dissociate", "--template=", "--quiet", "--no-tags")
    in_folder = Git(folder=folder, environment=source.git.environment)
    try:
        in_folder.run(
            "clone",
            *options,
            "--",
            str(source.common),
            str(unfinished),
            timeout=COPY_TIMEOUT,
            settings=_FILE_TRANSPORT,
        )
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    unfinished_git = Git(folder=unfinished, environment=source.git.environment)
    unfinished_git.run("config", "--remove-section", "remote.origin")  # nothing may lead back by accident
    unfinished.rename(home)
    return Mirror(folder=folder, git=git)


def used_mark(folder: Path) -> Path:
    """A file whose time says when the mirror was used last."""
    return folder / "used"


def bring(mirror: Mirror, source: Source, commits: Iterable[str]) -> None:
    """Copy commits that the mirror does not have yet; each is kept by a reference of ours.

    Raises:
        GitError: the source does not give them.
    """
    absent = [item for item in dict.fromkeys(commits) if not _has(mirror, item)]
    if absent:
        _fetch(mirror, str(source.common), [f"+{item}:refs/perfgate/{item}" for item in absent])


def deepen(mirror: Mirror, url: str) -> None:
    """Bring the whole history from the origin into the mirror of a shallow clone, which itself stays shallow.

    Raises:
        GitError: the origin cannot be reached, or refuses.
    """
    _fetch(mirror, url, ["+refs/heads/*:refs/origin/*", "+refs/tags/*:refs/tags/*"], "--unshallow")


def is_shallow(mirror: Mirror) -> bool:
    """The history ends somewhere before its beginning."""
    return mirror.git.text("rev-parse", "--is-shallow-repository") == "true"


def origin_url(source: Source) -> str:
    """Where the repository was cloned from; "" when it has no `origin`."""
    try:
        return source.git.text("config", "--local", "--get", "remote.origin.url")
    except GitError:
        return ""


def private_folder(folder: Path) -> None:
    """Make a folder that only its user can look into.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
        folder.chmod(_PRIVATE)
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        remedy = "free it, or name another folder by PERFGATE_CACHE"
        raise UsageError(f"the cache folder cannot be made, {reason}", str(folder), remedy) from None


def _has(mirror: Mirror, commit: str) -> bool:
    """The commit with all that it needs: an earlier fetch that was cut off leaves no reference."""
    return mirror.git.succeeds("cat-file", "-e", f"{commit}^{{tree}}")


def _fetch(mirror: Mirror, place: str, refs: list[str], *options: str) -> None:
    mirror.git.run(
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        *options,
        "--",
        place,
        *refs,
        timeout=COPY_TIMEOUT,
        settings=_FILE_TRANSPORT,
    )


def _safe_section(folders: Sequence[str]) -> str:
    """Configuration that says which foreign repositories the user trusts; empty for none."""
    lines = "".join(f'\tdirectory = "{_quoted(item)}"\n' for item in folders)
    return f"[safe]\n{lines}" if lines else ""


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _write(path: Path, text: str) -> None:
    """Whole or not at all: another process may be reading it."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8", errors="surrogateescape")
    unfinished.replace(path)
