"""The page in a real browser: silent, offline, complete, and usable by mouse and keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.report.html.views import page_views
from tests import page_profiles
from tests.browser.conftest import page_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.opened import OpenedPage

    Open = Callable[..., OpenedPage]

SCREENSHOTS = Path(__file__).parents[2] / ".perfgate" / "screenshots"
CONVERSIONS = "layout conversions"
TABS = ["Flame", "Timeline", "Heat", "Data flow", "Memory", "Compare", "History"]


def test_every_view_is_drawn_without_a_request_a_complaint_or_a_violation(
    incident: str, open_page: Open
) -> None:
    opened = open_page(incident)
    for view in page_views(page_profiles.incident()):
        opened.go(view.name)
        assert opened.page.locator(f"#panel-{view.name} .drawing canvas").count() >= 1, view.name
        opened.page.screenshot(path=SCREENSHOTS / f"{view.name}.png", full_page=True)
    assert opened.complaints() == []


def test_only_the_first_view_is_built_at_load(incident: str, open_page: Open) -> None:
    opened = open_page(incident)
    assert opened.page.evaluate("Bokeh.documents.length") == 1
    opened.go("timeline")
    assert opened.page.evaluate("Bokeh.documents.length") == 2
    opened.go("flame")
    assert opened.page.evaluate("Bokeh.documents.length") == 2


def test_the_tables_in_the_page_are_those_of_python(incident: str, open_page: Open) -> None:
    opened = open_page(incident)
    for view in page_views(page_profiles.incident()):
        opened.go(view.name)
        opened.page.click(f"#panel-{view.name} button.table")
        expected = [[list(table.header), *map(list, table.rows)] for table in view.tables]
        assert opened.tables(view.name) == expected, view.name
        captions = opened.page.locator(f"#panel-{view.name} caption").all_inner_texts()
        assert captions == [table.caption for table in view.tables]


def test_a_table_is_sorted_by_what_its_cells_mean(open_page: Open) -> None:
    profile = page_profiles.in_a_row({"slow": 3000, "fast": 20, "middle": 500})  # us: 3 ms, 20 us, 500 us
    opened = open_page(page_of(page_profiles.material(profile, profile)))
    opened.page.click("#panel-flame button.table")
    opened.page.click("#panel-flame th:has-text('after') button")
    names = [row[0] for row in opened.tables("flame")[0][1:]]
    assert names == ["drawn on drawn-device", "slow", "middle", "fast"]
    opened.page.click("#panel-flame th:has-text('after') button")
    assert opened.tables("flame")[0][1][0] == "fast"


def test_landmarks_and_tabs_stand_in_the_order_of_the_design(incident: str, open_page: Open) -> None:
    opened = open_page(incident)
    tags = "[...document.body.children].map((item) => item.tagName)"
    landmarks = [tag for tag in opened.page.evaluate(tags) if tag not in {"DIV", "SCRIPT"}]
    assert landmarks == ["HEADER", "NAV", "MAIN", "FOOTER"]
    tabs = opened.page.locator("[role=tab]").all_inner_texts()
    assert tabs == [title for title in TABS if title in tabs]


def test_a_click_drills_down_and_escape_leads_up_again(open_page: Open) -> None:
    profile = page_profiles.in_a_row({"a.left": 30, "a.right": 10, "b.only": 60})
    opened = open_page(page_of(page_profiles.material(profile, profile)))
    assert opened.range() == (0.0, 100.0)  # us
    opened.click_at(20, -1.5)  # the scope `a`, which lies below the root from 0 to 40
    opened.until("document.getElementById('selected').textContent.startsWith('selected: a ')")
    assert opened.range() == (0.0, 40.0)
    path = opened.page.locator("#panel-flame .path button").all_inner_texts()
    assert path == ["= drawn on drawn-device", "= a"]
    opened.page.focus("#panel-flame .drawing")
    opened.page.keyboard.press("Escape")
    assert opened.range() == (0.0, 100.0)


def test_the_mouse_over_a_bar_shows_its_row_of_the_table_as_text(open_page: Open) -> None:
    profile = page_profiles.in_a_row({"a": 30, "b": 70})
    opened = open_page(page_of(page_profiles.material(profile, profile)), "timeline")
    assert not opened.page.is_visible("#tip")
    opened.point_at(60, -1.4)  # in the second lane, that of after: b runs from 30 to 100
    opened.page.wait_for_selector("#tip:not([hidden])")
    tip = opened.page.text_content("#tip")
    assert tip.startswith("#1 b   side after   stream 0   engine matrix   start 30.0 us   duration 70.0 us")
    opened.point_at(60, -5)
    opened.page.wait_for_selector("#tip", state="hidden")


def test_the_wheel_zooms_and_never_leaves_the_data(open_page: Open) -> None:
    profile = page_profiles.in_a_row({"a": 30, "b": 70})
    opened = open_page(page_of(page_profiles.material(profile, profile)))
    opened.point_at(50, -0.5)
    opened.page.mouse.wheel(0, -240)
    opened.until("Bokeh.documents[0].get_model_by_name('main').x_range.end < 99")
    start, end = opened.range()
    assert 0 < start < 50 < end < 100
    for _ in range(8):
        opened.page.mouse.wheel(0, 480)
    opened.until("Bokeh.documents[0].get_model_by_name('main').x_range.end > 99.9")
    start, end = opened.range()
    assert start >= 0
    assert end <= 100


def test_the_jump_shows_the_largest_gap(open_page: Open) -> None:
    profile = page_profiles.large(60, 6)
    opened = open_page(page_of(page_profiles.material(None, profile)), "timeline")
    whole = opened.range()
    opened.page.click("#panel-timeline button:text-is('largest gap')")
    near = opened.range()
    assert near[1] - near[0] < whole[1] - whole[0]
    opened.page.click("#panel-timeline button:text-is('whole')")
    assert opened.range() == whole


def test_the_keyboard_reaches_tabs_drawing_and_table(incident: str, open_page: Open) -> None:
    opened = open_page(incident)
    opened.page.focus("#tab-flame")
    opened.page.keyboard.press("ArrowRight")
    opened.page.wait_for_selector("html[data-ready=timeline]")
    opened.page.keyboard.press("ArrowLeft")
    opened.page.wait_for_selector("html[data-ready=flame]")
    opened.page.focus("#panel-flame .drawing")
    told = []
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        opened.page.keyboard.press(key)
        told.append(opened.text("#selected"))
    assert told[0].startswith("selected: drawn on ")
    assert told[1].startswith("selected: UNet ")
    assert told[2].startswith("selected: UNet.")
    assert told[3] != told[2]
    assert told[4] == told[1]
    opened.page.focus("#panel-flame button.table")
    opened.page.keyboard.press("Enter")
    assert opened.page.is_visible("#panel-flame table")


def test_search_counts_marks_and_walks_through_what_it_finds(incident: str, open_page: Open) -> None:
    opened = open_page(incident)
    opened.page.keyboard.press("/")
    opened.page.keyboard.type(CONVERSIONS)
    count, _, _ = opened.text("#found").partition(" of ")
    assert int(count) > 0
    marked = opened.page.evaluate("Bokeh.documents[0].get_model_by_name('cursor').data.x0.length")
    assert marked == int(count)
    opened.page.keyboard.press("Enter")
    assert CONVERSIONS in opened.text("#selected")


def test_a_toggle_changes_what_the_colour_says_and_which_axis_is_shown(
    incident: str, open_page: Open
) -> None:
    opened = open_page(incident)
    field = "Bokeh.documents[0].get_model_by_name('flame-bars-0').glyph.fill_color.field"
    assert opened.page.evaluate(field) == "change"
    opened.page.click("#panel-flame .bar button:text-is('before')")
    assert opened.page.evaluate(field) == "before"
    opened.page.click("#panel-flame .bar button:text-is('share')")
    shown = "['time-axis', 'share-axis'].map((name) => Bokeh.documents[0].get_model_by_name(name).visible)"
    assert opened.page.evaluate(shown) == [False, True]
    assert opened.complaints() == []


def test_a_brush_over_the_heat_map_opens_its_time_in_the_timeline(incident: str, open_page: Open) -> None:
    opened = open_page(incident, "heat")
    whole = opened.range()[1]
    box = opened.page.locator("#panel-heat .drawing canvas").first.bounding_box()
    y = box["y"] + 30
    opened.page.mouse.move(box["x"] + box["width"] * 0.5, y)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + box["width"] * 0.7, y, steps=5)
    opened.page.mouse.up()
    opened.page.wait_for_selector("html[data-ready=timeline]")
    opened.until(f"Bokeh.documents[1].get_model_by_name('main').x_range.end < {0.9 * whole}")
    start, end = opened.range()
    assert 0.1 * whole < start < end
    assert 0.15 * whole < end - start < 0.3 * whole


def test_a_link_selects_its_operator_in_every_view(incident: str, open_page: Open) -> None:
    wanted = page_profiles.incident().operators[3].row.name
    opened = open_page(incident, "flame/3")
    assert wanted in opened.text("#selected")
    opened.go("timeline")
    assert wanted in opened.text("#selected")


def test_hostile_names_are_text_and_nothing_else(open_page: Open) -> None:
    profile = page_profiles.hostile()
    opened = open_page(page_of(page_profiles.material(profile, profile)))
    for view in ("flame", "timeline", "heat", "flow", "memory"):
        opened.go(view)
        opened.page.click(f"#panel-{view} button.table")
        opened.page.click(f"#panel-{view} button.table")
        opened.page.focus(f"#panel-{view} .drawing")
        opened.page.keyboard.press("ArrowDown")
        opened.page.keyboard.press("ArrowDown")
        opened.page.mouse.move(640, 330)
    cells = [row[0] for table in opened.tables("timeline") for row in table]
    assert any(cell.endswith("<img src=x onerror=alert(1)>") for cell in cells)
    assert opened.page.evaluate("document.images.length") == 0
    assert opened.complaints() == []


def test_dark_mode_has_a_dark_ground_and_light_text(incident: str, open_page: Open) -> None:
    opened = open_page(incident, color_scheme="dark")
    style = "getComputedStyle(document.body)"
    ground, ink = opened.page.evaluate(f"[{style}.backgroundColor, {style}.color]")
    assert (ground, ink) == ("rgb(22, 24, 27)", "rgb(236, 236, 236)")
    opened.page.screenshot(path=SCREENSHOTS / "flame-dark.png")
    assert opened.complaints() == []
