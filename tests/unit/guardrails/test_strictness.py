"""Each weakening of the design as a pair of rule files: a finding one way, none the other way."""

from __future__ import annotations

import pytest

from perfgate.guardrails.check import evaluate
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSet, RuleSource
from perfgate.guardrails.strictness import effective
from tests.guard_facts import TODAY, command, convert, facts, flag, rules


def long(body: str, extra: str = "") -> str:
    return f"{extra}rules: [{{id: r, target: atc, {body}}}]"


def budget(body: str) -> str:
    return f"rules: [{{id: b, budget: {{metric: latency, {body}}}}}]"


def settings(body: str) -> str:
    return f"settings: {{{body}}}\natc: require --f\n"


TARGET = "targets: {{t: {{{}}}}}\nrules: [{{id: r, target: t, forbid: [--f]}}]"

CONSISTENT = "rules: [{{id: r, consistent: [{{target: atc, flag: --a}}, {{target: atc, flag: --b}}{}]}}]"

PAIRS = {  # stricter file, weaker file
    "rule removed": ("atc: [require --f, require --g]", "atc: require --f"),
    "severity lowered": ("atc: require --f", "atc: warn require --f"),
    "allowed set widened": ("atc: require --f=A", "atc: require --f={A,B}"),
    "value no longer asked": ("atc: require --f=A", "atc: require --f"),
    "bound loosened": ("runtime: require pool>=2GB", "runtime: require pool>=1GB"),
    "strict bound loosened": ("runtime: require pool>2GB", "runtime: require pool>=2GB"),
    "fewer values forbidden": ("atc: forbid --f", long("forbid: [--f=A]")),
    "range widened": (long("range: {--f: {min: 2, max: 3}}"), long("range: {--f: {min: 2, max: 4}}")),
    "values widened": (long("values: {--f: [A]}"), long("values: {--f: [A, B]}")),
    "flag taken out": (long("require: {--f: A, --g: B}"), long("require: {--f: A}")),
    "key no longer required": (
        "rules: [{id: r, target: runtime, keys: {a: {equals: 1, required: true}}}]",
        "rules: [{id: r, target: runtime, keys: {a: {equals: 1}}}]",
    ),
    "when narrowed": (long("forbid: [--f]"), long("forbid: [--f], when: {has: [--g]}")),
    "when narrowed further": (
        long("forbid: [--f], when: {flag: {--g: ['1', '2']}}"),
        long("forbid: [--f], when: {flag: {--g: '1'}}"),
    ),
    "paths narrowed": (long("forbid: [--f]"), long("forbid: [--f], paths: [deploy/**]")),
    "paths narrowed further": (long("forbid: [--f], paths: [a, b]"), long("forbid: [--f], paths: [a]")),
    "target narrowed": (TARGET.format("programs: [atc, trtexec]"), TARGET.format("programs: [atc]")),
    "target condition": (TARGET.format("extends: atc"), TARGET.format("extends: atc_convert")),
    "target paths": (TARGET.format("extends: atc"), TARGET.format("extends: atc, paths: [deploy/**]")),
    "flags_known grown": (TARGET.format("extends: atc"), TARGET.format("extends: atc, flags_known: [--f]")),
    "expect lowered": (
        long("forbid: [--f], expect: {min_matches: 2}"),
        long("forbid: [--f], expect: {min_matches: 1}"),
    ),
    "rule's unresolved lowered": (
        long("forbid: [--f], unresolved: error"),
        long("forbid: [--f], unresolved: note"),
    ),
    "group": (long("at_most_one: [--a, --b, --c]"), long("at_most_one: [--a, --b]")),
    "all or none": (long("all_or_none: [--a, --b, --c]"), long("all_or_none: [--a, --b]")),
    "consistent": (
        CONSISTENT.format(", {target: aoe, flag: --a}"),
        CONSISTENT.format(""),
    ),
    "budget loosened": ("latency: <=33ms", "latency: <=40ms"),
    "strict budget loosened": ("latency: <33ms", "latency: <=33ms"),
    "minimum loosened": ("fps: min 30", "fps: min 25"),
    "warn band widened": ("latency: <=33ms", "latency: <=33ms warn 5%"),
    "budget on fewer devices": (budget("max: 3ms"), budget("max: 3ms, device: 'a100*'")),
    "row of the matrix removed": (
        "rules: [{id: m, targets_matrix: [{metric: latency, max: 3ms}, {metric: power, max: 9W}]}]",
        "rules: [{id: m, targets_matrix: [{metric: latency, max: 3ms}]}]",
    ),
    "alert needs more": (
        "rules: [{id: a, alert: {all: ['power>9W'], action: x}}]",
        "rules: [{id: a, alert: {all: ['power>9W', 'latency>3ms'], action: x}}]",
    ),
    "alert switched off": ("settings: {alerts: all}", "settings: {fail_on: error}"),
    "fail_on raised": (settings("fail_on: warn"), settings("fail_on: error")),
    "unresolved lowered": (settings("unresolved: error"), settings("unresolved: warn")),
    "unknown_flag lowered": (settings("unknown_flag: warn"), settings("unknown_flag: note")),
    "weakening lowered": (settings("weakening: error"), settings("weakening: warn")),
    "waivers may run longer": (settings("waiver_max_days: 30"), settings("waiver_max_days: 90")),
    "file size lowered": (settings("max_file_size: 2MiB"), settings("max_file_size: 1MiB")),
    "excludes grown": (settings("fail_on: error"), settings("paths: {exclude: [old/**]}")),
    "includes narrowed": (settings("fail_on: error"), settings("paths: {include: [deploy/**]}")),
}


@pytest.mark.parametrize("name", PAIRS)
def test_weakening_is_a_finding_and_its_reverse_is_none(name: str) -> None:
    strict, weak = map(rules, PAIRS[name])
    _, found = effective(strict, weak)
    assert found
    assert {(finding.rule, str(finding.severity)) for finding in found} <= {
        ("rule-weakened", "warn"),
        ("rule-weakened", "error"),  # where base sets it
    }
    assert effective(weak, strict)[1] == ()


@pytest.mark.parametrize("name", PAIRS)
def test_a_file_is_no_weakening_of_itself(name: str) -> None:
    for text in PAIRS[name]:
        combined, found = effective(rules(text), rules(text))
        assert found == ()
        assert len(combined.rules) == len(rules(text).rules)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("atc: require --f=A", "# the layout\natc:\n  - require  --f=A   # since May\n"),
        ("atc: [require --f=A, require --g]", "atc: require --g\natc: require --f=A"),
        ("atc: require --f=A", "rules: [{id: layout, target: atc, require: {--f: A}, message: because}]"),
        ("atc: require --f={A,B}", "atc: require --f={B,A}"),
    ],
)
def test_another_way_to_write_a_rule_is_silent(before: str, after: str) -> None:
    assert effective(rules(before), rules(after))[1] == ()


def test_weakened_rule_still_judges_and_the_finding_stands_at_the_new_line() -> None:
    combined, (finding,) = effective(rules("atc: require --f=A"), rules("\natc: require --f={A,B}"))
    evaluation = evaluate(combined, [facts(command(flag("--f", "B")))], today=TODAY)
    assert evaluation.exit_code == 1
    assert str(finding.span) == "guardrails.yaml:2:14"
    assert finding.message == "rule atc/require/--f: more values of --f are allowed; the base rule counts"
    assert finding in evaluation.findings


def test_removed_line_still_judges_and_is_a_finding_at_the_base_line() -> None:
    base = rules("# one\natc_convert: require --optypelayout=NHWC")
    combined, (finding,) = effective(base, rules("trtexec: forbid --best"))
    evaluation = evaluate(combined, [facts(convert(flag("--optypelayout", "NCHW")))], today=TODAY)
    assert evaluation.exit_code == 1
    assert (str(finding.span), finding.rule) == ("guardrails.yaml:2:22", "rule-weakened")
    assert [rule.origin for rule in combined.rules] == ["base", "head"]


def test_deleted_rule_file_is_a_finding_and_its_rules_count() -> None:
    combined, found = effective(rules("atc: require --f=A"), load_rules([]))
    assert [finding.message for finding in found] == [
        "rule atc/require/--f removed",
        "rule file guardrails.yaml removed",
    ]
    assert evaluate(combined, [facts(command())], today=TODAY).exit_code == 1


def test_rules_moved_to_the_other_file_name_are_silent() -> None:
    old = load_rules([RuleSource(path=".cann_guardrails.yaml", text=b"atc: require --f=A")])
    assert effective(old, rules("atc: require --f=A"))[1] == ()


def test_without_a_base_head_counts_alone() -> None:
    head = rules("atc: require --f=A")
    assert effective(None, head) == (head, ())


def test_first_rule_file_of_a_repository_brings_its_own_settings() -> None:
    combined, found = effective(RuleSet(), rules("settings: {paths: {exclude: [old/**]}}\natc: require --f"))
    assert found == ()
    evaluation = evaluate(combined, [facts(command(path="old/a.sh"), path="old/a.sh")], today=TODAY)
    assert evaluation.exit_code == 0


def test_excluded_files_stay_judged_until_the_exclude_is_merged() -> None:
    weak = rules("settings: {paths: {exclude: [deploy/**]}}\natc: require --f")
    combined, found = effective(rules("atc: require --f"), weak)
    assert [finding.message for finding in found] == ["settings: files taken out by paths"]
    assert evaluate(combined, [facts(command())], today=TODAY).exit_code == 1
    assert evaluate(weak, [facts(command())], today=TODAY).exit_code == 0


def test_two_rules_of_one_name_that_ask_different_things_both_count_under_their_own_keys() -> None:
    combined, (finding,) = effective(rules("atc: require --f=A"), rules("atc: require --f=B"))
    assert finding.message == "rule atc/require/--f: more values of --f are allowed; the base rule counts"
    evaluation = evaluate(combined, [facts(command(flag("--f", "B")))], today=TODAY)
    assert [(item.key, str(item.answer)) for item in evaluation.outcomes] == [
        ("guardrails.yaml::atc/require/--f", "fail"),
        ("guardrails.yaml::atc/require/--f (head)", "pass"),
    ]
