"""Links of Markdown pages: what they lead to, and the anchors that GitHub makes of headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from tests.architecture.source import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from markdown_it.token import Token

# Paths of the repository that a text names without linking them: `docs/CI.md`, `tests/null/`.
NAMED_PATH = re.compile(r"(?:docs|tests|perfgate)/[\w./-]+")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written, and where it stands."""

    page: Path
    line: int
    target: str

    def __str__(self) -> str:
        """For the reader of a failed test."""
        return f"{self.page.relative_to(ROOT)}:{self.line}: {self.target}"


def pages() -> list[Path]:
    """Every page for people: the README and all below docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def links(page: Path) -> Iterator[Link]:
    """The links of a page that lead into the repository; web addresses are not followed."""
    for token, line in _inline(page):
        target = token.attrGet("href") or token.attrGet("src")
        if isinstance(target, str) and not re.match(r"https?:|mailto:", target):
            yield Link(page, line, target)
        if token.type == "code_inline" and NAMED_PATH.fullmatch(token.content):
            yield Link(page, line, "/" + token.content)


def is_dead(link: Link) -> bool:
    """Whether there is no such file or no such heading in it."""
    path, _, anchor = link.target.partition("#")
    if path.startswith("/"):
        target = ROOT / path[1:]
    else:
        target = link.page if not path else (link.page.parent / path).resolve()
    if not target.exists() or not target.is_relative_to(ROOT):
        return True
    return bool(anchor) and anchor not in anchors(target)


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings: small letters, blanks to hyphens, no other signs; repeats counted."""
    seen: dict[str, int] = {}
    found = set()
    tokens = _tokens(page)
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            text = "".join(item.content for item in token.children or ())
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            found.add(f"{slug}-{count}" if count else slug)
    return frozenset(found)


def _inline(page: Path) -> Iterator[tuple[Token, int]]:
    for token in _tokens(page):
        for item in token.children or ():
            yield item, (token.map or [0])[0] + 1


@cache
def _tokens(page: Path) -> list[Token]:
    return MarkdownIt("gfm-like", {"linkify": False}).parse(page.read_text(encoding="utf-8"))
