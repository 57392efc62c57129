"""A look at a file's bytes: does it hold a watched name at all? In real trees 0.2-7 % of files do.

A name put together from pieces (`"at" + "c"`) is not found.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from perfgate.config.programs import WATCH, Watch

_RUNTIME_STEM = "runtime_config"


def _pattern(watch: Watch) -> re.Pattern[bytes]:
    names = {name for program in watch.programs for name in (*program.names, *program.modules)}
    starts = [f"{re.escape(name.partition('*')[0])}" for name in sorted(names) if "*" in name]
    exact = [f"{re.escape(name)}(?!\\w)" for name in sorted(names) if "*" not in name]
    variables = "|".join(map(re.escape, sorted(watch.variables)))
    whole = rf"(?<!\w)(?:{'|'.join([*exact, *starts])})|{variables}"
    return re.compile(whole.encode())


_BUILT_IN = _pattern(WATCH)
_TORCH = re.compile(rb"\btorch\b")
_COMPILE = re.compile(rb"\bcompile\b")


def has_watched_name(path: str, data: bytes, watch: Watch = WATCH) -> bool:
    """The file may hold facts: it names a watched program or variable, or is a runtime file."""
    if PurePosixPath(path).stem == _RUNTIME_STEM:
        return True
    pattern = _BUILT_IN if watch is WATCH else _pattern(watch)
    if pattern.search(data) is not None:
        return True
    return _TORCH.search(data) is not None and _COMPILE.search(data) is not None
