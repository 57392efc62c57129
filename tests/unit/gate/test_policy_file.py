from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest

from perfgate.core.errors import UnusableError
from perfgate.gate.policy_file import Policy, PolicyEntry, load_policy, percentage, quantity, suite_rules
from perfgate.gate.thresholds import Answer, MetricPolicy, SuitePolicy

TODAY = dt.date(2026, 11, 29)
PAGE = (Path(__file__).parents[3] / "docs" / "POLICY.md").read_text(encoding="utf-8")
ROWS = re.findall(r"(?m)^\| (`[^|]*) \| ([^|]*) \|", PAGE)


def load(text: str) -> Policy:
    return load_policy(text.encode(), "perfgate.yaml", today=TODAY)


def refusal(text: str) -> str:
    with pytest.raises(UnusableError) as caught:
        load(text)
    assert int(caught.value.exit_code) == 12
    return str(caught.value)


def test_the_last_matching_rule_wins_key_by_key() -> None:
    policy = load(
        "version: 1\n"
        "policy:\n"
        '  - {match: "*", min_effect: 1%, on_inconclusive: fail}\n'
        '  - {match: "sd*", metric: latency, min_effect: 5 %}\n'
    )
    rules = SuitePolicy(rules=policy.rules)
    assert rules.for_metric("sd_unet[d]", "latency").min_effect == 0.05
    assert rules.for_metric("sd_unet[d]", "latency").on_inconclusive is Answer.FAIL
    assert rules.for_metric("sd_unet[d]", "latency").origin("min_effect") == "perfgate.yaml:4:5"
    assert rules.for_metric("bert[d]", "latency").min_effect == 0.01


def test_the_page_has_every_key_of_a_rule_with_its_default() -> None:
    defaults: dict[str, str] = {}
    for names, values in ROWS:
        keys = re.findall(r"`(\w+)`", names)
        defaults |= dict(zip(keys, values.split(", ") if len(keys) > 1 else [values], strict=True))
    assert set(defaults) == set(PolicyEntry.__struct_fields__) - {"match", "metric"}
    found = MetricPolicy()
    for key, value in defaults.items():
        if key in {"tail_effect", "suspect", "limit"}:  # from the metric, from the backend, none
            assert getattr(found, key) is None
        elif value.endswith("%"):
            assert percentage(value, key) == getattr(found, key)
        elif key in {"alpha", "absolute", "max_runs"}:
            assert float(value) == getattr(found, key)
        else:
            assert value == str(getattr(found, key)).lower()


@pytest.mark.parametrize(
    ("text", "share"), [("1%", 0.01), ("50 %", 0.5), ("0.5%", 0.005), ("100%", 1.0), ("0%", 0.0)]
)
def test_percentages_are_read(text: str, share: float) -> None:
    assert percentage(text, "here") == pytest.approx(share, abs=1e-15)


@pytest.mark.parametrize("text", ["0.1", "150", "5", "", "1e1%", "-1%", "nan%", "%", "1,5%"])
def test_a_threshold_without_percent_is_refused(text: str) -> None:
    with pytest.raises(UnusableError, match="such as '1%'"):
        percentage(text, "perfgate.yaml:3:4")


@pytest.mark.parametrize(
    ("text", "readings"), [("150%", "2.5 times or 1.5 times"), ("200%", "3 times or 2 times")]
)
def test_more_than_a_hundred_percent_is_refused_with_both_readings(text: str, readings: str) -> None:
    with pytest.raises(UnusableError, match=readings):
        percentage(text, "here")


@pytest.mark.parametrize(
    ("text", "metric", "value"),
    [
        ("<=33ms", "latency", 0.033),
        ("33 ms", "latency", 0.033),
        ("256MiB", "peak_memory", 256 * 1024**2),
        (">=30fps", "throughput", 30.0),
        ("217", "kernel_count", 217.0),
    ],
)
def test_limits_are_read_in_the_unit_of_their_metric(text: str, metric: str, value: float) -> None:
    assert quantity(text, metric, "here") == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "metric", "message"),
    [
        ("33", "latency", "write a number and one of: s, ms"),
        ("33MB", "latency", "is no value of latency"),
        (">=33ms", "latency", "limits the better side"),
        ("<=30fps", "throughput", "limits the better side"),
        ("33ms", "latncy", "did you mean 'latency'?"),
    ],
)
def test_a_limit_that_cannot_be_read_says_why(text: str, metric: str, message: str) -> None:
    with pytest.raises(UnusableError) as caught:
        quantity(text, metric, "here")
    assert message in str(caught.value)


WAIVER = """\
version: 1
waivers:
  - {{benchmark: a, metric: latency, up_to: 15%, owner: "@a", reason: r, expires: {day}}}
"""


def test_a_waiver_holds_until_its_last_day() -> None:
    policy = load(WAIVER.format(day="2026-11-29"))
    assert policy.waivers["a", "latency"].up_to == 0.15


@pytest.mark.parametrize(
    ("day", "message"),
    [
        ("2026-11-28", "expired on 2026-11-28"),
        ("2027-02-28", "longer than 90 days"),
        ("soon", "'soon' is no date"),
    ],
)
def test_a_waiver_past_its_date_or_too_long_is_an_error(day: str, message: str) -> None:
    assert message in refusal(WAIVER.format(day=day))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "version: 1\nwaivers: [{benchmark: a, metric: latency, up_to: 1%, expires: x}]",
            "missing key 'owner'",
        ),
        ('version: 1\npolicy: [{match: "*", min_efect: 1%}]', "did you mean 'min_effect'?"),
        ('version: 1\npolicy: [{match: "*", min_effect: 5}]', "perfgate.yaml:2:23"),
        ('version: 1\npolicy: [{match: "", min_effect: 5%}]', "length >= 1"),
        ('version: 1\npolicy: [{match: "*", metric: latncy}]', "did you mean 'latency'?"),
        ('version: 1\npolicy: [{match: "*", on_new: ignore}]', "invalid enum value 'ignore'"),
        ("version: 2", "expected 'int' <= 1"),
    ],
)
def test_a_policy_that_cannot_be_taken_as_written_is_unusable(text: str, message: str) -> None:
    assert message in refusal(text)


def test_suite_thresholds_are_rules_of_the_kind_of_their_metric() -> None:
    rules = suite_rules(
        ["a[d]"], {"latency": "2%", "peak_memory": "1%"}, {"latency": "<=33ms"}, "perf_a.yaml:3:1"
    )
    policy = SuitePolicy(rules=rules)
    assert policy.for_metric("a[d]", "latency").min_effect == 0.02
    assert policy.for_metric("a[d]", "peak_memory").relative == 0.01
    limit = policy.for_metric("a[d]", "latency").limit
    assert limit is not None
    assert limit.value == pytest.approx(0.033)


@pytest.mark.parametrize(
    "key", ["alpha: 0.01", "suspect: both", "method: t", "max_runs: 5", "common_shift: warn"]
)
@pytest.mark.parametrize("choice", ['match: "sd*"', 'match: "*", metric: latency'])
def test_a_key_of_the_whole_suite_is_refused_in_a_rule_for_a_part(key: str, choice: str) -> None:
    text = refusal(f"version: 1\npolicy:\n  - {{{choice}, {key}}}\n")
    assert "holds for the whole suite: perfgate.yaml:3" in text
    load(f'version: 1\npolicy:\n  - {{match: "*", {key}}}\n')
