from __future__ import annotations

import msgspec
import pytest

from perfgate.core.difference import DifferenceKind
from perfgate.diagnose.guardrail_line import guardrail_for
from tests.diagnoses import LAYOUT, cause


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("NHWC", "NCHW", "atc_convert: require --optypelayout=NHWC"),
        ("NHWC", None, "atc_convert: require --optypelayout=NHWC"),
        ("", None, "atc_convert: require --optypelayout"),
        (None, "NCHW", "atc_convert: forbid --optypelayout"),
    ],
)
def test_the_line_would_have_stopped_the_flag(before: str | None, after: str | None, line: str) -> None:
    difference = msgspec.structs.replace(LAYOUT, before=before, after=after)
    assert guardrail_for([cause(difference=difference)], "atc_convert") == line


def test_the_first_found_cause_that_is_a_flag_decides() -> None:
    other = msgspec.structs.replace(LAYOUT, name="--second")
    assert guardrail_for([cause(difference=None), cause(difference=other)], "atc").endswith("--second=NHWC")


@pytest.mark.parametrize(
    ("confidence", "changed"),
    [
        (0.49, {}),  # no more than a suspect
        (0.95, {"kind": DifferenceKind.RUNTIME}),
        (0.95, {"place_after": "", "place_before": ""}),  # out of the suite, no command to check
    ],
)
def test_no_line_where_no_rule_could_see_it(confidence: float, changed: dict[str, object]) -> None:
    difference = msgspec.structs.replace(LAYOUT, **changed)
    assert guardrail_for([cause(confidence, difference)], "atc_convert") == ""
