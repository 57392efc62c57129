"""Damaged and invented artefacts: one line that refuses them, never a traceback, never more than was said."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perfgate.core.codec import readable_json
from perfgate.core.errors import PerfgateError
from perfgate.workflow.ci_archive import read_archive
from perfgate.workflow.ci_records import Origin, read_delivery
from tests.github_server import HEAD, zipped

if TYPE_CHECKING:
    from collections.abc import Iterator

GOOD = zipped(
    {
        "origin.json": readable_json(Origin(pull_request=7, head=HEAD)).encode(),
        "records/dev/a.json": b'{"schema": "perfgate/record/1"}' * 20,
    }
)


@contextmanager
def one_line_at_most() -> Iterator[None]:
    """A refusal is one line; anything else that is raised fails the test."""
    try:
        yield
    except PerfgateError as problem:
        lines = str(problem).splitlines()
        if len(lines) != 1:
            pytest.fail(f"{lines}")


def accepted(data: bytes) -> dict[str, bytes]:
    """The files, or nothing when the archive is refused."""
    files: dict[str, bytes] = {}
    with one_line_at_most():
        files = read_archive(data)
    return files  # noqa: RET504 - a return inside is the only one that mypy would see


@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=4))
@settings(max_examples=100)
def test_a_damaged_archive_is_refused_or_holds_what_was_written(changes: list[tuple[int, int]]) -> None:
    data = bytearray(GOOD)
    for place, value in changes:
        data[place] = value
    whole = read_archive(GOOD)
    assert all(content in whole.values() or content == b"" for content in accepted(bytes(data)).values())


@given(st.binary(max_size=400))
@example(GOOD[-22:])
def test_bytes_that_nobody_zipped_are_refused(data: bytes) -> None:
    assert accepted(data) == {}


@given(st.dictionaries(st.sampled_from(["origin.json", "perfgate.json", "records/d/a.json"]), st.binary()))
def test_files_of_any_content_are_no_delivery_of_this_change(files: dict[str, bytes]) -> None:
    with one_line_at_most():
        read_delivery(files, pull_request=7, head=HEAD)
        pytest.fail("accepted")
