from __future__ import annotations

from perfgate.guardrails.check import evaluate
from tests.guard_facts import TODAY, command, facts, flag, judged, rules, runtime, unknown

SELECTORS = "[{target: atc, flag: --soc_version}, {target: runtime, key: device.soc}]"
RULE = f"rules: [{{id: same, consistent: {SELECTORS}}}]"


def test_equal_values_in_two_files_pass() -> None:
    evaluation = judged(RULE, facts(command(flag("--soc_version", "A"))), runtime(device__soc="A"))
    assert evaluation.findings == ()
    assert len(evaluation.outcomes[0].matches) == 2


def test_different_values_fail_and_both_places_are_named() -> None:
    evaluation = judged(RULE, facts(command(flag("--soc_version", "A", line=3))), runtime(device__soc="B"))
    assert [finding.message for finding in evaluation.findings] == [
        "device.soc=B, but --soc_version=A at deploy/convert.sh:3:5"
    ]


def test_value_that_is_not_known_is_unknown() -> None:
    evaluation = judged(RULE, facts(command(flag("--soc_version", unknown()))), runtime(device__soc="B"))
    assert [str(finding.answer) for finding in evaluation.findings] == ["unknown"]


def test_three_values_give_three_pairs() -> None:
    calls = facts(*(command(flag("--soc_version", text, line=n), line=n) for n, text in enumerate("ABC", 1)))
    assert len(judged(RULE, calls).findings) == 3


def test_given_paths_do_not_hide_the_other_side() -> None:
    both = (facts(command(flag("--soc_version", "A"))), runtime(device__soc="B"))
    evaluation = evaluate(rules(RULE), both, today=TODAY, only=frozenset({"deploy/convert.sh"}))
    assert [str(finding.answer) for finding in evaluation.findings] == ["fail"]
