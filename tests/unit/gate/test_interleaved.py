"""Interleaved runs: pairs cancel what the host does between them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from perfgate.core.record import Run
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import Decision, JudgeOptions
from perfgate.gate.thresholds import SuitePolicy
from tests.noisy_records import Workshop

SLOW = "b03[d]"
OPTIONS = JudgeOptions(is_interleaved=True)


def paired(factor: float, pairs: int = 5, *, host: float = 0.3, size: int = 6) -> Decision:
    """Six benchmarks, too few for a common mode; the host gets slower from pair to pair."""
    workshop = Workshop(1)
    sides: list[dict[str, list[object]]] = [{}, {}]
    records = workshop.suite(size, 0)
    for number in range(pairs):
        weather = 1 + host * number
        for side, change in enumerate((1.0, factor)):
            for key in records:
                workshop.factors[key] = weather * (change if key == SLOW else 1.0)
                sides[side].setdefault(key, []).append(workshop.run(key, number))
    baseline, candidate = (
        {key: msgspec.structs.replace(record, runs=tuple(side[key])) for key, record in records.items()}
        for side in sides
    )
    return judge(baseline, candidate, SuitePolicy(), options=OPTIONS)


def verdict(decision: Decision, key: str = SLOW) -> Verdict:
    return next(item.verdict for item in decision.benchmarks if item.key == key)


def test_pairs_see_through_a_drifting_host() -> None:
    comparison = next(item for item in paired(1.05).benchmarks if item.key == SLOW).comparisons[0]
    assert comparison.worse_by == pytest.approx(0.05, abs=0.02)
    # run spread .5 % a side: the pairs' standard error is .32 %
    assert comparison.low is not None
    assert comparison.low > 0.03


def test_unchanged_pairs_are_unchanged() -> None:
    decision = paired(1.0)
    assert decision.count(Verdict.UNCHANGED) == 6


def test_a_steady_host_gives_a_verdict() -> None:
    assert verdict(paired(1.06, host=0.0)) is Verdict.REGRESSED
    assert verdict(paired(1 / 1.06, host=0.0)) is Verdict.IMPROVED


def test_fewer_than_five_pairs_are_inconclusive() -> None:
    decision = paired(1.2, pairs=4)
    assert verdict(decision) is Verdict.INCONCLUSIVE
    assert "fewer than five interleaved pairs" in decision.benchmarks[3].reason


def test_no_single_fresh_runs_are_asked_for() -> None:
    random = np.random.default_rng(3)
    records = Workshop(3).suite(40, 0)
    sides = []
    for _ in range(2):
        modes = np.where(random.random((40, 3, 1)) < 0.4, 1.1, 1.0)
        table = modes * (1 + 0.002 * random.standard_normal((40, 3, 20)))
        sides.append(
            {
                key: msgspec.structs.replace(
                    record,
                    runs=tuple(
                        Run(id=number, seed=0, samples={"latency": tuple(row.tolist())})
                        for number, row in enumerate(rows)
                    ),
                )
                for (key, record), rows in zip(records.items(), table, strict=True)
            }
        )
    for paired_runs in (True, False):
        options = JudgeOptions(is_interleaved=paired_runs, fresh_allowed=True, runs_are_free=True)
        decision = judge(sides[0], sides[1], SuitePolicy(), options=options)
        assert bool(decision.wanted) is not paired_runs


def test_runs_without_a_partner_are_invalid() -> None:
    workshop = Workshop(2)
    decision = judge(workshop.suite(3, 5), workshop.suite(3, 4), SuitePolicy(), options=OPTIONS)
    assert decision.count(Verdict.INVALID) == 3
    assert "must come in pairs" in decision.benchmarks[0].reason
