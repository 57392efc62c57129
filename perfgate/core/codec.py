"""Values to JSON and back, with errors that name the file and the place inside it."""

from __future__ import annotations

import json
import math
import unicodedata
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from perfgate.core.errors import PerfgateError

T = TypeVar("T")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # control, format, surrogates, separators


def decode(data: bytes, target: type[T], where: str, error: type[PerfgateError], remedy: str) -> T:
    """Read JSON bytes as the type; unknown keys are refused by the types that say so.

    Refused besides what the type refuses: a byte order mark, `NaN` and infinities (JSON has none, and numbers
    that overflow a double become one), duplicate keys, text after the value.

    Raises:
        PerfgateError: of the given class: what is wrong, `where` with line and column, the given remedy.
    """
    try:
        text = data.decode("utf-8")
        content = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
    except UnicodeDecodeError as problem:
        raise error(f"byte {problem.start} is not UTF-8", where, remedy) from None
    except json.JSONDecodeError as problem:
        place = f"{where}:{problem.lineno}:{problem.colno}"
        what = problem.msg[:1].lower() + problem.msg[1:]
        raise error(f"broken JSON, {what}", place, remedy) from None
    except RecursionError:
        raise error("nested too deep", where, remedy) from None
    except ValueError as problem:  # from the hooks below, and numbers of more than 4,300 digits
        raise error(str(problem), where, remedy) from None
    return convert(content, target, where, error, remedy)


def convert(content: object, target: type[T], where: str, error: type[PerfgateError], remedy: str) -> T:
    """Check builtins against the type.

    Raises:
        PerfgateError: of the given class, with msgspec's path to the place.
    """
    try:
        return msgspec.convert(content, target)
    except msgspec.ValidationError as problem:
        what = str(problem).replace("`", "'")
        raise error(f"not the expected form, {what[:1].lower()}{what[1:]}", where, remedy) from None


def plain(value: Any) -> Any:  # noqa: ANN401 - any of our values in, builtins out
    """Only str, int, float, bool, None, list, tuple and dict: what may travel in a pytest report."""
    return msgspec.to_builtins(value, enc_hook=_numpy_scalar)


def readable_json(value: Any, *, flat: frozenset[str] = frozenset()) -> str:  # noqa: ANN401 - any of our values
    """JSON for review: sorted keys, two-space indent, LF, final newline, finite numbers only.

    Lists of numbers and rows of tables stand on one line each, so that a diff shows one changed run, or one
    changed operator, as one changed line. Members named in `flat` stand on one line whatever they hold.

    Raises:
        ValueError: a number is not finite.
    """
    text = _Writer(flat).text(plain(value), 0) + "\n"
    return text if text.isascii() else "".join(map(_visible, text))


def compact_json(value: Any) -> str:  # noqa: ANN401 - builtins
    """JSON on one line for programs, in Unicode, with control, direction and half characters as escapes.

    Raises:
        ValueError: a number is not finite.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text if text.isascii() else "".join(map(_visible, text))


def _visible(letter: str) -> str:
    """Control, direction and invisible signs as JSON escapes: whoever prints the file sees them."""
    if letter == "\n" or unicodedata.category(letter) not in _HIDDEN:
        return letter
    return json.dumps(letter)[1:-1]


class _Writer:
    """Indented JSON whose number lists stay on one line; the standard encoder has no such form."""

    def __init__(self, flat: frozenset[str]) -> None:
        self.flat = flat

    def text(self, value: Any, level: int) -> str:  # noqa: ANN401 - builtins
        pad = "  " * (level + 1)
        if isinstance(value, dict) and value:
            rows = [
                f"{pad}{json.dumps(key)}: {self._member(key, item, level)}"
                for key, item in sorted(value.items())
            ]
            return "{\n" + ",\n".join(rows) + "\n" + "  " * level + "}"
        if isinstance(value, list | tuple) and any(isinstance(item, dict | list | tuple) for item in value):
            rows = [pad + self._element(item, level) for item in value]
            return "[\n" + ",\n".join(rows) + "\n" + "  " * level + "]"
        return json.dumps(value, allow_nan=False, ensure_ascii=False)

    def _element(self, value: Any, level: int) -> str:  # noqa: ANN401 - builtins
        """A row of a table (a dict of plain values) is one line."""
        is_row = isinstance(value, dict) and not any(isinstance(item, dict | list) for item in value.values())
        if is_row:
            return json.dumps(value, allow_nan=False, ensure_ascii=False, sort_keys=True)
        return self.text(value, level + 1)

    def _member(self, key: str, value: Any, level: int) -> str:  # noqa: ANN401 - builtins
        if key in self.flat:
            return json.dumps(value, allow_nan=False, ensure_ascii=False, sort_keys=True)
        return self.text(value, level + 1)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} twice")
    return result


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text} is too large")
    return value


def _numpy_scalar(value: Any) -> Any:  # noqa: ANN401 - whatever msgspec does not know
    """Numpy scalars and arrays without importing numpy here: both have `tolist`."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} does not travel")
