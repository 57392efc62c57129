"""The table of a validation: percentages are recomputed from the raw values, units fit the row."""

from __future__ import annotations

import re

import msgspec
import pytest
from markdown_it import MarkdownIt

from perfgate.report.validation_table import (
    cells,
    change_text,
    markdown_table,
    pair_text,
    quantised_lines,
    validation_lines,
)
from tests.validations import EQUAL, KEY, ROWS, WEIGHTS, row, validation


@pytest.mark.parametrize(
    ("before", "after", "unit", "shown"),
    [  # the vectors of the source document
        (8.7, 2.3, "s", ["8.70 s", "2.30 s", "-73.6 %"]),
        (11.2, 2.9, "s", ["11.2 s", "2.90 s", "-74.1 %"]),
        (2.4e9, 0.0, "B", ["2.40 GB", "0 GB", "-100.0 %"]),
        (1.83, 0.19, "s", ["1.83 s", "0.19 s", "-89.6 %"]),
    ],
)
def test_the_vectors_of_the_source_document(before: float, after: float, unit: str, shown: list[str]) -> None:
    assert cells(row("x", before, after, unit=unit))[1:4] == shown


def test_every_printed_percentage_follows_from_the_raw_values() -> None:
    text = "\n".join(validation_lines(validation()))
    lines = [line for line in text.splitlines() if "%" in line]
    assert len(lines) == len(ROWS)
    for line, item in zip(lines, ROWS, strict=True):
        assert item.before is not None
        assert item.after is not None
        (printed,) = re.findall(r"([+-]\d+\.\d) %", line)
        assert float(printed) == pytest.approx((item.after - item.before) / item.before * 100, abs=0.05)


def test_the_prediction_says_by_how_much_it_was_missed() -> None:
    # 2.24 / 2.23 = 1.00448...
    assert [cells(item)[5] for item in ROWS] == ["2.23 s (0.4 % above)", "-", "0 GB", "0.19 s"]
    assert cells(row("x", 9.0, 2.0, predicted=2.5))[5] == "2.50 s (20.0 % below)"


@pytest.mark.parametrize(
    ("before", "after", "unit", "shown"),
    [
        (0.0, 1.5e6, "B", ("0 MB", "1.50 MB")),
        (None, 0.004, "s", ("-", "4.00 ms")),
        (7140.0, 5292.0, "count", ("7140", "5292")),
        (9.43e9, 1.99e9, "cycles", ("9.43 G cycles", "1.99 G cycles")),
        (0.0, 0.0, "s", ("0 ns", "0 ns")),
        (12.5, 3.0, "images/s", ("12.5 images/s", "3.00 images/s")),
    ],
)
def test_both_values_have_the_unit_of_the_larger(
    before: float | None, after: float | None, unit: str, shown: tuple[str, str]
) -> None:
    assert pair_text(before, after, unit) == shown


def test_from_zero_nothing_is_put_in_percent() -> None:
    assert cells(row("x", 0.0, 5.0))[3] == "-"
    assert change_text(3.09) == "+309.0 %"


def test_a_broken_output_is_loud_and_an_equal_one_says_so() -> None:
    text = "\n".join(validation_lines(validation(EQUAL)))
    assert re.search(r"output difference, max abs +- +0 +- +equal +0", text)
    broken = msgspec.structs.replace(EQUAL, largest=0.5, cosine=0.9, is_equal=False, is_within=False)
    text = "\n".join(validation_lines(validation(EQUAL, broken)))
    assert re.search(r"output difference, max abs +- +0.5 +- +BROKEN", text)
    assert "BROKEN image: off by up to 0.5 (allowed 0.0098), cosine 0.900000 (at least 0.999000)" in text
    lost = msgspec.structs.replace(broken, largest=None, reason="it is missing")
    assert "BROKEN image: it is missing" in "\n".join(validation_lines(validation(lost)))


def test_markdown_has_the_same_cells() -> None:
    hostile = msgspec.structs.replace(ROWS[0], label="a|b `c`\n# d")
    table = msgspec.structs.replace(validation().tables[0], rows=(hostile, *ROWS[1:]))
    html = (
        MarkdownIt("commonmark")
        .enable("table")
        .render(markdown_table(msgspec.structs.replace(validation(), tables=(table,)), KEY))
    )
    found = [re.findall(r"<td[^>]*>(.*?)</td>", line) for line in html.split("<tr>")[2:]]
    assert found[0][0] == r"<code>a\x7cb \x60c\x60\n# d</code>"
    assert [line[1:] for line in found] == [cells(item)[1:] for item in ROWS]
    assert markdown_table(validation(), "other[device]") == ""


def test_doubts_and_several_benchmarks_are_told_apart() -> None:
    doubt = msgspec.structs.replace(ROWS[1], verdict="inconclusive", reason="needs 550 samples")
    table = msgspec.structs.replace(validation().tables[0], rows=(doubt,))
    lines = list(
        validation_lines(
            msgspec.structs.replace(
                validation(), tables=(table, msgspec.structs.replace(table, key="other[d]")), notes=("n",)
            )
        )
    )
    assert lines[0] == KEY
    assert "other[d]" in lines
    assert "note: p99_latency: needs 550 samples" in lines
    assert lines[-1] == "note: n"


def test_weights_show_size_curve_and_bound() -> None:
    assert list(quantised_lines(WEIGHTS)) == [
        "weights of unet.onnx in symmetric int8: 4.00 kB -> 1.00 kB, -74.9 %",
        "  error in scales (bound 0.5): 50 % below 0.250, 100 % below 0.490",
        "  conv.weight: 1000 elements, scale 0.01, error 0.0049 of at most 0.005",
    ]
