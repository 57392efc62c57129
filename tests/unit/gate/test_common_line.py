"""The whole suite at once: its own line, its own verdict, and improvements that are only the host's."""

from __future__ import annotations

import pytest

from perfgate.core.errors import ExitCode
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import Decision, JudgeOptions
from perfgate.gate.thresholds import Answer, PolicyRule, SuitePolicy
from tests.noisy_records import Workshop

POLICY = SuitePolicy()


def shifted(
    factor: float, policy: SuitePolicy = POLICY, options: JudgeOptions | None = None, moved: int = 20
) -> Decision:
    workshop = Workshop(1)
    baseline = workshop.suite(20, 5)
    workshop.factors = {f"b{number:02d}[d]": factor for number in range(moved)}
    return judge(baseline, workshop.suite(20, 3), policy, options=options or JudgeOptions())


def test_a_suite_that_moved_as_one_is_one_finding() -> None:
    decision = shifted(1.06)
    assert decision.count(Verdict.REGRESSED) == 0  # the benchmarks keep their places to each other
    assert decision.common_verdict is Verdict.REGRESSED
    assert decision.common_mode.startswith("whole suite +6.")
    assert "baseline runs spread +-" in decision.common_mode
    assert decision.exit_code is ExitCode.FAIL
    assert decision.reasons[0][1] == decision.common_mode


def test_the_line_says_when_the_adjusted_numbers_understate() -> None:
    assert "of the suite moved one way, so the adjusted numbers understate it" in shifted(1.06).common_mode
    assert "moved one way" not in shifted(1.0).common_mode


def test_the_policy_can_make_it_a_warning() -> None:
    mild = SuitePolicy(rules=(PolicyRule(values={"common_shift": Answer.WARN}),))
    decision = shifted(1.06, mild)
    assert decision.common_verdict is Verdict.REGRESSED
    assert decision.exit_code is ExitCode.PASS


def test_a_faster_host_improves_nothing() -> None:
    decision = shifted(1 / 1.06)
    assert decision.common_verdict is Verdict.IMPROVED
    assert decision.count(Verdict.IMPROVED) == 0


def test_benchmarks_left_behind_by_a_slower_host_are_not_improved() -> None:
    # 14 of 20 slow down: the six others look 6 % faster once the common mode is off
    decision = shifted(1.06, moved=14)
    assert decision.count(Verdict.IMPROVED) == 0
    left = [item for item in decision.benchmarks if item.key >= "b14"]
    assert any("shows only with the common mode taken off" in item.reason for item in left)


def test_anchors_that_moved_alike_say_machine() -> None:
    workshop = Workshop(2)
    baseline = workshop.suite(23, 5)
    workshop.factors = {f"b{number:02d}[d]": 1.06 for number in range(23)}
    anchors = frozenset(f"b{number:02d}[d]" for number in (20, 21, 22))
    decision = judge(baseline, workshop.suite(23, 3), POLICY, options=JudgeOptions(anchors=anchors))
    assert decision.common_verdict is Verdict.INCONCLUSIVE
    assert "it is the machine" in decision.common_mode
    assert decision.exit_code is ExitCode.PASS


def test_calm_anchors_leave_the_finding_alone() -> None:
    workshop = Workshop(2)
    baseline = workshop.suite(23, 5)
    workshop.factors = {f"b{number:02d}[d]": 1.06 for number in range(20)}
    anchors = frozenset(f"b{number:02d}[d]" for number in (20, 21, 22))
    decision = judge(baseline, workshop.suite(23, 3), POLICY, options=JudgeOptions(anchors=anchors))
    assert decision.common_verdict is Verdict.REGRESSED


@pytest.mark.parametrize("size", [3, 7])
def test_small_suites_have_no_common_mode(size: int) -> None:
    workshop = Workshop(3)
    baseline = workshop.suite(size, 5)
    workshop.factors = {f"b{number:02d}[d]": 1.06 for number in range(size)}
    decision = judge(baseline, workshop.suite(size, 3), POLICY)
    assert decision.common_mode == ""
    assert decision.count(Verdict.REGRESSED) == size
