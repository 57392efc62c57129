from __future__ import annotations

import datetime as dt
import re

import msgspec
import pytest

from perfgate.core.diagnosis import Commit, Diagnosis, Evidence, ScopeDelta
from perfgate.core.difference import DifferenceKind
from perfgate.report.diagnosis_text import commit_text, diagnosis_lines
from tests.diagnoses import CONV2, LAYOUT, cause, diagnosis, fix

NOW = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)
COMMIT = Commit(
    commit="a3f8d2c" + "0" * 33,
    subject="tidy convert flags",
    author="Ada",
    date="2026-11-26T00:00:00+00:00",
    relation="bisection",
    probability=0.998,
)
HOSTILE = "x\x1b[31m\n\u202e`|<b>"


def lines(found: Diagnosis) -> list[str]:
    return list(diagnosis_lines(found, NOW))


def text(found: Diagnosis) -> str:
    return "\n".join(lines(found))


def test_title_and_sides_are_kept_apart_however_long_the_names_are() -> None:
    named = diagnosis(before="3f2c1ab", after="a3f8d2c")
    assert lines(named)[0] == (
        "DIAGNOSIS  sd_unet on ascend-310p-like                        baseline 3f2c1ab -> now a3f8d2c"
    )
    long = msgspec.structs.replace(named, benchmark="b" * 60)
    assert lines(long)[0] == f"DIAGNOSIS  {'b' * 60} on ascend-310p-like baseline 3f2c1ab -> now a3f8d2c"
    assert lines(msgspec.structs.replace(named, before=""))[0].endswith("now a3f8d2c")


def test_the_sections_stand_in_their_order() -> None:
    said = text(diagnosis())
    heads = ["DIAGNOSIS", "WHERE THE TIME WENT", "ROOT CAUSE", "FIXES", "  plan:", "  guardrail:"]
    places = [said.index(head) for head in heads]
    assert places == sorted(places)


def test_a_line_without_data_is_left_out() -> None:
    bare = msgspec.structs.replace(
        diagnosis(causes=()), metrics=(), scope=None, attribution=None, fixes=(), guardrail=""
    )
    assert lines(bare) == ["DIAGNOSIS  sd_unet on ascend-310p-like", "", "ROOT CAUSE  no cause found"]


def test_no_line_ends_in_a_blank_and_nothing_is_not_available() -> None:
    said = text(diagnosis())
    assert not re.search(r"[ \t]$", said, re.MULTILINE)
    assert "n/a" not in said
    assert "None" not in said


def test_a_cause_says_operator_evidence_sentence_flag_commit_and_proof_in_this_order() -> None:
    evidence = (
        Evidence(step=1, label="changed", text="NHWC -> NCHW"),  # the flag's own line says it
        Evidence(step=4, label="behaviour", text="3 per step"),
    )
    full = msgspec.structs.replace(cause(), evidence=evidence, commit=COMMIT)
    said = lines(diagnosis(causes=(full,)))
    start = said.index("  -> UNet.mid_block.resnet.1.conv2 (operator #447)")
    assert said[start + 1 : start + 6] == [
        "     behaviour  3 per step",
        "     cause      tensor layout changed, NHWC -> NCHW",
        "     flag       deploy/convert.sh:4   --optypelayout=NCHW   (baseline: NHWC)",
        '     commit     a3f8d2c "tidy convert flags", 3 days ago   (bisection, probability 0.998)',
        "     proof      re-simulated with NHWC restored: 2.23 s, recovers 100.0 % of the delta",
    ]


def test_a_suspect_is_called_so_and_still_says_where_it_stands() -> None:
    said = lines(diagnosis(causes=(cause(0.49),)))
    start = next(number for number, line in enumerate(said) if line.startswith("ROOT CAUSE"))
    assert said[start] == (
        "ROOT CAUSE  no cause found; the strongest suspect is config_flag at UNet.mid_block.resnet.1.conv2 "
        "(0.49); 100 % of the delta is unexplained"
    )
    assert said[start + 1 : start + 3] == [
        "  -> tensor layout changed, NHWC -> NCHW",
        "     flag       deploy/convert.sh:4   --optypelayout=NCHW   (baseline: NHWC)",
    ]
    assert "plan:" not in "\n".join(said)


def test_at_most_five_causes_are_told_and_the_rest_is_counted() -> None:
    said = text(diagnosis(causes=(cause(),) * 7))
    assert said.count("  also 0.95  config_flag:") == 4
    assert "  and 2 more in the JSON report" in said


def test_a_cause_of_the_program_as_a_whole_has_no_operator_number() -> None:
    nobody = msgspec.structs.replace(cause(), operator=None)
    assert "  -> config_flag" in lines(diagnosis(causes=(nobody,)))
    rest = msgspec.structs.replace(CONV2, number=-2, name="(operators under 0.1 %)")
    alone = msgspec.structs.replace(cause(), operator=rest)
    assert "  -> (operators under 0.1 %)" in lines(diagnosis(causes=(alone,)))


def test_percent_signs_of_names_stay_as_they_are() -> None:
    scope = ScopeDelta(scope="a%b", before=10**12, after=2 * 10**12, share_before=0.1, share_after=0.5)
    assert "  scope     a%b  1.00 s -> 2.00 s;  10 % -> 50 % of the latency" in lines(
        msgspec.structs.replace(diagnosis(), scope=scope)
    )


def test_the_same_cause_is_told_once() -> None:
    told = list(diagnosis_lines(diagnosis(), NOW, "resnet50[ascend-310p-like]"))
    assert told[-2].startswith("  cause     as of resnet50[ascend-310p-like], confidence 0.95")
    assert told[-1] == "  proof     re-simulated with NHWC restored: 2.23 s, recovers 100.0 % of the delta"
    assert "FIXES" not in "\n".join(told)


def test_notes_interactions_and_earlier_cases_are_told() -> None:
    found = msgspec.structs.replace(
        diagnosis(),
        notes=("cannot simulate it",),
        interaction="x and y act together",
        seen_before=("2026-11-10 sd3 layout",),
    )
    said = lines(found)
    assert said[-2:] == ["  seen before: 2026-11-10 sd3 layout", "  note: cannot simulate it"]
    assert "  x and y act together" in said


def test_whatever_a_repository_names_stays_text() -> None:
    flag = msgspec.structs.replace(
        LAYOUT, name=HOSTILE, before=HOSTILE, after=HOSTILE, place_after=f"{HOSTILE}.sh:4:5"
    )
    hostile = msgspec.structs.replace(
        cause(difference=flag),
        sentence=HOSTILE,
        operator=msgspec.structs.replace(CONV2, name=HOSTILE),
        evidence=(Evidence(step=4, label="behaviour", text=HOSTILE),),
        commit=msgspec.structs.replace(COMMIT, subject=HOSTILE),
    )
    found = msgspec.structs.replace(
        diagnosis(fix(taken=(flag,), title=HOSTILE, advice=HOSTILE), causes=(hostile, hostile)),
        benchmark=HOSTILE, device=HOSTILE, notes=(HOSTILE,), guardrail=HOSTILE, interaction=HOSTILE,
        without_effect=(flag,), seen_before=(HOSTILE,),
    )  # fmt: skip
    for line in lines(found):
        assert not re.search(r"[\x00-\x1f\x7f\u202e]", line)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, 'a3f8d2c "tidy convert flags", 3 days ago   (bisection, probability 0.998)'),
        ({"date": ""}, 'a3f8d2c "tidy convert flags"   (bisection, probability 0.998)'),
        (
            {"relation": "touched by", "probability": None},
            'a3f8d2c "tidy convert flags", 3 days ago   (touched by)',
        ),
    ],
)
def test_a_commit_says_how_it_is_known(changed: dict[str, object], said: str) -> None:
    assert commit_text(msgspec.structs.replace(COMMIT, **changed), NOW) == said


def test_a_difference_that_is_no_cause_is_listed() -> None:
    level = msgspec.structs.replace(
        LAYOUT, kind=DifferenceKind.RUNTIME, name="log_level", before="info", after="debug"
    )
    found = msgspec.structs.replace(diagnosis(), without_effect=(level,), simulations=3)
    assert (
        "  also changed, no effect found: deploy/convert.sh:4   log_level=debug   (baseline: info)"
        in lines(found)
    )
