from __future__ import annotations

import datetime as dt

import msgspec
import pytest

from perfgate.bisection.answer import Answer, Cost, Culprit, Ending, Evidence
from perfgate.bisection.finding import Effect, Finding, SettingStep
from perfgate.bisection.probe import Candidate, Launch, Outcome
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import Hotspot
from perfgate.diagnose.explanation import Explanation, OperatorChange
from perfgate.report.bisect_text import BisectReport, bisect_lines, resume_command, setting_text

NOW = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
PARENT = Candidate(commit="b001da4" + "0" * 33, tree="1", subject="parent")
NAMED = Candidate(
    commit="a3f8d2c" + "0" * 33,
    tree="2",
    subject="use NCHW for the exporter",
    author="J. Doe",
    date="2026-11-26T09:00:00+00:00",
    parents=("b001da4",),
)
CULPRIT = Culprit(
    suspects=(NAMED,),
    parent=PARENT,
    chance=0.9997,
    step=1.42,
    share=0.99,
    before=(Launch(samples=(2.1,)),),
    after=(Launch(samples=(8.7,)),),
)
FINDING = Finding(
    culprit=CULPRIT,
    effect=Effect(before=2.1, now=8.7, relative=3.143, low=3.09, high=3.2, share=0.99),
    settings=(
        SettingStep(
            name="--optypelayout",
            before="NHWC",
            now="NCHW",
            place_before="scripts/compile.sh:14:5",
            place_now="scripts/compile.sh:14:5",
        ),
    ),
    explanation=Explanation(
        key="sd3/unet[d]",
        settings=(),
        operators=(
            OperatorChange(
                now=Hotspot(number=1, name="conv_in", op="Conv", scope="", total_ps=7_500_000_000_000),
                before_ps=1_300_000_000_000,
                delta_ps=6_200_000_000_000,
                copied_more=0,
            ),
        ),
        copied_before=0.0,
        copied_now=2.4e9,
        model_changed=False,
    ),
)
REPORT = BisectReport(
    benchmark="sd3/unet[d]",
    metric=KNOWN_METRICS["latency"],
    good="g",
    bad="b",
    commits=1000,
    answer=Answer(
        ending=Ending.CULPRIT,
        culprits=(CULPRIT,),
        left=(NAMED,),
        evidence=(
            Evidence(
                commit=PARENT,
                position=4,
                outcome=Outcome.MEASURED,
                launches=2,
                samples=24,
                mean=2.1,
                low=2.0,
                high=2.2,
                bad_chance=0.0001,
            ),
            Evidence(
                commit=NAMED, position=5, outcome=Outcome.BUILD_FAILED, detail="make: *** [all] Error 2"
            ),
        ),
    ),
    findings=(FINDING,),
    cost=Cost(builds=13, clean=2, failed=1, launches=20, samples=96),
    notes=("cleaned up after 1 dead runs, 0 processes",),
    journal="7c1d",
    replayed=0,
    seconds=58.4,
    definition="f1047568f23c99",
    placed=("perf_models.yaml",),
    exit_code=0,
)


def test_a_named_commit_is_told_with_its_evidence() -> None:
    assert "\n".join(bisect_lines(REPORT, NOW, "")) == (
        "sd3/unet[d] latency, 1000 commits\n"
        'culprit   a3f8d2c  "use NCHW for the exporter"  J. Doe, 3 days ago   posterior > 99.9 %, confirmed\n'
        "effect    +314 % [+309 %, +320 %]   2.10 s -> 8.70 s   "
        "this commit explains 99 % of the whole range\n"
        "config    scripts/compile.sh:14   --optypelayout=NHWC -> NCHW\n"
        "profile   implicit copies 0 B -> 2.40 GB; operator conv_in 1.30 s -> 7.50 s\n"
        "next      git show a3f8d2c    git revert a3f8d2c\n"
        "\n"
        "commit      position    launches    samples    mean  interval          P(bad)  outcome\n"
        "--------  ----------  ----------  ---------  ------  --------------  --------  "
        "-------------------------------------\n"
        "b001da4            4           2         24  2.10 s  2.00 s..2.20 s     0.000  measured\n"
        "a3f8d2c            5           0          0                                    "
        "build failed: make: *** [all] Error 2\n"
        "\n"
        "note      cleaned up after 1 dead runs, 0 processes\n"
        "files     1 placed over every commit, f1047568f23c\n"
        "cost      13 builds (1 failed) and 2 clean rebuilds, 20 launches, 96 samples, 58 s; "
        "journal in the cache, id 7c1d"
    )


def test_a_range_names_all_its_commits() -> None:
    hidden = msgspec.structs.replace(NAMED, commit="ffff111" + "0" * 33, subject="does not build")
    culprit = msgspec.structs.replace(CULPRIT, suspects=(hidden, NAMED))
    report = msgspec.structs.replace(REPORT, findings=(msgspec.structs.replace(FINDING, culprit=culprit),))
    text = "\n".join(bisect_lines(report, NOW, ""))
    assert "one of 2 commits, the others cannot be built" in text
    assert "ffff111" in text
    assert "a3f8d2c" in text


@pytest.mark.parametrize(
    ("ending", "words"),
    [(Ending.NO_DIFFERENCE, "--grid 8"), (Ending.UNDECIDED, '"use NCHW for the exporter"')],
)
def test_without_a_name_the_reason_and_what_is_left_are_told(ending: Ending, words: str) -> None:
    answer = Answer(ending=ending, left=(NAMED,), reason="too noisy")
    text = "\n".join(bisect_lines(msgspec.structs.replace(REPORT, answer=answer, findings=()), NOW, ""))
    assert f"result    {ending}: too noisy" in text
    assert words in text


def test_an_interrupted_run_shows_what_is_left_and_how_to_go_on() -> None:
    answer = Answer(ending=Ending.UNDECIDED, left=(PARENT, NAMED))
    report = msgspec.structs.replace(REPORT, answer=answer, findings=(), interrupted=True)
    lines = bisect_lines(report, NOW, resume_command(["bisect", "--good", "v 1", "--bad", "HEAD"]))
    assert "state     interrupted with 2 commits left (99 %)" in lines
    assert lines[-1] == "resume    perfgate bisect --good 'v 1' --bad HEAD --resume"


def test_foreign_text_cannot_steer_the_terminal() -> None:
    evil = msgspec.structs.replace(NAMED, subject="\x1b[2J\u202egone", author="a\nb")
    culprit = msgspec.structs.replace(CULPRIT, suspects=(evil,))
    finding = msgspec.structs.replace(FINDING, culprit=culprit)
    text = "\n".join(bisect_lines(msgspec.structs.replace(REPORT, findings=(finding,)), NOW, ""))
    assert all(line.isprintable() for line in text.splitlines())
    assert r"\x1b[2J" in text


@pytest.mark.parametrize(
    ("before", "now", "old", "new", "text"),
    [
        ("1", "2", "a.sh:3:5", "a.sh:9:5", "a.sh:3 -> a.sh:9   --x=1 -> 2"),
        (None, "2", "", "a.sh:9:5", "a.sh:9   --x=2 added"),
        ("1", None, "a.sh:3:5", "", "a.sh:3   --x=1 removed"),
    ],
)
def test_a_setting_is_shown_with_its_line(
    before: str | None, now: str | None, old: str, new: str, text: str
) -> None:
    step = SettingStep(name="--x", before=before, now=now, place_before=old, place_now=new)
    assert setting_text(step) == text
