"""Globs on values and paths without regular expressions: at most pattern x text steps."""

from __future__ import annotations

from functools import lru_cache


def expand_braces(pattern: str) -> tuple[str, ...]:
    """`a.{x,y}` as `a.x` and `a.y`; braces do not nest, an unclosed one is an ordinary sign."""
    start = pattern.find("{")
    end = pattern.find("}", start)
    if start < 0 or end < 0:
        return (pattern,)
    heads = [pattern[:start] + choice for choice in pattern[start + 1 : end].split(",")]
    return tuple(head + tail for head in heads for tail in expand_braces(pattern[end + 1 :]))


def text_matches(pattern: str, text: str) -> bool:
    """Whether the whole text fits: `*` any signs, `?` one sign; case matters."""
    at, mark, star = 0, 0, -1
    index = 0
    while index < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, mark = at, index
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", text[index]):
            at += 1
            index += 1
        elif star >= 0:
            at = star + 1
            mark += 1
            index = mark
        else:
            return False
    return all(sign == "*" for sign in pattern[at:])


@lru_cache(maxsize=4096)
def path_matches(pattern: str, path: str) -> bool:
    """Whether a path fits: `*` and `?` stay inside one name, `**` spans folders, `{a,b}` chooses.

    A pattern that ends with `/` means everything below that folder.
    """
    return any(
        _segments_match(choice.split("/"), path.split("/")) for choice in expand_braces(_folder(pattern))
    )


def _folder(pattern: str) -> str:
    pattern = pattern.removeprefix("./")
    return f"{pattern}**" if pattern.endswith("/") else pattern


def _segments_match(patterns: list[str], names: list[str]) -> bool:
    reachable = {0}
    for pattern in patterns:
        if pattern == "**":
            reachable = set(range(min(reachable), len(names) + 1))
        else:
            reachable = {i + 1 for i in reachable if i < len(names) and text_matches(pattern, names[i])}
        if not reachable:
            return False
    return len(names) in reachable


def any_path_matches(patterns: tuple[str, ...], path: str) -> bool:
    """Whether one of the patterns fits; no pattern at all fits everything."""
    return not patterns or any(path_matches(pattern, path) for pattern in patterns)
