from __future__ import annotations

import math

import pytest

from perfgate.bisection.answer import Culprit
from perfgate.bisection.finding import effect_of, finding_of, setting_steps
from perfgate.bisection.probe import Candidate, Launch
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.setting import Setting
from tests.records import make_record

LATENCY, CYCLES = KNOWN_METRICS["latency"], KNOWN_METRICS["cycles"]


def culprit(before: tuple[Launch, ...], after: tuple[Launch, ...]) -> Culprit:
    named = Candidate(commit="b", tree="2")
    parent = Candidate(commit="a", tree="1")
    return Culprit(
        suspects=(named,), parent=parent, chance=1.0, step=1.0, share=0.9, before=before, after=after
    )


def test_changed_added_and_removed_settings_have_both_places() -> None:
    before = make_record(
        "x",
        settings=(
            Setting(name="--layout", value="NHWC", place="c.sh:3:5"),
            Setting(name="--gone", value=None, place="c.sh:4:5"),
            Setting(name="--same", value="1", place="c.sh:5:5"),
        ),
    )
    now = make_record(
        "x",
        settings=(
            Setting(name="--same", value="1", place="c.sh:9:5"),
            Setting(name="--layout", value="NCHW", place="c.sh:7:5"),
            Setting(name="--new", value="2", place="c.sh:8:5"),
        ),
    )
    steps = [(s.name, s.before, s.now, s.place_before, s.place_now) for s in setting_steps(before, now)]
    assert steps == [
        ("--layout", "NHWC", "NCHW", "c.sh:3:5", "c.sh:7:5"),
        ("--new", None, "2", "", "c.sh:8:5"),
        ("--gone", "(set)", None, "c.sh:4:5", ""),
    ]


def test_an_exact_effect_is_the_two_values() -> None:
    found = effect_of(culprit((Launch(exact={"cycles": 100.0}),), (Launch(exact={"cycles": 150.0}),)), CYCLES)
    assert (found.before, found.now, found.relative, found.low, found.share) == (100.0, 150.0, 0.5, None, 0.9)
    zero = effect_of(culprit((Launch(exact={"cycles": 0.0}),), (Launch(exact={"cycles": 3.0}),)), CYCLES)
    assert zero.relative is None  # 0 -> 3 has no ratio


def test_a_sampled_effect_has_an_interval_round_the_ratio() -> None:
    """Both sides 1 +- 1 % and 2 +- 1 % in equal steps: the ratio of the geometric means is 2."""
    steps = [math.exp(0.01 * number / 10) for number in range(-10, 11)]
    sides = [
        tuple(Launch(samples=tuple(level * step for step in steps)) for _ in range(2)) for level in (1, 2)
    ]
    found = effect_of(culprit(sides[0], sides[1]), LATENCY)
    assert found.relative == pytest.approx(1.0, abs=1e-9)
    assert found.before == pytest.approx(1.0)
    assert found.now == pytest.approx(2.0)
    assert found.low is not None
    assert found.high is not None
    assert 0.98 < found.low < 1.0 < found.high < 1.02


def test_without_records_the_finding_says_so() -> None:
    sides = ((Launch(exact={"cycles": 1.0}),), (Launch(exact={"cycles": 2.0}),))
    found = finding_of(culprit(*sides), CYCLES, (None, make_record("x")), ())
    assert found.settings == ()
    assert found.explanation is None
    assert "no longer in the cache" in found.notes[0]
