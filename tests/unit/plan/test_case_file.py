"""Cases: what is remembered of an incident, and what is recognised as like it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.core.case import Case
from perfgate.core.errors import UsageError
from perfgate.plan.case_file import case_of, case_path, case_text, cases_like, is_case_file, read_case
from tests.diagnoses import cause, diagnosis

SD3 = case_of(diagnosis(), "sd3 layout", "2026-11-10")


def test_a_case_holds_rule_operator_type_flag_and_gain() -> None:
    assert (SD3.rule, SD3.operator, SD3.flag) == ("config_flag", "Conv", "--optypelayout")
    assert SD3.gain == pytest.approx((9.13 - 2.23) / 9.13)
    assert SD3.guardrail == "atc_convert: require --optypelayout=NHWC"


def test_a_diagnosis_with_the_same_key_was_seen_before_newest_first() -> None:
    older = msgspec.structs.replace(SD3, incident="first time", date="2025-02-01")
    assert cases_like(diagnosis(), [older, SD3]) == ("2026-11-10 sd3 layout", "2025-02-01 first time")


@pytest.mark.parametrize(
    "other", [{"rule": "memory_leak"}, {"operator": "MatMul"}, {"flag": "--precision_mode"}, {"flag": ""}]
)
def test_another_rule_operator_or_flag_is_another_kind(other: dict[str, str]) -> None:
    assert cases_like(diagnosis(), [msgspec.structs.replace(SD3, **other)]) == ()


def test_a_cause_that_several_rules_name_is_known_by_each_of_them() -> None:
    found = diagnosis(
        causes=(msgspec.structs.replace(cause(), rule="implicit_copy", rules=("config_flag",)),)
    )
    assert cases_like(found, [SD3]) == ("2026-11-10 sd3 layout",)


def test_an_unlikely_cause_is_neither_recognised_nor_remembered() -> None:
    unlikely = diagnosis(causes=(cause(0.4),))
    assert cases_like(unlikely, [SD3]) == ()
    with pytest.raises(UsageError, match="has found no cause"):
        case_of(unlikely, "x", "2026-11-10")


def test_a_cause_without_flag_and_gain_is_remembered_too() -> None:
    found = diagnosis(
        msgspec.structs.replace(diagnosis().fixes[0], after=None),
        causes=(msgspec.structs.replace(cause(difference=None), operator=None),),
    )
    kept = case_of(found, "x", "2026-11-10")
    assert (kept.operator, kept.flag, kept.gain) == ("", "", None)
    assert read_case(case_text(kept).encode(), "perf-cases/x.yaml") == kept


@settings(deadline=None)
@given(st.text(min_size=1, max_size=20), st.text(max_size=20))
def test_any_text_is_read_back_as_it_was_written(incident: str, guardrail: str) -> None:
    try:
        incident.encode()
        guardrail.encode()
    except UnicodeEncodeError:
        return  # lone surrogates never come from a command line's name or from a rule
    kept = msgspec.structs.replace(SD3, incident=incident, guardrail=guardrail, gain=0.5)
    assert read_case(case_text(kept).encode(), "x.yaml") == kept


def test_a_case_lies_under_a_name_that_every_system_takes() -> None:
    assert case_path("layout") == "perf-cases/layout.yaml"
    assert case_path("../../etc/x") != case_path("etc/x")
    assert is_case_file(case_path("../../etc/x"))
    assert not is_case_file("perf-cases/deeper/x.yaml")
    assert not is_case_file("perf-cases/x.md")


def test_a_broken_case_names_its_place() -> None:
    with pytest.raises(UsageError, match=r"perf-cases/x.yaml:2:1"):
        read_case(b"version: 1\nincidents: x\n", "perf-cases/x.yaml")


def test_the_title_is_date_and_name() -> None:
    assert Case(incident="sd3 layout", date="2026-11-10", rule="r").title == "2026-11-10 sd3 layout"
