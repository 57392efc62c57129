from __future__ import annotations

from perfgate.bisection.probe import Launch, Outcome, Probe, ProbeOutcome, Progress, Purpose
from perfgate.core.metric import KNOWN_METRICS
from perfgate.report.bisect_progress import probe_line, status_line

WANTED = Probe(
    commit="3f9c2e1" + "0" * 33,
    samples=12,
    purpose=Purpose.SEARCH,
    progress=Progress(
        left=62, bad_chance=0.97, builds=7, samples=84, expected_builds=13, expected_samples=160
    ),
)


def test_the_status_says_how_far_it_is_and_how_long_it_will_take() -> None:
    """42 s for 7 of 13 builds leave 42 x (13 / 7 - 1) = 36 s."""
    assert status_line("sd3/unet latency", WANTED, 1000, 42.0) == (
        "bisect sd3/unet latency  1000 commits -> 62 left (99 %)   build 7 of ~13   samples 84 of ~160   "
        "42 s, ~36 s to go"
    )


def test_a_probe_is_one_line_with_its_value_or_its_failure() -> None:
    latency, cycles = KNOWN_METRICS["latency"], KNOWN_METRICS["cycles"]
    sampled = ProbeOutcome(commit="3f", outcome=Outcome.MEASURED, launch=Launch(samples=(1.0, 1.0)))
    assert probe_line(latency, WANTED, sampled) == "  3f9c2e1  search    1 launch x 2   1.00 s   P(bad) 0.97"
    exact = ProbeOutcome(commit="3f", outcome=Outcome.MEASURED, launch=Launch(exact={"cycles": 1.5e6}))
    assert probe_line(cycles, WANTED, exact) == "  3f9c2e1  search    1.50 M cycles"
    failed = ProbeOutcome(commit="3f", outcome=Outcome.TIMED_OUT, detail="no\x1banswer")
    assert probe_line(latency, WANTED, failed) == "  3f9c2e1  search    timed out: no\\x1banswer"
