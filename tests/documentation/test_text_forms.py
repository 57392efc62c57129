"""The reading of message texts out of code, on small functions with known answers."""

from __future__ import annotations

import ast

import pytest

from tests.documentation.messages import messages
from tests.documentation.text_forms import Scope, forms


def read(source: str, **constants: str) -> list[str]:
    """The forms of the last line, an expression, after the lines before it."""
    *before, last = ast.parse(source).body
    assert isinstance(last, ast.Expr)
    return [form.text for form in forms(last.value, Scope(blocks=[before], constants=constants))]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("'plain'", ["plain"]),
        ("f'no {kind} named {name!r}'", ["no … named '…'"]),
        ("'a' + str(b)", ["a…"]),
        ("x = 'first'\nx = 'second'\nx", ["second"]),
        ("x = 'yes' if c else 'no'\nf'{x}!'", ["yes!", "no!"]),
        ("x = 'a' if c else 'b'\ny = '1' if c else '2'\nx + y", ["a1", "b2"]),  # one condition, no mixing
        ("if c:\n    x = 'a'\nelse:\n    x = 'b'\nx", ["a", "b"]),
        ("x = 'old'\nif c:\n    x = 'new'\nx", ["new", "old"]),
        ("x, y = 'a', 'b'\ny", ["b"]),
        ("HINT", ["look"]),
        ("unknown", ["…"]),
    ],
)
def test_a_text_expression_gives_the_texts_it_can_be(source: str, texts: list[str]) -> None:
    assert read(source, HINT="look") == texts


def test_messages_of_every_exit_code_are_found_with_their_remedies() -> None:
    found = messages()
    assert {item.exit_code.value for item in found} == {1, 2, 10, 11, 12}
    assert len(found) > 300
    texts = {(item.what, item.remedy) for item in found}
    assert ("a baseline needs a reason", "say why, such as --reason 'release 1.3'") in texts
    assert ("the repository has no commit", "commit the baselines first") in texts
