from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from perfgate.core.difference import Difference, DifferenceKind
from perfgate.core.setting import Setting
from perfgate.diagnose.config_diff import differences
from tests.records import make_record

if TYPE_CHECKING:
    from perfgate.core.record import Record

BARE = make_record("net")


def setting(name: str, value: str | None, line: int = 3) -> Setting:
    return Setting(name=name, value=value, place=f"deploy/convert.sh:{line}:5")


def with_subject(record: Record = BARE, **fields: Any) -> Record:  # noqa: ANN401 - fields of the subject
    subject = msgspec.structs.replace(record.subject, **fields)
    return msgspec.structs.replace(record, subject=subject)


def flags(*settings: Setting) -> Record:
    return with_subject(compile=settings)


def told(before: Record, after: Record) -> list[tuple[str, str | None, str | None]]:
    return [(item.name, item.before, item.after) for item in differences(before, after)]


def test_equal_records_differ_in_nothing() -> None:
    assert differences(BARE, BARE) == ()


def test_a_flag_is_told_with_both_values_and_places() -> None:
    before, after = flags(setting("--x", "1", 3)), flags(setting("--x", "2", 7))
    assert differences(before, after) == (
        Difference(
            kind=DifferenceKind.FLAG,
            name="--x",
            before="1",
            after="2",
            place_before="deploy/convert.sh:3:5",
            place_after="deploy/convert.sh:7:5",
        ),
    )


def test_an_added_flag_a_removed_one_and_a_bare_one_are_told_apart() -> None:
    before, after = flags(setting("--gone", "1")), flags(setting("--bare", None))
    assert told(before, after) == [("--bare", None, ""), ("--gone", "1", None)]


def test_a_moved_flag_is_no_difference() -> None:
    before = flags(setting("--x", "1", 3), setting("--y", "2", 4))
    assert differences(before, flags(setting("--y", "2", 1), setting("--x", "1", 9))) == ()


def test_a_repeated_flag_is_compared_with_all_its_values() -> None:
    before, after = flags(setting("--x", "a"), setting("--x", "b")), flags(setting("--x", "b"))
    assert told(before, after) == [("--x", "a,b", "b")]


def test_flags_and_keys_of_one_name_are_two_differences() -> None:
    before = with_subject(compile=(setting("streams", "1"),), runtime=(setting("streams", "1"),))
    after = with_subject(compile=(setting("streams", "2"),), runtime=(setting("streams", "2"),))
    assert [item.kind for item in differences(before, after)] == [DifferenceKind.FLAG, DifferenceKind.RUNTIME]


def test_the_content_of_a_file_that_both_sides_name_is_a_difference() -> None:
    before, after = with_subject(files={"fusion.cfg": "aa"}), with_subject(files={"fusion.cfg": "bb"})
    (found,) = differences(before, after)
    assert (found.kind, found.name, found.before, found.after) == (
        DifferenceKind.FILE,
        "fusion.cfg",
        "aa",
        "bb",
    )


def test_a_file_that_one_side_names_is_the_difference_of_its_flag() -> None:
    before, after = with_subject(files={"old.cfg": "aa"}), with_subject(files={"new.cfg": "aa"})
    assert differences(before, after) == ()


def test_model_and_device_differ_by_digest_and_an_old_record_without_one_says_nothing() -> None:
    other = with_subject(model_digest="ff")
    assert [item.kind for item in differences(BARE, other)] == [DifferenceKind.MODEL]
    assert differences(with_subject(model_digest=""), other) == ()
    moved = msgspec.structs.replace(BARE, ruler=msgspec.structs.replace(BARE.ruler, device_digest="d2"))
    first = msgspec.structs.replace(BARE, ruler=msgspec.structs.replace(BARE.ruler, device_digest="d1"))
    (found,) = differences(first, moved)
    assert (found.kind, found.name, found.before, found.after) == (DifferenceKind.DEVICE, "dev", "d1", "d2")


@pytest.mark.parametrize(
    ("name", "backend", "is_told"),
    [
        ("onnx", "simulated", True),
        ("python", "simulated", False),  # the simulated time does not depend on it
        ("python", "python", True),
        ("seed", "python", False),
    ],
)
def test_versions_are_told_where_the_time_may_depend_on_them(
    name: str, backend: str, *, is_told: bool
) -> None:
    before, after = (
        msgspec.structs.replace(BARE, backend=backend, context={name: version}) for version in ("1", "2")
    )
    assert [item.name for item in differences(before, after)] == [name] * is_told


def stages(**values: str) -> Record:
    settings = [
        Setting(name=name.replace("__", "."), value=value, place="pipe.yaml:4:5")
        for name, value in values.items()
    ]
    return with_subject(pipeline=tuple(settings))


def test_settings_of_a_stage_that_both_sides_have_are_told_one_by_one() -> None:
    before = stages(period="33 ms", a__duration="1 ms", a__priority="1")
    after = stages(period="33 ms", a__duration="2 ms")
    found = differences(before, after)
    assert {item.kind for item in found} == {DifferenceKind.STAGE}
    assert told(before, after) == [("a.duration", "1 ms", "2 ms"), ("a.priority", "1", None)]


def test_a_stage_that_came_or_went_is_one_difference() -> None:
    before = stages(a__duration="1 ms")
    after = stages(a__duration="1 ms", b__resource="host", b__duration="2 ms")
    assert told(before, after) == [("b", None, "resource host, duration 2 ms")]
    assert told(after, before) == [("b", "resource host, duration 2 ms", None)]
    assert differences(before, after)[0].place == "pipe.yaml:4:5"


def test_engines_are_no_stage() -> None:
    assert told(stages(a__duration="1 ms"), stages(a__duration="1 ms", engines__host="2")) == [
        ("engines.host", None, "2")
    ]
