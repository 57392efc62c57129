"""Foreign text made harmless for terminals: no escape sequences, no line breaks, no direction tricks."""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset(
    {"Cc", "Cf", "Cs", "Zl", "Zp"}
)  # control, format (bidi, zero width), surrogates, separators


def inert(text: str) -> str:
    r"""The text with every control, format and line-separating character written out, such as `\x1b`."""
    return "".join(
        letter if unicodedata.category(letter) not in _HIDDEN else letter.encode("unicode_escape").decode()
        for letter in text
    )
