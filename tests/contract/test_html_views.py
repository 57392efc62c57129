"""What every view of the HTML page keeps to: the page's script drives all of them by the same words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.baseline.past import PastBaseline
from perfgate.report.html.payload import document
from perfgate.report.html.view import WALK
from perfgate.report.html.views import page_views
from tests.page_profiles import hostile, in_a_row, material
from tests.records import make_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfgate.report.html.material import Material
    from perfgate.report.html.view import Option, View

pytest.importorskip("bokeh")
BEFORE = {"net.a.conv": 10, "net.a.relu": 2, "net.b.conv": 5, "net.gone": 1}
AFTER = {"net.a.conv": 30, "net.a.relu": 2, "net.b.conv": 5, "net.new": 3}
RECORDS = (make_record("drawn", device="drawn-device"), make_record("drawn", device="drawn-device"))
PAST = tuple(
    PastBaseline(commit=f"{number:040x}", date="2026-01-01T00:00:00Z", subject="accept", record=RECORDS[0])
    for number in range(3)
)


def materials() -> dict[str, Material]:
    pair = material(in_a_row(BEFORE), in_a_row(AFTER))
    return {
        "two sides": replace(pair, records=RECORDS, history=PAST),
        "one side": material(None, in_a_row({"alone": 10})),
        "hostile": material(hostile(), hostile()),
    }


@dataclass(frozen=True, slots=True)
class Drawn:
    """A view with its drawing as the page holds it."""

    view: View
    drawing: dict[str, Any]


@pytest.fixture(scope="module")
def drawn() -> dict[str, Drawn]:
    return {
        f"{name}, {view.name}": Drawn(view, document(view.draw()))
        for name, made in materials().items()
        for view in page_views(made)
    }


NAMES = ("flame", "timeline", "heat", "flow", "memory", "compare", "history")


@pytest.fixture(params=[f"{name}, {view}" for name in ("two sides", "one side", "hostile") for view in NAMES])
def case(request: pytest.FixtureRequest, drawn: dict[str, Drawn]) -> Drawn:
    return drawn[request.param]


def test_every_view_is_on_the_page(drawn: dict[str, Drawn]) -> None:
    assert [item.view.name for key, item in drawn.items() if key.startswith("one side")] == list(NAMES)


def models(case: Drawn) -> dict[str, dict[str, Any]]:
    """The named models of the drawing."""
    return {found["attributes"]["name"]: found for found in _walked(case.drawing) if _name(found)}


def _name(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("attributes"), dict) and "name" in value["attributes"]


def _walked(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _walked(item)
    elif isinstance(value, list):
        for item in value:
            yield from _walked(item)


def options(view: View) -> list[Option]:
    chosen = [option for choice in view.choices for option in choice.options]
    return [*chosen, *view.actions, *view.buttons]


def test_the_walk_is_one_table(case: Drawn) -> None:
    lengths = {len(column) for column in case.view.walk.values()}
    assert len(lengths) == 1
    count = lengths.pop()
    for way in ("up", "down", "left", "right", "parent"):
        assert all(-1 <= int(row) < count for row in case.view.walk.get(way, ()))
    assert all(-1 <= int(action) < len(case.view.actions) for action in case.view.walk.get("act", ()))
    if "label" not in case.view.walk:  # then the first table tells what a row is
        assert count == len(case.view.tables[0].rows)


def test_what_a_button_puts_is_there(case: Drawn) -> None:
    named = models(case)
    for option in options(case.view):
        for setting in option.settings:
            if setting.model == WALK:
                assert isinstance(setting.value, list)
                assert setting.path in case.view.walk
                assert len(setting.value) == len(case.view.walk["op"])
            else:
                assert setting.model in named


def test_the_script_finds_its_models(case: Drawn) -> None:
    named = models(case)
    assert "main" in named
    assert named["main"]["name"] == "Figure"
    if "x0" in case.view.walk:
        assert "cursor" in named


def test_tables_have_a_caption_and_a_cell_for_each_column(case: Drawn) -> None:
    for table in case.view.tables:
        assert table.caption
        for row in (*table.rows, *table.keys):
            assert len(row) == len(table.header)
        assert len(table.keys) in {0, len(table.rows)}
        assert len(table.operators) in {0, len(table.rows)}


def test_equal_material_draws_equal_bytes(drawn: dict[str, Drawn]) -> None:
    for view in page_views(materials()["two sides"]):
        other = drawn[f"two sides, {view.name}"]
        assert document(view.draw()) == other.drawing
        assert (view.walk, view.tables, view.actions) == (
            other.view.walk,
            other.view.tables,
            other.view.actions,
        )


def test_no_text_of_a_view_hides_a_sign_or_runs_on(case: Drawn) -> None:
    texts = [text for text in _texts(case) if isinstance(text, str)]
    assert not any(sign in text for text in texts for sign in "\u202e\x00\u2028")
    assert all(len(text) < 1000 for text in texts)


def _texts(case: Drawn) -> Iterator[object]:
    view = case.view
    for name in ("label", "name", "inside"):
        yield from view.walk.get(name, ())
    for table in view.tables:
        for row in table.rows:
            yield from row
    yield from view.notes
    yield from _strings(case.drawing)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value if len(value) < 2000 or " " in value else ""  # packed arrays are long words
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
