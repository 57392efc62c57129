"""The log of the evidence: one checked line per comparison, enough to recompute the verdict."""

from __future__ import annotations

import json

import msgspec
import pytest

from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.evidence_log import check_evidence
from perfgate.gate.thresholds import SuitePolicy
from perfgate.stats.laws import t_tail
from tests.noisy_records import Workshop

POLICY = SuitePolicy()


def test_every_comparison_has_a_line_that_fits_the_schema() -> None:
    workshop = Workshop(1, metrics=("latency", "throughput"))
    baseline = workshop.suite(9, 5)
    candidate = workshop.suite(8, 3)
    decision = judge(baseline, candidate, POLICY)
    lines = [json.dumps(line) for line in decision.evidence]
    assert len(lines) == 8 * 2 + 1  # and one for the missing benchmark
    checked = [check_evidence(json.loads(line)) for line in lines]
    assert {item.metric for item in checked} == {"latency", "throughput", "*"}
    assert checked[-1].verdict is Verdict.MISSING
    assert all(len(item.inputs) == 64 for item in checked[:-1])


def test_the_numbers_of_a_line_belong_together() -> None:
    workshop = Workshop(2)
    baseline = workshop.suite(9, 5)
    workshop.factors["b00[d]"] = 1.06
    line = check_evidence(judge(baseline, workshop.suite(9, 3), POLICY).evidence[0])
    assert line.verdict is Verdict.REGRESSED
    assert line.difference is not None
    assert line.error is not None
    assert line.p_runs is not None
    df = float("inf") if line.df is None else line.df
    assert line.p_runs[0] == pytest.approx(float(t_tail(line.difference / line.error, df)), rel=1e-12)
    assert line.is_suspect == (True, False)
    assert line.needed_runs == (3, 3)


def test_other_samples_have_another_hash() -> None:
    workshop = Workshop(3)
    baseline, candidate = workshop.suite(3, 5), workshop.suite(3, 3)
    first = judge(baseline, candidate, POLICY).evidence
    again = judge(baseline, candidate, POLICY).evidence
    other = judge(baseline, workshop.suite(3, 3), POLICY).evidence
    assert [line["inputs"] for line in first] == [line["inputs"] for line in again]
    assert all(a["inputs"] != b["inputs"] for a, b in zip(first, other, strict=True))


def test_an_unknown_key_does_not_fit() -> None:
    line = dict(judge({}, Workshop(4).suite(1, 3), POLICY).evidence[0])
    line["mood"] = "good"
    with pytest.raises(msgspec.ValidationError):
        check_evidence(line)
