"""Where a submodule comes from: relative addresses resolved, everything but https and ssh refused."""

from __future__ import annotations

import re

from perfgate.bisection.gitrun import GitError

TRANSPORTS = ("https", "ssh")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SHORT_SSH = re.compile(r"[^-/:\\][^/:\\]*:[^:\\].*")  # user@host:path
_ORIGIN = re.compile(r"([a-z]+://[^/]+/|[^/:]+:)(.+)")  # host, path
_RELATIVE = ("./", "../")


def submodule_url(url: str, origin: str, transports: tuple[str, ...]) -> str:
    """The whole address of a submodule; `origin` is that of the repository around it, "" for none.

    Raises:
        GitError: it is relative to nothing, or its transport is not one of those allowed.
    """
    found = resolved(url, origin) if url.startswith(_RELATIVE) else url
    if transport_of(found) not in transports:
        remedy = "only https and ssh addresses are fetched, and relative ones if the origin has such a one"
        raise GitError(f"the submodule's address {url!r} is not allowed", ".gitmodules", remedy)
    return found


def transport_of(url: str) -> str:
    """The transport that git would take; "" for what nobody should guess at, such as `ext::command`."""
    scheme = _SCHEME.match(url)
    if scheme is not None:
        return scheme[1].lower() if url[scheme.end() : scheme.end() + 1] != "-" else ""
    if url.startswith("/"):
        return "file"
    return "ssh" if _SHORT_SSH.fullmatch(url) else ""


def resolved(url: str, origin: str) -> str:
    """A relative address as git reads it, "" when it leads above the host or the origin has none."""
    known = _ORIGIN.fullmatch(origin.rstrip("/"))
    if known is None:
        return ""
    parts = known[2].split("/")
    for word in url.split("/"):
        if word == ".." and not parts:
            return ""
        if word == "..":
            parts.pop()
        elif word != ".":
            parts.append(word)
    return known[1] + "/".join(parts)
