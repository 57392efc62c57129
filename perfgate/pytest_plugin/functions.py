"""Test functions that use the `perfgate` fixture: which they are, and which of them need the clock."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

FIXTURE = "perfgate"
TIMED_MARK = "timed"
_SIMULATED = frozenset({"model"})  # methods of the fixture that need no clock


def uses_fixture(item: pytest.Item) -> bool:
    """The test asks for the fixture, itself or through another fixture."""
    return FIXTURE in getattr(item, "fixturenames", ())


def mark_timed(items: Sequence[pytest.Item]) -> None:
    """Give the mark `timed` to tests that need the machine for themselves, so that `-m` sees it."""
    known: dict[Any, bool] = {}
    for item in items:
        if uses_fixture(item):
            function = getattr(item, "function", None)
            if function not in known:
                known[function] = _calls_the_clock(function)
            if known[function]:
                item.add_marker(TIMED_MARK)


def is_marked_timed(item: pytest.Item) -> bool:
    """The item carries the mark."""
    return item.get_closest_marker(TIMED_MARK) is not None


def _calls_the_clock(function: Any) -> bool:  # noqa: ANN401 - whatever pytest calls
    """The test's own text calls the fixture, or anything of it but `model`.

    A measurement that is made elsewhere (a helper, another fixture) is not seen here; it is refused where it
    happens.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError):
        return False
    return any(isinstance(node, ast.Call) and _needs_clock(node.func) for node in ast.walk(tree))


def _needs_clock(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id == FIXTURE
    if isinstance(called, ast.Call):  # perfgate.named("x")(fn)
        return _is_named(called)
    if not isinstance(called, ast.Attribute) or called.attr in _SIMULATED | {"named"}:
        return False
    return (isinstance(called.value, ast.Name) and called.value.id == FIXTURE) or _is_named(called.value)


def _is_named(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "named"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == FIXTURE
    )
