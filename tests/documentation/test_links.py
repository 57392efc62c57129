"""Every link of every page leads to a file and a heading that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.architecture.source import ROOT
from tests.documentation.links import Link, anchors, is_dead, links, pages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [str(link) for link in links(page) if is_dead(link)] == []


def test_the_pages_are_full_of_links() -> None:
    assert sum(1 for page in pages() for _ in links(page)) > 100  # else the test above checks nothing


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        seen.add(page)
        found = {
            ROOT / path[1:] if path.startswith("/") else (page.parent / path).resolve()
            for link in links(page)
            if (path := link.target.partition("#")[0]).endswith(".md")
        }
        todo += found - seen
    decisions = ROOT / "docs" / "adr"  # named as a folder
    assert [page for page in pages() if page not in seen and page.parent != decisions] == []


def test_anchors_are_those_of_github(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# The `perfgate` verb: a--b, c_d!\n\n## Twice\n\n## Twice\n", encoding="utf-8")
    # By hand, after GitHub's rule: lower case, signs but - and _ away, blanks to -, -1 for the second.
    assert anchors(page) == {"the-perfgate-verb-a--b-c_d", "twice", "twice-1"}


@pytest.mark.parametrize("target", ["GONE.md", "CI.md#gone", "../../outside.md", "/docs/GONE.md", "#gone"])
def test_a_dead_link_is_found(target: str) -> None:
    assert is_dead(Link(ROOT / "docs" / "MATH.md", 1, target))
