"""Check reports made by hand, for tests of everything that renders them."""

from __future__ import annotations

from perfgate.baseline.revision import Base
from perfgate.core.finding import Answer, Finding, Place, Severity
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.verdict import BenchmarkVerdict, Comparison, Verdict
from perfgate.report.check_report import CheckReport, EditedFile, GuardrailPart
from tests.golden.texts import EXPLANATION, FASTER, POSTER

HOSTILE_NAME = (
    "x` | <b>\n<img src=x onerror=alert(1)> @org/team #123 ](http://evil.example) \u202eover "
    "<!-- perfgate:linux --> \x1b[31m\x07\x9b31m"
)
HEAD = "a3f8d2c" + "0" * 33


def unchanged(name: str) -> BenchmarkVerdict:
    """A green benchmark."""
    comparison = Comparison(
        metric=KNOWN_METRICS["latency"],
        verdict=Verdict.UNCHANGED,
        reason="equivalent",
        baseline=1.0,
        now=1.0,
        worse_by=0.0,
        low=-0.01,
        high=0.01,
    )
    return BenchmarkVerdict(
        benchmark=name,
        device="ascend-310p-like",
        verdict=Verdict.UNCHANGED,
        reason="equivalent",
        is_failure=False,
        comparisons=(comparison,),
    )


def fewer_per_second(name: str) -> BenchmarkVerdict:
    """A benchmark of which more is better, 20 % worse: 100/s became 80/s."""
    comparison = Comparison(
        metric=KNOWN_METRICS["throughput"],
        verdict=Verdict.REGRESSED,
        reason="slower",
        baseline=100.0,
        now=80.0,
        worse_by=0.25,  # in time per item: 1/80 against 1/100
        low=0.2,
        high=0.3,
    )
    return BenchmarkVerdict(
        benchmark=name,
        device="a100-like",
        verdict=Verdict.REGRESSED,
        reason="slower",
        is_failure=True,
        comparisons=(comparison,),
    )


def finding(text: str, path: str = "deploy/convert.sh", severity: Severity = Severity.ERROR) -> Finding:
    """A guardrail finding on line 4."""
    place = Place(path=path, line=4, column=5, end_line=4, end_column=24)
    return Finding(rule="atc/layout", severity=severity, answer=Answer.FAIL, message=text, span=place)


def make_report(*verdicts: BenchmarkVerdict, exit_code: int = 0) -> CheckReport:
    """A decided run of these verdicts, worst first."""
    return CheckReport(
        exit_code=exit_code,
        base=Base("3f2c1ab" + "0" * 33, "HEAD^1"),
        family_error=0.05,
        verdicts=verdicts,
    )


def red_report() -> CheckReport:
    """The report of the design: one regression with its evidence, one improvement, 38 unchanged."""
    return CheckReport(
        exit_code=1,
        base=Base("3f2c1ab" + "0" * 33, "HEAD^1"),
        family_error=0.05,
        verdicts=(POSTER, FASTER, *(unchanged(f"net_{index:02}") for index in range(38))),
        explanations={POSTER.key: EXPLANATION},
    )


def hostile_report() -> CheckReport:
    """Every text that a change can choose holds the hostile name."""
    text = HOSTILE_NAME
    comparison = Comparison(
        metric=KNOWN_METRICS["latency"].__class__(name=text, unit=text),
        verdict=Verdict.REGRESSED,
        reason=text,
        baseline=1.0,
        now=2.0,
        worse_by=1.0,
    )
    verdict = BenchmarkVerdict(
        benchmark=text,
        device=text,
        verdict=Verdict.REGRESSED,
        reason=text,
        is_failure=True,
        comparisons=(comparison,),
        notes=(text,),
    )
    unnumbered = BenchmarkVerdict(
        benchmark=text, device="d", verdict=Verdict.MISSING, reason=text, is_failure=True
    )
    return CheckReport(
        exit_code=1,
        base=Base("3f2c1ab" + "0" * 33, text),
        family_error=0.05,
        verdicts=(verdict, unnumbered),
        skipped={text: text},
        unusable={text: text},
        guardrails=GuardrailPart(summary=text, findings=(finding(text, path=text),)),
        edits=(EditedFile(path=text, effect=text),),
        loosened=(text,),
        notes=(text,),
        common_mode=text,
        places={unnumbered.key: f"{text}:3:1"},
    )
