"""Delivered records judged by the checked-out commit: what makes the answer red, and what is believed."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import encode_record
from perfgate.core.finding import Severity
from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.report.check_report import CheckReport, EditedFile, GuardrailPart
from perfgate.workflow.ci_judgement import judge_again
from perfgate.workflow.ci_records import Delivery
from perfgate.workflow.options import GateOptions
from tests.check_reports import finding, make_report, unchanged
from tests.noisy_records import Workshop
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.core.record import Record

TODAY = dt.date(2026, 11, 29)
GHOST = "rules: [{id: b, budget: {metric: latency, max: 33ms, benchmark: ghost}}]\n"
EDIT = EditedFile(path="perfgate.yaml", effect="modified")


@pytest.fixture
def workshop() -> Workshop:
    return Workshop(seed=7)


def repository(folder: Path, records: list[Record], **files: str) -> Repository:
    """A default branch with accepted baselines."""
    base = Repository(folder / "base")
    stored = {
        f"baselines/{baseline_path(item.benchmark, item.device)}": encode_record(item) for item in records
    }
    base.commit("accepted", {**stored, **{name.replace("_", "."): text for name, text in files.items()}})
    return base


def judged(
    base: Repository, records: list[Record], claimed: CheckReport | None = None, *, edits: int = 0
) -> CheckReport:
    delivery = Delivery(records={item.key: item for item in records}, claimed=claimed)
    return judge_again(GateOptions(root=base.folder, base="HEAD"), delivery, [EDIT] * edits, TODAY)


def test_equal_code_is_green_and_slower_code_is_not(tmp_path: Path, workshop: Workshop) -> None:
    base = repository(tmp_path, [workshop.record("a", 12), workshop.record("b", 12)])
    same = judged(base, [workshop.record("a", 12), workshop.record("b", 12)])
    assert (same.exit_code, {item.verdict for item in same.verdicts}) == (0, {Verdict.UNCHANGED})
    workshop.factors["b[d]"] = 1.5
    slower = judged(base, [workshop.record("a", 12), workshop.record("b", 12)])
    assert slower.exit_code == 1
    assert (slower.verdicts[0].key, slower.verdicts[0].verdict) == ("b[d]", Verdict.REGRESSED)
    assert set(slower.explanations) == {"b[d]"}


def test_a_benchmark_that_was_stopped_makes_the_answer_red(tmp_path: Path, workshop: Workshop) -> None:
    base = repository(tmp_path, [workshop.record("a", 12), workshop.record("b", 12)])
    claimed = msgspec.structs.replace(make_report(), skipped={"b[d]": "why", "a[d]": "but it has a record"})
    report = judged(base, [workshop.record("a", 12)], claimed)
    assert report.exit_code == 1
    assert report.skipped == {"b[d]": "why"}
    assert report.not_judged == 0


def test_a_missing_record_is_missing_when_the_run_says_so_and_else_not_judged(
    tmp_path: Path, workshop: Workshop
) -> None:
    base = repository(tmp_path, [workshop.record("a", 12), workshop.record("b", 12)])
    part = judged(base, [workshop.record("a", 12)])
    assert (part.exit_code, part.not_judged) == (0, 1)
    gone = BenchmarkVerdict(
        benchmark="b", device="d", verdict=Verdict.MISSING, reason="gone", is_failure=True
    )
    deleted = judged(base, [workshop.record("a", 12)], make_report(gone, exit_code=1))
    assert deleted.exit_code == 1
    assert [item.verdict for item in deleted.verdicts] == [Verdict.MISSING, Verdict.UNCHANGED]


def test_a_guardrail_error_of_the_change_makes_the_answer_red(tmp_path: Path, workshop: Workshop) -> None:
    base = repository(tmp_path, [workshop.record("a", 12)])
    claimed = msgspec.structs.replace(
        make_report(), guardrails=GuardrailPart(findings=(finding("must be NHWC"),))
    )
    assert judged(base, [workshop.record("a", 12)], claimed).exit_code == 1


def test_a_green_claim_is_not_believed(tmp_path: Path, workshop: Workshop) -> None:
    base = repository(tmp_path, [workshop.record("a", 12)])
    workshop.factors["a[d]"] = 1.5
    claimed = make_report(unchanged("a"))
    assert judged(base, [workshop.record("a", 12)], claimed).exit_code == 1


def test_a_broken_baseline_of_the_default_branch_is_12(tmp_path: Path, workshop: Workshop) -> None:
    base = repository(tmp_path, [workshop.record("a", 12)])
    base.commit("broken", {"baselines/d/b.json": "{"})
    report = judged(base, [workshop.record("a", 12)])
    assert report.exit_code == 12
    assert list(report.unusable) == ["baselines/d/b.json"]


def test_a_budget_of_the_default_branch_holds(tmp_path: Path, workshop: Workshop) -> None:
    # The drawn latency is 1 ms.
    base = repository(tmp_path, [workshop.record("a", 12)], guardrails_yaml='latency: "<=0.5ms"\n')
    report = judged(base, [workshop.record("a", 12)])
    assert report.exit_code == 1
    assert report.verdicts[0].is_failure


def test_every_listed_edit_is_shown_with_the_effect_that_the_run_read(
    tmp_path: Path, workshop: Workshop
) -> None:
    base = repository(tmp_path, [workshop.record("a", 12)])
    records = [workshop.record("a", 12)]
    claimed = msgspec.structs.replace(
        make_report(),
        edits=(
            EditedFile(path="perfgate.yaml", effect="accepts +12 %"),
            EditedFile(path="not/listed", effect="x"),
        ),
    )
    assert judged(base, records, edits=1).edits == (EDIT,)
    (edit,) = judged(base, records, claimed, edits=1).edits
    assert edit.effect == "accepts +12 %"


@pytest.mark.parametrize(("rules", "code"), [("version: 1\n", 0), ("settings: {fail_on: warn}\n", 1)])
def test_a_guardrail_warning_of_the_change_is_red_where_base_says_so(
    tmp_path: Path, workshop: Workshop, rules: str, code: int
) -> None:
    base = repository(tmp_path, [workshop.record("a", 12)], guardrails_yaml=rules)
    warning = msgspec.structs.replace(finding("must be NHWC"), severity=Severity.WARN)
    claimed = msgspec.structs.replace(make_report(), guardrails=GuardrailPart(findings=(warning,)))
    assert judged(base, [workshop.record("a", 12)], claimed).exit_code == code


def test_a_budget_that_fits_no_benchmark_is_said(tmp_path: Path, workshop: Workshop) -> None:
    base = repository(tmp_path, [workshop.record("a", 12)], guardrails_yaml=GHOST)
    report = judged(base, [workshop.record("a", 12)])
    assert "no benchmark is a ghost[*]" in report.notes[0]


def test_a_new_baseline_of_the_change_is_named_and_leaves_the_answer_red(
    tmp_path: Path, workshop: Workshop
) -> None:
    base = repository(
        tmp_path,
        [workshop.record("a", 12)],
        perfgate_yaml="version: 1\nacceptance: review\n",
        CODEOWNERS="* @a\n",
    )
    workshop.factors["a[d]"] = 1.5
    records = [workshop.record("a", 12)]
    edit = EditedFile(path="baselines/d/a.json", effect="modified")
    delivery = Delivery(records={item.key: item for item in records}, claimed=None)
    report = judge_again(GateOptions(root=base.folder, base="HEAD"), delivery, [edit], TODAY)
    assert report.exit_code == 1
    assert "a[d]: the change brings a new baseline; its own run says whether that counts" in report.notes
    assert not any("brings" in note for note in judged(base, records).notes)
