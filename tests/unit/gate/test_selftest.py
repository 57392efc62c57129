"""The self test: false alarms with interval, what is seen, and planted changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.errors import ExitCode
from perfgate.core.metric import KNOWN_METRICS
from perfgate.gate.selftest import SelftestPlan, SelftestReport, selftest
from perfgate.gate.selftest_text import selftest_lines
from perfgate.gate.thresholds import SuitePolicy
from perfgate.stats.proportion import clopper_pearson
from tests.noisy_records import Workshop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.record import Run
    from perfgate.gate.decision import RunRequest

POLICY = SuitePolicy()


def test_unchanged_code_is_rarely_red_and_the_interval_is_exact() -> None:
    workshop = Workshop(1)
    report = selftest(workshop.suite(9, 0), workshop.take, POLICY, SelftestPlan(sets=20))
    assert report is not None
    assert report.sets == 20
    assert report.red <= 3  # P(more than 3 of 20 at 5 %) is 1.6 %
    assert report.interval == clopper_pearson(report.red, 20)
    assert report.exit_code is ExitCode.PASS
    assert len(report.sensitivities) == 9
    detectable = [row.detectable for row in report.sensitivities]
    assert detectable == sorted(detectable, reverse=True)
    # p25 of 20 samples and the run make .58 %: (z_{1-.05/9} + z_{.9}) .58 % sqrt(1/5 + 1) is 2.4 %; a
    # variance estimated with 36 degrees of freedom is right within a half
    assert 0.012 < detectable[4] < 0.040


def test_planted_changes_are_counted_per_benchmark() -> None:
    workshop = Workshop(2)
    plan = SelftestPlan(sets=3, inject=0.20, new_baselines=True)
    report = selftest(workshop.suite(9, 0), workshop.take, POLICY, plan)
    assert report is not None
    assert sum(row.found for row in report.sensitivities) >= 25  # of 27, 20 % in noise of .5 %
    assert all(row.planted == 3 for row in report.sensitivities)
    text = "\n".join(selftest_lines(report))
    assert "+20.0 % planted: found 3 of 3" in text
    assert "false alarms: 0 of 3 unchanged sets (0.0 %-70.8 %" in text  # Clopper-Pearson, 1 - .025^(1/3)


def test_a_gate_that_cries_wolf_fails_its_self_test() -> None:
    workshop = Workshop(3)

    def unsteady(requests: Sequence[RunRequest]) -> Mapping[str, tuple[Run, ...]]:
        # runs taken later are slower: what this host shows as changes is not the code's
        workshop.factors = {request.key: workshop.factors.get(request.key, 1.0) * 1.2 for request in requests}
        return workshop.take(requests)

    report = selftest(workshop.suite(9, 0), unsteady, POLICY, SelftestPlan(sets=10, first_runs=3))
    assert report is not None
    assert report.shifts == 10
    assert report.exit_code is ExitCode.FAIL
    assert "the suite as a whole was called slower in 10 sets" in selftest_lines(report)


def test_nothing_to_run_is_no_report() -> None:
    workshop = Workshop(4)
    assert selftest({}, workshop.take, POLICY, SelftestPlan()) is None
    assert selftest(workshop.suite(2, 0), workshop.take, POLICY, SelftestPlan(sets=0)) is None


def test_a_host_that_gives_no_runs_compares_nothing() -> None:
    workshop = Workshop(5)
    report = selftest(workshop.suite(2, 0), lambda _: {}, POLICY, SelftestPlan(sets=2))
    assert report is not None
    assert report.exit_code is ExitCode.NOTHING


def test_the_report_is_plain_json() -> None:
    workshop = Workshop(6)
    report = selftest(workshop.suite(9, 0), workshop.take, POLICY, SelftestPlan(sets=2))
    content = json.loads(json.dumps(msgspec.to_builtins(report)))
    assert content["sets"] == 2
    assert content["sensitivities"][0]["detectable"] == pytest.approx(
        report.sensitivities[0].detectable if report else None
    )


def test_benchmarks_without_samples_are_not_slowed() -> None:
    workshop = Workshop(7, metrics=("latency", "throughput"))
    suite = workshop.suite(9, 0)
    ruler = msgspec.structs.replace(suite["b00[d]"].ruler, metrics=(KNOWN_METRICS["cycles"],))
    suite["b00[d]"] = msgspec.structs.replace(suite["b00[d]"], ruler=ruler, exact={"cycles": 5.0})
    report = selftest(suite, workshop.take, POLICY, SelftestPlan(sets=2, inject=0.3))
    assert report is not None
    assert {row.key for row in report.sensitivities} == {f"b{number:02d}[d]" for number in range(1, 9)}
    assert all(row.found == 2 for row in report.sensitivities)


def test_flags_name_the_benchmark() -> None:
    report = SelftestReport(
        sets=4,
        red=1,
        interval=clopper_pearson(1, 4),
        alpha=0.05,
        flags={"b[d]": 1},
        shifts=0,
        fresh_runs=6,
        inconclusive=0.25,
        notes=("latency: modes (1 of 4 sets)",),
        sensitivities=(),
    )
    assert "flagged: b[d] in 1 sets" in selftest_lines(report)
    assert "note: latency: modes (1 of 4 sets)" in selftest_lines(report)


def test_tiny_changes_and_refused_runs_are_not_found() -> None:
    workshop = Workshop(8)
    tiny = selftest(workshop.suite(9, 0), workshop.take, POLICY, SelftestPlan(sets=1, inject=1e-4))
    assert tiny is not None
    assert sum(row.found for row in tiny.sensitivities) == 0

    def first_only(requests: Sequence[RunRequest]) -> Mapping[str, tuple[Run, ...]]:
        return workshop.take([request for request in requests if request.reason == "self test"])

    refused = selftest(workshop.suite(9, 0), first_only, POLICY, SelftestPlan(sets=1, inject=0.3))
    assert refused is not None
    assert sum(row.found for row in refused.sensitivities) == 0  # one run is never a verdict
    assert refused.fresh_runs == 0
