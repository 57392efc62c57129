"""Places inside JSON, and the errors that name them."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from perfgate.formats.node import Node, parse_json


def test_a_pointer_escapes_what_rfc_6901_escapes() -> None:
    node = parse_json('{"a/b": {"~": [1, "x"]}}', "f.json")
    found = node.member("a/b").member("~").elements()[1]
    assert found.place == "f.json:/a~1b/~0/1"
    assert node.place == "f.json:/"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("null", "null"),
        ("true", "true or false"),
        ('"1"', "a text"),
        ("[1]", "an array"),
        ("{}", "an object"),
    ],
)
def test_what_is_no_number_is_called_what_it_is(text: str, message: str) -> None:
    with pytest.raises(UnusableError, match=f"a number was expected, not {message}: f.json:/: "):
        parse_json(text, "f.json").number()


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", "1" + "0" * 400])
def test_numbers_that_no_double_holds_are_not_finite(text: str) -> None:
    with pytest.raises(UnusableError, match="the number is not finite"):
        parse_json(text, "f.json").number()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' twice"),
        ("[" * 100_000, "nested too deep"),
        ("1" * 5_000, "digits"),
    ],
)
def test_json_that_nobody_means_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnusableError, match=message):
        parse_json(text, "f.json")


def test_absent_and_null_members_are_alike() -> None:
    node = Node({"a": None}, "f.json")
    assert node.get("a") is None
    assert node.get("b") is None
    with pytest.raises(UnusableError, match=r"the member 'a' is missing: f.json:/: "):
        node.member("a")
