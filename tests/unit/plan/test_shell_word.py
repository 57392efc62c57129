"""One word stays one word, whatever it is called."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.plan.shell_word import shell_line, shell_word

HOSTILE = ("a; rm -rf b.onnx", "$(touch x)", "`id`", "it's", "", "-n", "a\nb", "~root", "*", "größe", "a\\")


def words_of(line: str) -> list[str]:
    """What a shell makes of a line, by its own `printf`."""
    done = subprocess.run(  # noqa: S603 - a fixed program
        ["/bin/sh", "-c", f"for word in {line}; do printf '%s\\0' \"$word\"; done"],
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().split("\0")[:-1]


def test_hostile_names_reach_the_program_as_they_are() -> None:
    assert words_of(shell_line(HOSTILE)) == list(HOSTILE)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_any_words_reach_the_program_as_they_are(words: list[str]) -> None:
    assert words_of(shell_line(tuple(words))) == words


def test_a_zero_byte_is_no_word() -> None:
    with pytest.raises(ValueError, match="zero byte"):
        shell_word("a\0b")
