"""Reading the values of flags and keys: each reader answers with a value or one clear error."""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias, TypeVar

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.core.setting import Setting

FileReader: TypeAlias = "Callable[[str, str], str]"  # (name as written, place that names it) -> text

T = TypeVar("T")
_TRUE = frozenset({"true", "1", "on", "yes"})
_FALSE = frozenset({"false", "0", "off", "no"})
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)\s*", re.IGNORECASE)
_UNITS = {"": 1, "b": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
NOWHERE = "compile settings"


def refuse(setting: Setting, expected: str) -> NoReturn:
    """Raise the error for a value that the flag cannot have."""
    raise UsageError(f"{setting.name} is {setting.value!r}", setting.place or NOWHERE, f"expected {expected}")


def plain_name(name: str) -> str:
    """A flag or key without leading dashes; `-` inside is `_`, as both spellings are common."""
    return name.lstrip("-").replace("-", "_")


def text_of(setting: Setting, expected: str) -> str:
    """The value, which must be there."""
    if setting.value is None or not setting.value.strip():
        refuse(setting, expected)
    return setting.value.strip()


def choice_of(setting: Setting, choices: Mapping[str, T]) -> T:
    """One of the named values, case ignored."""
    expected = "one of " + ", ".join(choices)
    text = text_of(setting, expected).lower()
    for name, value in choices.items():
        if name.lower() == text:
            return value
    refuse(setting, expected)


def truth_of(setting: Setting) -> bool:
    """True or false; a bare flag is true."""
    if setting.value is None:
        return True
    text = setting.value.strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    refuse(setting, "true or false")


def count_of(setting: Setting, least: int, most: int) -> int:
    """A whole number within bounds."""
    expected = f"a whole number from {least} to {most}"
    text = text_of(setting, expected)
    if not re.fullmatch(r"[+-]?\d{1,18}", text) or not least <= int(text) <= most:
        refuse(setting, expected)
    return int(text)


def share_of(setting: Setting) -> float:
    """A number from 0 to 1."""
    text = text_of(setting, "a number from 0 to 1")
    try:
        value = float(text)
    except ValueError:
        refuse(setting, "a number from 0 to 1")
    if not 0.0 <= value <= 1.0:
        refuse(setting, "a number from 0 to 1")
    return value


def bytes_of(setting: Setting) -> int:
    """A size such as `2GB`, `512 MiB` or a number of bytes; GB is 10^9, GiB is 2^30."""
    expected = "a size such as 2GB or 512MiB"
    match = _SIZE.fullmatch(text_of(setting, expected))
    if match is None:
        refuse(setting, expected)
    number, unit = float(match[1]), match[2].lower()
    prefix = unit.rstrip("b")
    factor = _BINARY[prefix[0]] if prefix.endswith("i") and prefix[0] in _BINARY else _UNITS.get(prefix, 0)
    size = number * factor
    if not factor or not isfinite(size):
        refuse(setting, expected)
    return int(size)


def dims_of(setting: Setting, text: str, expected: str) -> tuple[int, ...]:
    """Comma-separated sizes; -1 is left open."""
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"-1|\d{1,12}", part) for part in parts):
        refuse(setting, expected)
    return tuple(int(part) for part in parts)


def read_beside(root: str | Path = ".") -> FileReader:
    """A reader of files named by flags: below `root` first, then beside the file that names them."""

    def read(name: str, place: str) -> str:
        beside = Path(place.rsplit(":", 2)[0]).parent if place else Path()
        candidates = [Path(root) / name, Path(root) / beside / name]
        for path in candidates:
            try:
                return path.read_text(encoding="utf-8")
            except FileNotFoundError:
                continue
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(
                    f"cannot read '{name}' ({error})", place or NOWHERE, "name a text file"
                ) from error
        raise UsageError(f"no such file '{name}'", place or NOWHERE, "name a file of the repository")

    return read
