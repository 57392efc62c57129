from __future__ import annotations

from dataclasses import replace

from perfgate.config.facts import EnvOperation, EnvSetting
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.kinds.consistent import MAX_PAIRS
from tests.guard_facts import (
    TODAY,
    command,
    default,
    facts,
    flag,
    judged,
    known,
    rules,
    runtime,
    span,
    unknown,
)

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


def test_values_of_which_none_is_known_are_unknown() -> None:
    calls = facts(
        command(flag("--soc_version", unknown(), line=3), line=3),
        command(flag("--soc_version", unknown(), line=7), line=7),
    )
    assert [str(finding.answer) for finding in judged(RULE, calls).findings] == ["unknown", "unknown"]


def test_a_call_whose_flag_may_follow_is_unknown() -> None:
    evaluation = judged(RULE, facts(command(is_open=True)), runtime(device__soc="B"))
    assert [str(finding.answer) for finding in evaluation.findings] == ["unknown"]


def test_file_not_read_to_its_end_may_hide_another_value() -> None:
    calls, keys = facts(command(flag("--soc_version", "A"))), runtime(device__soc="A")
    evaluation = judged(RULE, calls, replace(keys, incomplete=True))
    assert [(finding.span.path, str(finding.answer)) for finding in evaluation.findings] == [
        (keys.path, "unknown")
    ]
    assert str(evaluation.outcomes[0].answer) == "unknown"


def test_file_not_read_to_its_end_that_fails_is_named_once() -> None:
    calls, keys = facts(command(flag("--soc_version", "A"))), runtime(device__soc="B")
    evaluation = judged(RULE, calls, replace(keys, incomplete=True))
    assert [str(finding.answer) for finding in evaluation.findings] == ["fail"]


def test_three_values_give_three_pairs() -> None:
    calls = facts(*(command(flag("--soc_version", text, line=n), line=n) for n, text in enumerate("ABC", 1)))
    assert len(judged(RULE, calls).findings) == 3


def test_given_paths_do_not_hide_the_other_side() -> None:
    both = (facts(command(flag("--soc_version", "A"))), runtime(device__soc="B"))
    evaluation = evaluate(rules(RULE), both, today=TODAY, only=frozenset({"deploy/convert.sh"}))
    assert [str(finding.answer) for finding in evaluation.findings] == ["fail"]


PLAIN = "rules: [{id: p, consistent: [{target: mem, env: LIMIT}, {target: mem, env: OTHER}]}]"
TARGET = "targets: {mem: {env: [LIMIT, OTHER]}}\n"


def plain(name: str, text: str, line: int) -> EnvSetting:
    return EnvSetting(name=name, operation=EnvOperation.SET, span=span(line, 1, 5), value=known(text))


def test_variables_with_one_value_are_compared() -> None:
    both = facts(plain("LIMIT", "0.5", 1), plain("OTHER", "0.8", 2))
    assert [finding.message for finding in judged(TARGET + PLAIN, both).findings] == [
        "OTHER=0.8, but LIMIT=0.5 at deploy/convert.sh:1:1"
    ]


def test_bare_flags_and_defaults_are_compared_as_what_they_are() -> None:
    bare = facts(command(flag("--soc_version")), command(flag("--soc_version", "A"), line=5))
    assert len(judged(RULE, bare).findings) == 1
    replaced = facts(
        command(flag("--soc_version", default("A"))), command(flag("--soc_version", "A"), line=5)
    )
    assert [str(finding.answer) for finding in judged(RULE, replaced).findings] == ["unknown"]


def test_very_many_values_give_a_bounded_number_of_findings() -> None:
    calls = facts(*(command(flag("--soc_version", f"S{n}", line=n), line=n) for n in range(1, 30)))
    assert len(judged(RULE, calls).findings) == MAX_PAIRS
