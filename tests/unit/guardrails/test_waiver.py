"""Each row of the table of waivers, with the clock at both edges of the last day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from perfgate.guardrails.check import evaluate
from perfgate.guardrails.strictness import effective
from tests.guard_facts import TODAY, by_rules, command, facts, flag, judged, rules

if TYPE_CHECKING:
    from perfgate.guardrails.evaluation import Evaluation

RULE = "atc: require --f=A\n"
BROKEN = facts(command(flag("--f", "B")))
FINGERPRINT = by_rules(judged(RULE, BROKEN))[0].fingerprint


def waiver(
    expires: date = date(2027, 1, 31), fingerprint: str = FINGERPRINT, path: str = "deploy/convert.sh"
) -> str:
    return (
        f"waivers: [{{rule: atc/require/--f, path: {path}, fingerprint: {fingerprint}, owner: '@alice', "
        f"reason: v1 models end in March, expires: {expires}}}]\n"
    )


def found(evaluation: Evaluation) -> list[tuple[str, str]]:
    return [(finding.rule, str(finding.severity)) for finding in by_rules(evaluation)]


def test_valid_waiver_lists_the_finding_and_does_not_count_it() -> None:
    evaluation = judged(RULE + waiver(), BROKEN)
    assert by_rules(evaluation) == ()
    assert evaluation.exit_code == 0
    assert [(f.rule, f.waived_by.owner if f.waived_by else "") for f in evaluation.waived] == [
        ("atc/require/--f", "@alice")
    ]
    assert evaluation.outcomes[0].answer == "pass"


@pytest.mark.parametrize(
    ("now", "is_covered"),
    [
        (datetime(2027, 1, 31, 23, 59, 59, tzinfo=UTC), True),  # last second of the last day
        (datetime(2027, 2, 1, 0, 0, 0, tzinfo=UTC), False),  # first second of the next
        (
            datetime(2027, 2, 1, 0, 59, 59, tzinfo=timezone(timedelta(hours=1))),
            True,
        ),  # from Berlin
        (datetime(2027, 1, 31, 19, 0, 0, tzinfo=timezone(timedelta(hours=-5))), False),  # New York is behind
    ],
)
def test_the_last_day_ends_by_the_utc_clock(now: datetime, is_covered: bool) -> None:  # noqa: FBT001 - a parameter of the table
    evaluation = judged(RULE + waiver(), BROKEN, today=now.astimezone(UTC).date())
    assert (evaluation.exit_code == 0) is is_covered
    assert (("waiver-expired", "error") in found(evaluation)) is not is_covered


@pytest.mark.parametrize(("days", "warns"), [(14, True), (15, False), (0, True)])
def test_the_end_is_announced_fourteen_days_before(days: int, warns: bool) -> None:  # noqa: FBT001 - a parameter of the table
    evaluation = judged(RULE + waiver(TODAY + timedelta(days=days)), BROKEN)
    assert (("waiver-expires-soon", "warn") in found(evaluation)) is warns
    assert evaluation.exit_code == 0


@pytest.mark.parametrize(("days", "is_applied"), [(90, True), (91, False)])
def test_a_waiver_that_runs_too_long_is_not_applied(days: int, is_applied: bool) -> None:  # noqa: FBT001 - a parameter of the table
    evaluation = judged(RULE + waiver(TODAY + timedelta(days=days)), BROKEN)
    assert (evaluation.exit_code == 0) is is_applied
    assert (("waiver-too-long", "error") in found(evaluation)) is not is_applied


def test_a_waiver_that_matches_nothing_is_a_warning() -> None:
    evaluation = judged(RULE + waiver(path="gone.sh"), BROKEN)
    assert ("waiver-unused", "warn") in found(evaluation)
    assert evaluation.exit_code == 1


def test_a_waiver_for_another_value_does_not_cover_and_the_finding_says_so() -> None:
    evaluation = judged(RULE + waiver(), facts(command(flag("--f", "C"))))
    finding = next(item for item in evaluation.findings if item.rule == "atc/require/--f")
    assert finding.message.endswith("(a waiver exists for another value)")
    assert evaluation.exit_code == 1


def test_a_waiver_in_the_same_change_is_listed_and_not_applied() -> None:
    combined, _ = effective(rules(RULE), rules(RULE + waiver()))
    evaluation = evaluate(combined, [BROKEN], today=TODAY)
    assert evaluation.exit_code == 1
    assert ("waiver-in-same-change", "warn") in found(evaluation)


def test_a_waiver_extended_in_the_same_change_counts_with_its_old_date() -> None:
    old, new = date(2026, 11, 28), date(2027, 1, 31)
    combined, _ = effective(rules(RULE + waiver(old)), rules(RULE + waiver(new)))
    evaluation = evaluate(combined, [BROKEN], today=TODAY)
    assert {"waiver-expired", "waiver-in-same-change", "atc/require/--f"} <= {
        name for name, _ in found(evaluation)
    }


def test_a_waiver_shortened_or_removed_in_the_change_takes_effect_at_once() -> None:
    base = rules(RULE + waiver())
    removed, _ = effective(base, rules(RULE))
    assert evaluate(removed, [BROKEN], today=TODAY).exit_code == 1
    shortened, _ = effective(base, rules(RULE + waiver(date(2026, 11, 28))))
    assert evaluate(shortened, [BROKEN], today=TODAY).exit_code == 1


def test_a_waiver_merged_before_counts() -> None:
    combined, weakenings = effective(rules(RULE + waiver()), rules(RULE + waiver()))
    assert weakenings == ()
    assert evaluate(combined, [BROKEN], today=TODAY).exit_code == 0


def test_fingerprint_survives_moved_code_and_numbers_equal_places() -> None:
    moved = facts(command(flag("--f", "B", line=40), line=39))
    assert judged(RULE, moved).findings[0].fingerprint == FINGERPRINT
    twice = facts(command(flag("--f", "B", line=2)), command(flag("--f", "B", line=5), line=4))
    first, second = by_rules(judged(RULE, twice))
    assert first.fingerprint == FINGERPRINT != second.fingerprint
