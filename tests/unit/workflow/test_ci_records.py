"""What a job delivered: of this change, or refused before anything else of it is read."""

from __future__ import annotations

import json

import pytest

from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import encode_record
from perfgate.core.codec import plain, readable_json
from perfgate.core.errors import PerfgateError
from perfgate.workflow.ci_records import Origin, read_delivery
from tests.check_reports import red_report
from tests.github_server import HEAD
from tests.records import make_record

RECORD = make_record("net")
GOOD = {
    "origin.json": readable_json(Origin(pull_request=7, head=HEAD)).encode(),
    "perfgate.json": readable_json(plain(red_report())).encode(),
    f"records/{baseline_path('net', 'dev')}": encode_record(RECORD).encode(),
}
BROKEN = b"this is never parsed"


def test_a_delivery_of_this_change_is_read() -> None:
    delivery = read_delivery(GOOD, pull_request=7, head=HEAD)
    assert delivery.records == {"net[dev]": RECORD}
    assert delivery.claimed == red_report()


def test_a_run_that_ended_early_delivers_nothing() -> None:
    delivery = read_delivery({"origin.json": GOOD["origin.json"]}, pull_request=7, head=HEAD)
    assert (dict(delivery.records), delivery.claimed) == ({}, None)


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ({"pull_request": 8, "head": HEAD}, "of pull request 8, the event of 7"),
        ({"pull_request": 7, "head": "b" * 40}, "of commit 'bbb"),
        ({"pull_request": "7", "head": HEAD}, "not the expected form"),
        ({"pull_request": 7}, "not the expected form"),
    ],
)
def test_records_of_another_change_are_refused_before_anything_is_parsed(
    origin: dict[str, object], words: str
) -> None:
    files = dict.fromkeys(GOOD, BROKEN) | {"origin.json": json.dumps(origin).encode()}
    with pytest.raises(PerfgateError, match=words):
        read_delivery(files, pull_request=7, head=HEAD)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"origin.json": b'{"a":' * 200_000}, "nested too deep"),
        ({"perfgate.json": b"[" * 200_000}, "nested too deep"),
        ({f"records/{baseline_path('net', 'dev')}": b"[" * 200_000}, "nested too deep"),
        ({f"records/{baseline_path('net', 'dev')}": b'{"a": NaN}'}, "NaN is no JSON number"),
        ({"records/dev/other.json": encode_record(RECORD).encode()}, "whose baseline is"),
        ({"records/dev/readme.txt": b"hello"}, "broken JSON"),
    ],
)
def test_files_that_cannot_be_used_refuse_the_whole_delivery(change: dict[str, bytes], words: str) -> None:
    with pytest.raises(PerfgateError, match=words):
        read_delivery(GOOD | change, pull_request=7, head=HEAD)


def test_without_an_origin_nothing_is_accepted() -> None:
    with pytest.raises(PerfgateError, match=r"the file is missing: origin\.json"):
        read_delivery({"perfgate.json": GOOD["perfgate.json"]}, pull_request=7, head=HEAD)
