"""The Markdown of a check: what is cut where, and what the headline says."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.report.markdown_verdict import Frame, headline_line, verdict_markdown
from perfgate.report.pull_request_comment import MAX_COMMENT, comment_text, marker
from perfgate.report.step_summary import MAX_SUMMARY, summary_text
from tests.check_reports import fewer_per_second, hostile_report, make_report, red_report, unchanged
from tests.golden.texts import COPIES, EXPLANATION, FASTER, POSTER


def failed(verdict: Verdict, notes: tuple[str, ...] = ()) -> BenchmarkVerdict:
    return BenchmarkVerdict(
        benchmark="a", device="d", verdict=verdict, reason="why", is_failure=True, notes=notes
    )


@pytest.mark.parametrize("count", [1_000, 5_000])
def test_a_comment_of_many_rows_is_cut_on_whole_rows_below_the_limit(count: int) -> None:
    text = comment_text(make_report(*(POSTER for _ in range(count)), exit_code=1), "linux")
    assert MAX_COMMENT - 400 < len(text) <= MAX_COMMENT  # the spare and at most one row are left
    rows = [line for line in text.splitlines() if line.startswith("| ❌")]
    assert all(line.endswith(" |") and line.count(" | ") == 6 for line in rows)
    assert f"and {count - len(rows)} more rows" in text
    assert text.endswith("</sub>")


def test_a_red_row_is_kept_before_green_ones() -> None:
    text = comment_text(
        make_report(POSTER, FASTER, *(unchanged(f"net_{n}") for n in range(2_000)), exit_code=1), "linux"
    )
    assert len(text) <= MAX_COMMENT
    assert "`sd3_poster` |" in text
    assert "`net_0` |" in text
    assert "`net_1999` |" not in text


def test_a_hostile_report_of_any_length_stays_below_the_limit() -> None:
    report = hostile_report()
    many = msgspec.structs.replace(
        report,
        verdicts=report.verdicts * 500,
        skipped={f"{index}{'x' * 400}": "y" * 4_000 for index in range(500)},
        notes=("n" * 4_000,) * 500,
        loosened=("l" * 4_000,) * 500,
        edits=report.edits * 500,
    )
    assert len(comment_text(many, "linux")) <= MAX_COMMENT


def test_a_summary_is_counted_in_bytes() -> None:
    rows = [unchanged(f"网络{n}") for n in range(10_000)]
    text = summary_text(make_report(*rows))
    size = len(text.encode())
    assert MAX_SUMMARY - 400 < size <= MAX_SUMMARY


def test_a_green_report_is_its_headline_in_a_comment_and_a_table_in_a_summary() -> None:
    report = make_report(unchanged("a"), unchanged("b"))
    assert comment_text(report, "linux").splitlines() == [
        "<!-- perfgate:linux -->",
        "### ✅ perfgate: all 2 benchmarks green",
    ]
    assert "`b` |" in summary_text(report)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (11, "❌ perfgate: nothing was compared (exit 11)"),
        (12, "❌ perfgate: baselines, policy or guardrails cannot be used (exit 12)"),
        (10, "❌ perfgate: inconclusive (exit 10)"),
        (1, "❌ perfgate: fail (exit 1)"),
    ],
)
def test_a_red_exit_code_is_never_headed_green(code: int, words: str) -> None:
    assert headline_line(make_report(unchanged("a"), exit_code=code)) == f"### {words}"


def test_a_partial_run_says_how_many_were_left_out() -> None:
    report = msgspec.structs.replace(make_report(unchanged("a")), not_judged=3)
    assert headline_line(report) == "### ✅ perfgate: 1 benchmarks green; 3 others not selected"


def test_the_headline_counts_each_kind_of_failure_the_worst_first() -> None:
    report = make_report(
        failed(Verdict.MISSING),
        failed(Verdict.REGRESSED),
        failed(Verdict.MISSING),
        unchanged("b"),
        exit_code=1,
    )
    assert "2 of 4 benchmarks missing, 1 regressed — `a` missing on `d`" in headline_line(report)


def test_a_broken_budget_is_called_so_and_not_unchanged() -> None:
    report = make_report(failed(Verdict.UNCHANGED, ("over budget: 3 s > 2 s [latency]",)), exit_code=1)
    text = comment_text(report, "linux")
    assert "1 of 1 benchmarks over budget" in text
    assert "`over budget: 3 s > 2 s [latency]`" in text


def test_the_sign_rule_is_said_once_and_only_where_more_is_better() -> None:
    frame = Frame(limit=10_000, size=len)
    both = make_report(fewer_per_second("a"), fewer_per_second("b"), POSTER, exit_code=1)
    assert verdict_markdown(both, frame).count("plus signs mean worse") == 1
    assert "plus signs" not in verdict_markdown(red_report(), frame)


@pytest.mark.parametrize("key", ["linux", "gate", "py3.12-linux", "a_b"])
def test_a_plain_key_stands_in_the_marker(key: str) -> None:
    assert marker(key) == f"<!-- perfgate:{key} -->"


def test_a_change_from_zero_has_no_percentage() -> None:
    copies = BenchmarkVerdict(
        benchmark="a",
        device="d",
        verdict=Verdict.REGRESSED,
        reason="0 -> 2.34 GB (new)",
        is_failure=True,
        comparisons=(COPIES,),
    )
    text = comment_text(make_report(copies, exit_code=1), "linux")
    assert "| ❌ | `a` | `d` | copied_bytes | 0 B | 2.34 GB | no percentage |" in text
    assert "`regressed on d: 0 -> 2.34 GB (new)`" in text


def test_a_changed_model_is_evidence() -> None:
    explanation = msgspec.structs.replace(EXPLANATION, model_changed=True, settings=(), operators=())
    report = msgspec.structs.replace(red_report(), explanations={POSTER.key: explanation})
    text = comment_text(report, "linux")
    assert "the model itself changed; copies between host and device 0 B → 2.34 GB" in text
