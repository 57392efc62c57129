"""Comments, summaries and annotations as they were reviewed, and foreign text held inert in each of them.

Markdown is read by markdown-it, which is another implementation than anything of perfgate's.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.check_reports import HOSTILE_NAME
from tests.golden.github_texts import GITHUB_TEXTS

FOLDER = Path(__file__).parent
MARKDOWN = sorted(name for name in GITHUB_TEXTS if name.endswith(".md"))
OUR_TAGS = (
    "<!-- perfgate:linux -->",
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<sub>",
    "</sub>",
)


def rendered(text: str) -> str:
    """HTML of the Markdown, raw tags passed through as GitHub does."""
    return str(MarkdownIt("commonmark").enable("table").render(text))


def without_code(html: str) -> str:
    return re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)


@pytest.mark.parametrize("name", sorted(GITHUB_TEXTS))
def test_a_text_is_the_reviewed_one(name: str) -> None:
    assert GITHUB_TEXTS[name]() + "\n" == (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(GITHUB_TEXTS))
def test_no_text_holds_a_control_or_hidden_sign(name: str) -> None:
    hidden = {
        f"U+{ord(sign):04X}"
        for sign in GITHUB_TEXTS[name]()
        if sign not in "\n\ufe0f" and unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    }
    assert hidden == set()


@pytest.mark.parametrize("name", MARKDOWN)
def test_foreign_text_is_code_and_nothing_else(name: str) -> None:
    html = without_code(rendered(GITHUB_TEXTS[name]()))
    for word in ("evil", "@org", "#123", "onerror", "perfgate:linux --&gt;", "alert", "http"):
        assert word not in html
    for tag in OUR_TAGS:
        html = html.replace(tag, "")
    allowed = r"</?(h3|p|strong|ul|li|table|thead|tbody|tr|th|td)( style=\"text-align:right\")?>"
    assert re.findall(r"<[^>]*>", re.sub(allowed, "", html)) == []


@pytest.mark.parametrize("name", MARKDOWN)
def test_every_table_row_has_the_seven_cells_of_its_head(name: str) -> None:
    html = rendered(GITHUB_TEXTS[name]())
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    assert {len(re.findall(r"<t[hd][ >]", row)) for row in rows} <= {7}
    assert len(re.findall(r"(?m)^\| (?:❌|⚠️|✅)", GITHUB_TEXTS[name]())) == html.count("<td>") // 4


def test_a_hostile_name_fills_its_cell_as_one_code_span_and_opens_no_comment() -> None:
    html = rendered(GITHUB_TEXTS["comment-hostile.md"]())
    cells = re.findall(r"<td>(.*?)</td>", html, re.DOTALL)[1:3]  # benchmark and device of the first row
    assert [len(re.findall("<code>.*?</code>", cell)) for cell in cells] == [1, 1]
    assert [re.sub("<code>.*?</code>", "", cell) for cell in cells] == ["", ""]
    assert html.count("<!--") == 1  # our own marker


@pytest.mark.parametrize("name", MARKDOWN)
def test_only_comments_begin_with_the_marker(name: str) -> None:
    assert GITHUB_TEXTS[name]().startswith("<!-- perfgate:linux -->\n") == name.startswith("comment")


@pytest.mark.parametrize("name", ["annotations.txt", "annotations-hostile.txt"])
def test_every_line_is_one_workflow_command_with_its_own_properties_only(name: str) -> None:
    lines = GITHUB_TEXTS[name]().splitlines()
    assert lines
    for line in lines:
        head, properties = re.match(r"::(error|warning|notice) ([^:]*)::", line).groups()  # type: ignore[union-attr]  # - None fails the test
        assert head
        keys = [part.partition("=")[0] for part in properties.split(",")]
        assert set(keys) <= {"file", "line", "endLine", "col", "endColumn", "title"}
        assert len(keys) == len(set(keys))


def test_the_hostile_name_is_as_hostile_as_it_says() -> None:
    html = rendered(f"| a |\n|---|\n| {HOSTILE_NAME} |")
    assert "<img" in html
    assert "perfgate:linux" in html
