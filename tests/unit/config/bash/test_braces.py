"""Brace expansion; every expectation is what bash prints for the word, an empty word included."""

from __future__ import annotations

import pytest

from perfgate.config.bash.braces import expand_braces
from perfgate.config.bash.command_reading import CommandReader
from perfgate.config.bash.syntax import Literal
from perfgate.config.spans import Source

WORDS = {
    "a{b,c}d": ["abd", "acd"],
    "{a,{b,c}}": ["a", "b", "c"],
    "{a,b}{c,d}": ["ac", "ad", "bc", "bd"],
    "{1..3}": ["1", "2", "3"],
    "{3..1}": ["3", "2", "1"],
    "{1..6..2}": ["1", "3", "5"],
    "{01..03}": ["01", "02", "03"],
    "{-1..1}": ["-1", "0", "1"],
    "{c..a}": ["c", "b", "a"],
    "{a,}": ["a", ""],
    "{x}": ["{x}"],
    "{a,b": ["{a,b"],
    "a}": ["a}"],
    "{a..}": ["{a..}"],
    "{1..a}": ["{1..a}"],
    "'{a,b}'": ["{a,b}"],
    "{'a,b',c}": ["a,b", "c"],
    "{a\\,b,c}": ["a,b", "c"],
}


@pytest.mark.parametrize(("text", "wanted"), WORDS.items(), ids=WORDS)
def test_words(text: str, wanted: list[str]) -> None:
    word = CommandReader(Source(path="f", text=text).whole()).read_word()
    assert word is not None
    ways = [
        "".join(part.text.text for part in way.parts if isinstance(part, Literal))
        for way in expand_braces(word)
    ]
    assert ways == wanted


def test_every_way_keeps_the_places_of_its_characters() -> None:
    word = CommandReader(Source(path="f", text="--b={1,2}").whole()).read_word()
    assert word is not None
    second = expand_braces(word)[1].parts
    assert [part.text.span().column for part in second if isinstance(part, Literal)] == [1, 8]
