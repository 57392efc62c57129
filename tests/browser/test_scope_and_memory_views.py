"""Data flow, memory, comparison and history in a real browser: opening, choosing, copying, sorting."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from perfgate.baseline.past import PastBaseline
from perfgate.core.execution_profile import FlowRow, MemoryEventRow
from tests.browser.conftest import page_of
from tests.page_profiles import US, in_a_row, material
from tests.records import make_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.opened import OpenedPage

    Open = Callable[..., OpenedPage]

BEFORE = {"net.a.conv": 10, "net.a.relu": 2, "net.b.conv": 5, "net.b.relu": 2, "net.head": 1}
AFTER = BEFORE | {"net.a.conv": 30}
COMMITS = tuple(f"{number:040x}" for number in range(1, 4))
BOXES = "Bokeh.documents.at(-1).get_model_by_name('flow-boxes').data"


@pytest.fixture(scope="module")
def page(browser: Any) -> str:  # noqa: ANN401 - Playwright's
    del browser  # asked for first, so that nothing is drawn in vain
    record = make_record("drawn", device="drawn-device")
    history = tuple(
        PastBaseline(commit=commit, date="2026-01-01T00:00:00Z", subject="accept", record=record)
        for commit in COMMITS
    )
    events = (
        MemoryEventRow(0, "alloc", 0, "kept", 4096, 0),
        MemoryEventRow(30 * US, "alloc", 1, "short", 1024, 4096),
        MemoryEventRow(32 * US, "free", 1, "short", 1024, 4096),
        MemoryEventRow(40 * US, "free", 0, "kept", 4096, 0),
    )
    sides = [in_a_row(BEFORE), in_a_row(AFTER)]
    flows = tuple(FlowRow(number, number + 1, 1000) for number in range(4))
    memory = msgspec.structs.replace(sides[1].hardware.memory, events=events)
    hardware = msgspec.structs.replace(sides[1].hardware, memory=memory)
    after = msgspec.structs.replace(sides[1], flows=flows, hardware=hardware)
    return page_of(replace(material(sides[0], after), history=history, records=(record, record)))


def shown(opened: OpenedPage) -> int:
    count: int = opened.page.evaluate(f"{BOXES}.row.length")
    return count


def path(opened: OpenedPage) -> list[str]:
    texts: list[str] = opened.page.locator("#panel-flow .path button").all_inner_texts()
    return texts


def test_a_scope_opens_by_click_and_escape_leads_up_to_the_start(page: str, open_page: Open) -> None:
    opened = open_page(page, "flow")
    assert shown(opened) == 4  # a.conv, a.relu, b, head
    row = opened.page.evaluate(
        f"[...{BOXES}.x0].map((x, i) => [x, {BOXES}.x1[i], {BOXES}.y0[i], {BOXES}.y1[i]])[2]"
    )
    opened.click_at((row[0] + row[1]) / 2, (row[2] + row[3]) / 2)
    opened.until("document.getElementById('selected').textContent.includes('net.b:')")
    assert shown(opened) == 4  # now a, b.conv, b.relu, head
    assert path(opened) == ["start", "+ drawn on drawn-device", "= b"]
    opened.page.focus("#panel-flow .drawing")
    opened.page.keyboard.press("Escape")
    assert path(opened) == ["start", "+ drawn on drawn-device"]
    assert shown(opened) == 3  # a, b, head
    opened.page.keyboard.press("Escape")
    assert path(opened) == ["start"]
    assert shown(opened) == 4
    assert opened.complaints() == []


def test_arrow_keys_follow_the_flow(page: str, open_page: Open) -> None:
    opened = open_page(page, "flow")
    opened.page.focus("#panel-flow .drawing")
    told = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        opened.page.keyboard.press(key)
        told.append(opened.text("#selected").partition(":")[2].partition(":")[0].strip())
    assert told == ["start", "net.a.conv", "net.a.relu", "net.b", "net.a.relu"]


def test_the_peak_selects_what_is_live_there(page: str, open_page: Open) -> None:
    opened = open_page(page, "memory")
    names = "['memory-lives', 'memory-lives-at-peak']"
    visible = f"{names}.map((name) => Bokeh.documents.at(-1).get_model_by_name(name).visible)"
    assert opened.page.evaluate(visible) == [True, False]
    opened.page.focus("#panel-memory .drawing")
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("Enter")
    assert opened.text("#selected").startswith("selected: peak 5.12 kB at 30.0 us")
    assert opened.page.evaluate(visible) == [False, True]
    assert opened.complaints() == []


def test_the_axis_of_memory_reaches_from_the_peak_to_the_limits(page: str, open_page: Open) -> None:
    opened = open_page(page, "memory")
    end = "Bokeh.documents.at(-1).get_model_by_name('memory-size').end"
    near = opened.page.evaluate(end)
    opened.page.click("#panel-memory .bar button:text-is('to the limits')")
    assert opened.page.evaluate(end) > 0.9 * (1 << 20) / 1000 > near  # 90 % of 1 MiB in kB


def test_a_click_into_the_history_copies_the_commit(page: str, open_page: Open) -> None:
    opened = open_page(page, "history", permissions=["clipboard-read", "clipboard-write"])
    opened.page.focus("#panel-history .drawing")
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        opened.page.keyboard.press(key)
    assert opened.text("#selected").startswith(f"selected: {COMMITS[1][:7]} 2026-01-01")
    opened.until("navigator.clipboard.readText().then((text) => text.length === 40)")
    assert opened.page.evaluate("navigator.clipboard.readText()") == COMMITS[1]


def test_the_comparison_is_sorted_and_filtered(page: str, open_page: Open) -> None:
    opened = open_page(page, "compare")
    opened.page.click("#panel-compare button.table")
    opened.page.click("#panel-compare th:has-text('difference, ps') button")
    rows = opened.tables("compare")[1]
    assert rows[1][0] in {"#0 net.a.conv", "total"}
    assert {rows[1][5], rows[2][5]} == {str(20 * US)}
    opened.page.fill("#search", "net.b")
    visible = opened.page.locator("#panel-compare tbody tr:visible th").all_inner_texts()
    assert visible == ["#2 net.b.conv", "#3 net.b.relu"]
    assert opened.complaints() == []
