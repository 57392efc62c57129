"""Foreign names as the page shows them: on one line, without hidden signs, of bounded length."""

from __future__ import annotations

from perfgate.report.inert import inert

LONGEST = 120  # signs of a name; a path is cut in the middle because both ends tell it apart
_CUT = "…"


def shown(name: str, longest: int = LONGEST) -> str:
    """The name with control and direction signs written out, cut in the middle."""
    return _cut(inert(_cut(name, longest)), longest)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    head = (longest - len(_CUT)) // 2
    return text[:head] + _CUT + text[len(text) - (longest - len(_CUT) - head) :]
