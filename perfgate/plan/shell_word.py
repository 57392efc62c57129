"""Shell text: the one function that quotes, so that a value of the repository stays one word."""

from __future__ import annotations

import shlex


def shell_word(text: str) -> str:
    """A word that every POSIX shell reads as exactly this text.

    Raises:
        ValueError: the text holds a zero byte, which no argument can.
    """
    if "\0" in text:
        raise ValueError("a zero byte cannot stand in a shell word")
    return shlex.quote(text)


def shell_line(words: tuple[str, ...]) -> str:
    """A command on one line."""
    return " ".join(map(shell_word, words))
