from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfgate.backends.launch import Reading
from perfgate.backends.readings import ReadingError, read_values


def by_regex(regex: str, factor: float = 1.0) -> Reading:
    return Reading(metric="latency", unit="s", regex=regex, factor=factor)


def by_pointer(pointer: str) -> Reading:
    return Reading(metric="latency", unit="s", pointer=pointer)


def refusal(reading: Reading, *texts: str) -> str:
    with pytest.raises(ReadingError) as caught:
        read_values(reading, texts)
    return str(caught.value)


# Lines as trtexec of TensorRT 8 and benchmark_app of OpenVINO print them.
TRTEXEC = """\
[12/01/2026-10:00:00] [I] === Performance summary ===
[12/01/2026-10:00:00] [I] Throughput: 1012.5 qps
[12/01/2026-10:00:00] [I] GPU Compute Time: min = 0.95 ms, max = 1.2 ms, mean = 0.98 ms, median = 0.97 ms
"""
BENCHMARK_APP = """\
[ INFO ] Execution Devices:['CPU']
[ INFO ] Latency:
[ INFO ]    Median:        4.51 ms
[ INFO ]    Average:       4.62 ms
[ INFO ] Throughput:   219.33 FPS
"""


def test_the_group_of_a_regex_is_the_value() -> None:
    assert read_values(by_regex(r"median = (\S+) ms", 1e-3), (TRTEXEC,)) == pytest.approx((0.97e-3,))
    assert read_values(by_regex(r"Throughput: +(\S+) FPS"), (BENCHMARK_APP,)) == (219.33,)


def test_every_match_is_a_sample_in_order() -> None:
    assert read_values(by_regex(r"^t=(\S+)$"), ("t=3\nx\nt=1e0\nt=.5\n",)) == (3.0, 1.0, 0.5)


def test_a_group_named_value_is_taken_among_several() -> None:
    assert read_values(by_regex(r"(GPU|CPU) (?P<value>\d+)"), ("GPU 7",)) == (7.0,)


def test_standard_error_is_read_when_standard_output_has_no_match() -> None:
    assert read_values(by_regex(r"t=(\S+)"), ("nothing", "t=2")) == (2.0,)
    assert read_values(by_regex(r"t=(\S+)"), ("t=1", "t=2")) == (1.0,)


# RFC 6901, section 5: its own document; the numbers differ, since it has a zero and texts.
RFC = (
    '{"foo": [1, 2], "": 3, "a/b": 4, "c%d": 5, "e^f": 6, "g|h": 7, '
    '"i\\\\j": 8, "k\\"l": 9, " ": 10, "m~n": 11}'
)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/foo", (1.0, 2.0)),
        ("/foo/0", (1.0,)),
        ("/", (3.0,)),
        ("/a~1b", (4.0,)),
        ("/c%d", (5.0,)),
        ("/e^f", (6.0,)),
        ("/g|h", (7.0,)),
        ("/i\\j", (8.0,)),
        ('/k"l', (9.0,)),
        ("/ ", (10.0,)),
        ("/m~0n", (11.0,)),
    ],
)
def test_json_pointers_answer_as_the_rfc_says(pointer: str, value: tuple[float, ...]) -> None:
    assert read_values(by_pointer(pointer), (RFC,)) == value


def test_an_empty_pointer_is_the_whole_document() -> None:
    assert read_values(by_pointer(""), ("[1, 2.5]",)) == (1.0, 2.5)
    assert read_values(by_pointer(""), ("7\n",)) == (7.0,)


@pytest.mark.parametrize(
    ("pointer", "text", "words"),
    [
        ("/a", '{"a": ', "no JSON for latency, expecting value: line 1 column 7"),
        ("/a", "", "no JSON for latency, nothing there"),
        ("/a", "[" * 200_000, "nested too deep"),
        ("/a/b", '{"a": {}}', "nothing at /a/b for latency: 'b' is not there"),
        ("/a/01", '{"a": [1, 2]}', "'01' is not there"),
        ("/a/-", '{"a": [1]}', "'-' is not there"),
        ("/a/9", '{"a": [1]}', "'9' is not there"),
        ("/a", '{"a": []}', "an empty array at /a"),
        ("/a", '{"a": {"b": 1}}', 'latency is {"b": 1}, no number'),
        ("/a", '{"a": true}', "latency is true, no number"),
        ("/a", '{"a": null}', "latency is null, no number"),
        ("/a", '{"a": "fast"}', "latency is 'fast', no number"),
        ("/a", '{"a": [1, NaN]}', "latency is nan; want finite values above 0"),
        ("/a", '{"a": Infinity}', "latency is inf; want finite values above 0"),
        ("/a", '{"a": -1}', "latency is -1; want finite values above 0"),
        ("/a", '{"a": 0}', "latency is 0; want finite values above 0"),
    ],
)
def test_what_is_no_measurement_is_refused(pointer: str, text: str, words: str) -> None:
    assert words in refusal(by_pointer(pointer), text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("took long", "no match of"),
        ("", "no match of"),
        ("took n/a ms", "latency is 'n/a', no number"),
        ("took 1,5 ms", "latency is '1,5', no number"),
        ("took nan ms", "want finite values above 0"),
        ("took -3 ms", "want finite values above 0"),
        ("took 1e999 ms", "want finite values above 0"),
    ],
)
def test_a_match_that_is_no_measurement_is_refused(text: str, words: str) -> None:
    assert words in refusal(by_regex(r"took (\S+) ms"), text)


DATA = Path(__file__).parents[2] / "data" / "formats"


@pytest.mark.parametrize(
    ("file", "reading", "first"),
    [
        # The first value of each file, as it stands there, in stored units.
        ("trtexec_in.json", Reading(metric="compute_time", unit="s", format="trtexec"), "computeMs"),
        ("hyperfine_with_times.json", Reading(metric="latency", unit="s", format="hyperfine"), "times"),
    ],
)
def test_a_tools_own_file_gives_all_its_samples(file: str, reading: Reading, first: str) -> None:
    text = (DATA / file).read_text()
    document = json.loads(text)
    if first == "computeMs":
        expected = [query["computeMs"] * 1e-3 for query in document]
    else:
        reading = msgspec.structs.replace(reading, name=document["results"][0]["command"])
        expected = document["results"][0]["times"]
    assert read_values(reading, (text,)) == pytest.approx(expected)


HYPERFINE = """{"results": [
  {"command": "a", "mean": 1.0, "times": [1.0, 1.5], "exit_codes": [0, 0]},
  {"command": "b", "mean": 1.0, "times": [1.0], "exit_codes": [3]},
  {"command": "c", "mean": 2.0, "times": [2.0], "exit_codes": [0]}]}"""


@pytest.mark.parametrize(
    ("change", "text", "words"),
    [
        ({"name": ""}, HYPERFINE, "no benchmark ''; `name` one of a, c"),
        ({"name": "d"}, HYPERFINE, "no benchmark 'd'; `name` one of a, c"),
        ({"name": "b"}, HYPERFINE, "b failed, "),
        ({"metric": "memory"}, HYPERFINE, "no metric memory of a, only latency"),
        ({"unit": "B"}, HYPERFINE, "latency is in s, not in B"),
        ({}, '{"results": [', "broken JSON"),
        ({}, "", "the file is empty"),
        ({}, HYPERFINE.replace("1.5", "NaN"), "the number is not finite"),
    ],
)
def test_what_a_tools_file_does_not_tell_is_named(change: dict[str, str], text: str, words: str) -> None:
    reading = Reading(metric="latency", unit="s", format="hyperfine", name="a")
    assert words in refusal(msgspec.structs.replace(reading, **change), text)


@given(st.lists(st.floats(min_value=1e-90, max_value=1e90), min_size=1))
def test_printed_numbers_come_back_as_they_were(values: list[float]) -> None:
    text = "\n".join(f"t={value!r}" for value in values)
    assert read_values(by_regex(r"t=(\S+)"), (text,)) == tuple(values)


@given(st.text())
def test_any_output_gives_values_or_one_reason(text: str) -> None:
    for reading in (by_regex(r"(\d+)"), by_pointer("/a")):
        try:
            assert min(read_values(reading, (text,))) > 0
        except ReadingError:
            continue
