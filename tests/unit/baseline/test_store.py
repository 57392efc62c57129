from __future__ import annotations

import json

import msgspec
import pytest

from perfgate.baseline.store import decode_record, encode_record, read_baselines, trace_id
from perfgate.core.errors import UnusableError
from perfgate.core.record import Provenance
from tests.records import make_record


def test_a_record_survives_the_file() -> None:
    record = make_record("a")
    assert decode_record(encode_record(record).encode(), "baselines/dev/a.json") == record


def test_the_text_is_sorted_and_each_run_is_one_line() -> None:
    text = encode_record(make_record("a", latencies=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    content = json.loads(text)
    assert list(content) == sorted(content)
    assert '"latency": [1.0, 2.0, 3.0]' in text
    assert text.endswith("}\n")
    assert "\r" not in text


@pytest.mark.parametrize("cut", [0, 1, 100, -2])
def test_a_truncated_file_is_refused_with_file_and_remedy(cut: int) -> None:
    text = encode_record(make_record("a"))
    with pytest.raises(UnusableError, match=r"baselines/dev/a\.json.*git checkout"):
        decode_record(text[:cut].encode(), "baselines/dev/a.json")


def test_an_edited_value_does_not_match_the_digest() -> None:
    text = encode_record(make_record("a", latencies=[[1.0] * 5]))
    with pytest.raises(UnusableError, match="digest"):
        decode_record(text.replace("1.0, 1.0", "1.0, 2.0").encode(), "a.json")


def test_a_trace_id_follows_from_what_was_measured_and_not_from_who_accepted_it() -> None:
    record = make_record("a", latencies=[[1.0] * 5])
    name = trace_id(record)
    assert len(name) == 32
    assert json.loads(encode_record(record))["digest"].startswith(name)
    accepted = msgspec.structs.replace(record, provenance=Provenance(author="x", reason="v1.3"))
    assert trace_id(accepted) == name
    assert trace_id(decode_record(encode_record(accepted).encode(), "a.json")) == name
    assert trace_id(make_record("a", latencies=[[1.5] * 5])) != name


def test_an_edited_value_can_be_shown_without_the_digest() -> None:
    text = encode_record(make_record("a", latencies=[[1.0] * 5]))
    record = decode_record(text.replace("[1.0, 1.0", "[1.0, 2.0").encode(), "a.json", check_digest=False)
    assert record.runs[0].samples["latency"][1] == 2.0


def test_an_unknown_schema_names_its_version() -> None:
    text = encode_record(make_record("a")).replace("perfgate/record/1", "perfgate/record/7")
    with pytest.raises(UnusableError, match="unknown schema 'perfgate/record/7'"):
        decode_record(text.encode(), "a.json")


def test_an_empty_record_is_refused() -> None:
    empty = msgspec.structs.replace(make_record("a"), runs=(), exact={})
    with pytest.raises(UnusableError, match="no samples and no exact metrics"):
        decode_record(encode_record(empty).encode(), "a.json")


def test_unusable_files_are_kept_with_their_reason() -> None:
    good = encode_record(make_record("a")).encode()
    stored = read_baselines({"baselines/dev/a.json": good, "baselines/dev/b.json": b"{"})
    assert set(stored.records) == {"a[dev]"}
    assert "broken JSON" in stored.unusable["baselines/dev/b.json"]


def test_a_file_under_another_benchmarks_name_is_unusable() -> None:
    stored = read_baselines({"baselines/dev/b.json": encode_record(make_record("a")).encode()})
    assert stored.records == {}
    assert "a[dev]" in stored.unusable["baselines/dev/b.json"]


def test_a_second_file_of_the_same_benchmark_is_unusable() -> None:
    text = encode_record(make_record("a")).encode()
    stored = read_baselines({"baselines/dev/a.json": text, "baselines/old/dev/a.json": text})
    assert set(stored.records) == {"a[dev]"}
    assert "another file holds a[dev]" in stored.unusable["baselines/old/dev/a.json"]
