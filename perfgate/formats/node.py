"""A value inside a JSON file that knows its place, so that every refusal names file and JSON pointer."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from perfgate.core.errors import UnusableError

REMEDY = "write the file again with the tool that made it"


@dataclass(frozen=True, slots=True)
class Node:
    """`pointer` is the JSON pointer (RFC 6901) of `value` in the file `path`; "" is the whole file."""

    value: Any
    path: str
    pointer: str = ""

    @property
    def place(self) -> str:
        """File and JSON pointer."""
        return f"{self.path}:{self.pointer or '/'}"

    def refusal(self, what: str, remedy: str = REMEDY) -> UnusableError:
        """The error that says what is wrong here."""
        return UnusableError(what, self.place, remedy)

    def has(self, *keys: str) -> bool:
        """Is an object with all of these members, whatever they hold."""
        return isinstance(self.value, dict) and all(key in self.value for key in keys)

    def get(self, key: str) -> Node | None:
        """The member, None where it is absent or null.

        Raises:
            UnusableError: this is no object.
        """
        if not isinstance(self.value, dict):
            raise self.refusal(f"an object was expected, not {_kind(self.value)}")
        found = self.value.get(key)
        return None if found is None else self._inside(key, found)

    def member(self, key: str) -> Node:
        """The member.

        Raises:
            UnusableError: this is no object, or the member is absent or null.
        """
        found = self.get(key)
        if found is None:
            raise self.refusal(f"the member {key!r} is missing")
        return found

    def members(self) -> dict[str, Node]:
        """All members by name.

        Raises:
            UnusableError: this is no object.
        """
        if not isinstance(self.value, dict):
            raise self.refusal(f"an object was expected, not {_kind(self.value)}")
        return {key: self._inside(key, item) for key, item in self.value.items()}

    def elements(self) -> list[Node]:
        """All elements in order.

        Raises:
            UnusableError: this is no array.
        """
        if not isinstance(self.value, list):
            raise self.refusal(f"an array was expected, not {_kind(self.value)}")
        return [self._inside(str(index), item) for index, item in enumerate(self.value)]

    def text(self) -> str:
        """The string.

        Raises:
            UnusableError: this is none.
        """
        if not isinstance(self.value, str):
            raise self.refusal(f"a text was expected, not {_kind(self.value)}")
        return self.value

    def number(self) -> float:
        """The number.

        Raises:
            UnusableError: this is none, or not finite (some tools write `NaN` and `Infinity`).
        """
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.refusal(f"a number was expected, not {_kind(self.value)}")
        try:
            value = float(self.value)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise self.refusal("the number is not finite", "measure that benchmark again")
        return value

    def numbers(self) -> tuple[float, ...]:
        """All elements as numbers.

        Raises:
            UnusableError: this is no array of finite numbers.
        """
        return tuple(item.number() for item in self.elements())

    def _inside(self, key: str, value: object) -> Node:
        escaped = key.replace("~", "~0").replace("/", "~1")
        return Node(value, self.path, f"{self.pointer}/{escaped}")


def parse_json(text: str, path: str) -> Node:
    """The JSON of a text. `NaN` and `Infinity` are let in, since asv writes them; `Node.number` refuses them.

    Raises:
        json.JSONDecodeError: the text is no JSON.
        UnusableError: a key stands twice, numbers of thousands of digits, nested too deep.
    """
    try:
        return Node(json.loads(text, object_pairs_hook=_unique), path)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise UnusableError("nested too deep", path, REMEDY) from None
    except ValueError as problem:  # from the hook below, and numbers of more than 4,300 digits
        raise UnusableError(str(problem), path, REMEDY) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} twice in one object")
    return result


def _kind(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
