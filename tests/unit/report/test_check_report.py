"""The JSON report read back."""

from __future__ import annotations

import json

import pytest

from perfgate.core.codec import plain, readable_json
from perfgate.core.errors import UnusableError
from perfgate.report.check_report import check_report, decode_check_report
from tests.check_reports import hostile_report, make_report, red_report, unchanged


@pytest.mark.parametrize("report", [red_report(), hostile_report(), make_report(unchanged("a"))])
def test_a_report_survives_its_json(report: object) -> None:
    assert decode_check_report(readable_json(plain(report)).encode(), "r.json") == report


def test_members_that_no_report_shows_are_ignored() -> None:
    value = plain(red_report()) | {"evidence": [{"anything": 1}], "from_the_future": True}
    assert check_report(value, "r.json") == red_report()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "broken JSON"),
        (b"[]", "not the expected form"),
        (b"{}", "unknown schema None"),
        (b'{"schema": "perfgate/check/2"}', "unknown schema 'perfgate/check/2'"),
        (b'{"schema": "perfgate/check/1"}', "not the expected form"),
        (b'{"a":' * 100_000, "nested too deep"),
        (json.dumps(plain(red_report())).replace('"regressed"', '"fine"').encode(), "not the expected form"),
    ],
)
def test_another_file_is_refused_with_its_name(data: bytes, words: str) -> None:
    with pytest.raises(UnusableError, match=words) as caught:
        decode_check_report(data, "r.json")
    assert "r.json" in caught.value.where
