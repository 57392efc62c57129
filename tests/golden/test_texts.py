"""Texts for people, as they were reviewed; `make golden` rewrites them, and the diff is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.golden.texts import TEXTS

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_text_is_the_reviewed_one(name: str) -> None:
    assert TEXTS[name]() + "\n" == (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_no_text_holds_a_control_or_direction_character(name: str) -> None:
    text = TEXTS[name]()
    assert not [
        letter for letter in text if (ord(letter) < 32 and letter != "\n") or letter in "\u202e\u2066\u200b"
    ]


def test_a_failure_text_has_at_most_twelve_lines() -> None:
    texts = [TEXTS[name]() for name in TEXTS if name.startswith("failure")]
    assert texts
    assert all(len(text.splitlines()) <= 12 for text in texts)


def test_every_table_row_fits_its_width() -> None:
    for width in (80, 250):
        assert max(map(len, TEXTS[f"table-{width}.txt"]().splitlines())) <= width


def test_every_finding_of_the_graded_diagnosis_has_severity_evidence_and_fix() -> None:
    found = json.loads((FOLDER / "diagnosis.json").read_text(encoding="utf-8"))
    assert [fix["severity"] for fix in found["fixes"]] == ["high", "medium", "low"]
    assert [fix["cause"] for fix in found["fixes"]] == [0, 1, 2]
    assert all(cause["evidence"] and cause["sentence"] for cause in found["causes"])
    assert len(found["causes"]) == 3
