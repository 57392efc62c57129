"""The page as text: whole, closed to the outside, and the same for the same input."""

from __future__ import annotations

import dataclasses
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

import perfgate.report.html
from perfgate.report.html.page import page
from perfgate.report.html.views import page_views
from tests.page_profiles import HOSTILE_HERE, hostile, in_a_row, incident, large, material

ASSETS = Path(perfgate.report.html.__file__).parent / "assets"


class Scripts(HTMLParser):
    """Scripts that run, those that are data, landmarks in order, and every address that the page names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.run: list[str] = []
        self.data: list[str] = []
        self.landmarks: list[str] = []
        self.addresses: list[str] = []
        self.policy = ""
        self._target: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "script":
            self._target = self.data if "type" in found else self.run
            self._target.append("")
        if tag in {"header", "nav", "main", "footer"}:
            self.landmarks.append(tag)
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        self.addresses += [value for name, value in attrs if name in {"href", "src"} and value]

    def handle_data(self, data: str) -> None:
        if self._target is not None:
            self._target[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._target = None


@pytest.fixture(scope="module")
def text() -> str:
    given = incident()
    return page(given, page_views(given))


def test_the_policy_has_the_hash_of_each_script_that_runs_and_of_no_other(text: str) -> None:
    found = Scripts(text)
    hashes = {b64encode(sha256(script.encode()).digest()).decode() for script in found.run}
    assert len(found.run) == 2  # Bokeh's and ours
    assert set(re.findall(r"'sha256-([^']+)'", found.policy)) == hashes
    assert found.policy.startswith("default-src 'none';")


def test_no_address_leads_out_of_the_page(text: str) -> None:
    assert all(address.startswith("#") for address in Scripts(text).addresses)
    assert "url(" not in (ASSETS / "report.css").read_text(encoding="utf-8")


def test_equal_input_gives_equal_bytes(text: str) -> None:
    given = incident()
    assert page(given, page_views(given)) == text


def test_landmarks_stand_in_the_order_of_the_design(text: str) -> None:
    outer = [tag for tag in Scripts(text).landmarks if tag != "nav"]
    assert outer == ["header", "main", "footer"]
    assert Scripts(text).landmarks[:3] == ["header", "nav", "main"]


def test_hostile_names_make_no_element_and_no_placeholder() -> None:
    profile = hostile()
    given = material(profile, profile)
    found = Scripts(page(given, page_views(given)))
    assert len(found.run) == 2
    assert not any(name in block for name in HOSTILE_HERE[:3] for block in found.data)


def test_a_hostile_benchmark_is_escaped_in_title_and_head() -> None:
    profile = in_a_row({"a": 1})
    given = dataclasses.replace(material(None, profile), benchmark=HOSTILE_HERE[0])
    text = page(given, page_views(given))
    assert HOSTILE_HERE[0] not in text
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in text


def test_a_page_of_a_thousand_operators_is_small() -> None:
    given = material(large(1000, 2), large(1000, 2))
    assert len(page(given, page_views(given)).encode()) < 2_000_000


def test_the_script_evaluates_nothing_makes_no_html_and_stays_short() -> None:
    script = (ASSETS / "report.js").read_text(encoding="utf-8")
    assert len(script.splitlines()) <= 400
    for word in ("eval(", "Function(", "innerHTML", "outerHTML", "document.write", "fetch(", "XMLHttp"):
        assert word not in script


def test_no_drawing_uses_a_callback_that_would_need_eval() -> None:
    for file in ASSETS.parent.glob("*.py"):
        assert "CustomJS" not in file.read_text(encoding="utf-8"), file
