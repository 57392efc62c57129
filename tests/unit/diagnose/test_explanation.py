from __future__ import annotations

from perfgate.core.record import Hotspot, ProfileSummary
from perfgate.core.setting import Setting
from perfgate.diagnose.explanation import explain
from tests.records import make_record


def spot(number: int, total_ps: int, copied: int = 0) -> Hotspot:
    return Hotspot(
        number=number, name=f"op{number}", op="Conv", scope="s", total_ps=total_ps, copied_bytes=copied
    )


def flag(name: str, value: str | None, place: str = "c.sh:1:1") -> Setting:
    return Setting(name=name, value=value, place=place)


def test_operators_come_by_added_time_and_the_largest_copier_is_named() -> None:
    before = make_record("a", profile=ProfileSummary(total_ps=30, operators=(spot(1, 20), spot(2, 10))))
    now = make_record(
        "a",
        profile=ProfileSummary(total_ps=95, operators=(spot(1, 25, 300), spot(2, 30, 100), spot(3, 40))),
    )
    found = explain(before, now)
    assert [(change.now.number, change.before_ps, change.delta_ps) for change in found.operators] == [
        (3, 0, 40),
        (2, 10, 20),
        (1, 20, 5),
    ]
    assert found.copier is not None
    assert found.copier.now.number == 1


def test_changed_added_and_removed_settings_are_named_with_the_place_where_they_stand_now() -> None:
    before = make_record("a", settings=(flag("--a", "1"), flag("--b", None), flag("--c", "x", "c.sh:9:9")))
    now = make_record("a", settings=(flag("--a", "2", "c.sh:2:5"), flag("--b", None), flag("--d", None)))
    found = explain(before, now).settings
    assert [(change.name, change.before, change.now, change.place) for change in found] == [
        ("--a", "1", "2", "c.sh:2:5"),
        ("--c", "x", None, "c.sh:9:9"),
        ("--d", None, "(set)", "c.sh:1:1"),
    ]


def test_moved_lines_and_equal_records_explain_nothing() -> None:
    before = make_record("a", settings=(flag("--a", "1", "c.sh:1:1"),))
    now = make_record("a", settings=(flag("--a", "1", "c.sh:7:3"),))
    found = explain(before, now)
    assert found.settings == ()
    assert found.operators == ()
    assert found.copier is None
    assert not found.model_changed
