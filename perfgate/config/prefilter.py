"""A look at a file's bytes: does it hold a watched name at all? In real trees 0.2-7 % of files do.

A name put together from pieces (`"at" + "c"`) is not found.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from perfgate.config.programs import PROGRAMS, WATCHED_VARIABLES

_RUNTIME_STEM = "runtime_config"


def _pattern() -> re.Pattern[bytes]:
    names = {name for program in PROGRAMS for name in (*program.names, *program.modules)}
    globs = sorted(name.rstrip("*") for name in names if name.endswith("*"))
    exact = sorted(name for name in names if not name.endswith("*"))
    words = "|".join(map(re.escape, exact))
    starts = "|".join(f"{re.escape(name)}\\w" for name in globs)
    variables = "|".join(map(re.escape, sorted(WATCHED_VARIABLES)))
    whole = rf"(?<![\w])(?:(?:{words})(?!\w)|{starts})|{variables}"
    return re.compile(whole.encode())


_WATCHED = _pattern()
_TORCH = re.compile(rb"\btorch\b")
_COMPILE = re.compile(rb"\bcompile\b")


def has_watched_name(path: str, data: bytes) -> bool:
    """The file may hold facts: it names a watched program or variable, or is a runtime file."""
    if PurePosixPath(path).stem == _RUNTIME_STEM:
        return True
    if _WATCHED.search(data) is not None:
        return True
    return _TORCH.search(data) is not None and _COMPILE.search(data) is not None
