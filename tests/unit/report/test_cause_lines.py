from __future__ import annotations

import msgspec
import pytest

from perfgate.core.diagnosis import Commit
from perfgate.core.difference import DifferenceKind
from perfgate.report.cause_lines import cause_lines, difference_text, has_plan
from tests.diagnoses import LAYOUT, cause, diagnosis, fix

COMMIT = Commit(
    commit="a3f8d2c" + "0" * 33, subject="tidy convert flags", author="Ada", date="", relation="touched by"
)


def test_a_cause_its_commit_and_its_first_fix_are_three_lines() -> None:
    found = diagnosis(causes=(msgspec.structs.replace(cause(), commit=COMMIT),))
    assert cause_lines(found) == [
        "cause 0.95: deploy/convert.sh:4 --optypelayout NHWC -> NCHW at #447 UNet.mid_block.resnet.1.conv2",
        'commit: a3f8d2c "tidy convert flags" (touched by)',
        "fix: restore the layout flag: -6.90 s, -75.6 %, re-simulated",
    ]


def test_a_bisection_says_its_probability() -> None:
    commit = msgspec.structs.replace(COMMIT, relation="bisection", probability=0.998)
    found = diagnosis(causes=(msgspec.structs.replace(cause(), commit=commit),))
    assert cause_lines(found)[1] == 'commit: a3f8d2c "tidy convert flags" (bisection 0.998)'


def test_a_suspect_is_no_cause() -> None:
    assert cause_lines(diagnosis(causes=(cause(0.49),))) == []
    assert cause_lines(diagnosis(causes=())) == []


def test_without_a_setting_the_sentence_speaks_and_names_the_operator_once() -> None:
    found = diagnosis(fix(after=None, advice="x"), causes=(cause(difference=None),))
    assert cause_lines(found) == [
        "cause 0.95: tensor layout changed, NHWC -> NCHW at #447 UNet.mid_block.resnet.1.conv2"
    ]
    named = msgspec.structs.replace(
        cause(difference=None), sentence="UNet.mid_block.resnet.1.conv2 is slower"
    )
    assert cause_lines(diagnosis(causes=(named,)))[0] == "cause 0.95: UNet.mid_block.resnet.1.conv2 is slower"


def test_an_estimate_is_no_fix_with_a_gain() -> None:
    assert len(cause_lines(diagnosis(fix(after=None, is_estimated=True)))) == 1


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "deploy/convert.sh:4 --optypelayout NHWC -> NCHW"),
        ({"before": None}, "deploy/convert.sh:4 --optypelayout (absent) -> NCHW"),
        ({"after": ""}, "deploy/convert.sh:4 --optypelayout NHWC -> (set)"),
        ({"place_after": "", "place_before": ""}, "--optypelayout NHWC -> NCHW"),
        (
            {"kind": DifferenceKind.DEVICE, "before": "a" * 64, "after": "b" * 64},
            f"deploy/convert.sh:4 --optypelayout {'a' * 12} -> {'b' * 12}",
        ),
    ],
)
def test_a_difference_in_one_line(changed: dict[str, object], text: str) -> None:
    assert difference_text(msgspec.structs.replace(LAYOUT, **changed)) == text


def test_a_plan_needs_a_found_cause_and_a_simulated_fix() -> None:
    assert has_plan(diagnosis())
    assert not has_plan(None)
    assert not has_plan(diagnosis(causes=(cause(0.4),)))
    assert not has_plan(diagnosis(fix(after=None, is_estimated=True)))
