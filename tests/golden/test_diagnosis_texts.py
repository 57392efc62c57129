"""Diagnoses as they were reviewed; `make golden` rewrites them. What must hold of them is checked besides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.golden.diagnosis_texts import DIAGNOSIS_TEXTS, diagnosed, incident

FOLDER = Path(__file__).parent
TEXTS = sorted(name for name in DIAGNOSIS_TEXTS if name.endswith(".txt"))


@pytest.mark.parametrize("name", sorted(DIAGNOSIS_TEXTS))
def test_a_text_is_the_reviewed_one(name: str) -> None:
    assert DIAGNOSIS_TEXTS[name]() + "\n" == (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TEXTS)
def test_the_printed_parts_and_shares_add_up_to_the_printed_total(name: str) -> None:
    text = DIAGNOSIS_TEXTS[name]()
    if "WHERE THE" not in text:
        assert name == "diagnosis-no-profile.txt"
        return
    rows = text.split("add up)\n")[1].split("\n\n")[0].splitlines()
    printed = [re.search(r"([+-][\d.]+) \S+ +(-?[\d.]+) %$", row) for row in rows]
    numbers = [(float(found[1]), float(found[2])) for found in printed if found is not None]
    *parts, total = numbers
    for part, whole in zip(zip(*parts, strict=True), total, strict=True):
        assert sum(part) == pytest.approx(whole, abs=1e-9)


def test_the_incident_is_the_one_that_was_calculated_by_hand() -> None:
    # SIMULATOR section 5: 10 round trips a step, 28 steps, 4,177,920 B per crossing, both directions.
    text = DIAGNOSIS_TEXTS["diagnosis-incident.txt"]()
    assert 4_177_920 * 2 * 10 * 28 == 2_339_635_200
    for word in (
        "0 B -> 2.34 GB",
        "UNet.mid_block.resnet.1.conv2",
        "3 implicit host copies per step",
        "implicit host copies elsewhere, 7 per step",
        "28 steps",
        "device -> host -> device",
        "--optypelayout=NCHW   (baseline: NHWC)",
        "(bisection, probability 0.998)",
        "recovers 100.0 % of the delta",
        "atc_convert: require --optypelayout=NHWC",
        "also changed, no effect found: deploy/runtime_config.yaml:2   log_level=debug   (baseline: info)",
    ):
        assert word in text


def test_the_alignment_case_has_the_stride_as_its_cause_and_no_flag_line() -> None:
    text = DIAGNOSIS_TEXTS["diagnosis-alignment.txt"]()
    assert re.search(r"cause .*stride 1025 is no multiple of 16", text)
    assert "pad_to: 1040" in text
    assert not re.search(r"^     flag ", text, re.MULTILINE)


def test_two_faults_are_two_causes_and_an_unchanged_pair_has_none() -> None:
    names = [
        cause.difference.name for cause in diagnosed("two_faults").causes if cause.difference is not None
    ]
    assert sorted(names) == ["--disable_pass", "--precision_mode"]
    quiet = diagnosed("nothing_changed")
    assert (quiet.causes, quiet.fixes, quiet.guardrail) == ((), (), "")


def test_fixes_of_the_incident_were_simulated_together_and_not_added_up() -> None:
    found = incident()
    gains = [found.amount - fix.after for fix in found.fixes if fix.after is not None]
    assert found.together is not None
    assert max(gains) <= found.amount - found.together < sum(gains)
