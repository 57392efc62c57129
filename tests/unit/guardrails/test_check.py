"""The evaluation of a tree: matches, expectations, given paths, notes, and the incident from end to end."""

from __future__ import annotations

import pytest

from perfgate.config.facts import FileFacts, Note
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from perfgate.guardrails.strictness import effective
from perfgate.guardrails.tree import facts_of_tree
from tests.guard_facts import TODAY, command, facts, flag, judged, rules, span

SCRIPT = b"#!/bin/bash\natc --framework=5 --model=seg.onnx \\\n  --optypelayout=NCHW --output=o\n"
INCIDENT = {"deploy/convert.sh": SCRIPT}
LINE = b"atc_convert: require --optypelayout=NHWC\n"


@pytest.mark.parametrize("name", ["guardrails.yaml", ".cann_guardrails.yaml"])
def test_the_incident_cannot_come_back(name: str) -> None:
    loaded = load_rules([RuleSource(path=name, text=LINE)])
    tree = facts_of_tree(INCIDENT, loaded)
    evaluation = evaluate(loaded, tree, today=TODAY)
    assert evaluation.exit_code == 1
    (outcome,) = evaluation.outcomes
    assert (outcome.key, str(outcome.answer)) == (f"{name}::atc_convert/require/--optypelayout", "fail")
    assert [str(finding.span) for finding in outcome.findings] == ["deploy/convert.sh:3:3"]
    ((place, finding),) = evaluation.broken_places().items()
    assert (str(place), finding) == (str(tree[0].commands[0].span), outcome.findings[0])


def test_the_line_removed_in_the_same_change_is_still_red() -> None:
    combined, _ = effective(rules(LINE.decode()), rules("# nothing\n"))
    evaluation = evaluate(combined, facts_of_tree(INCIDENT, combined), today=TODAY)
    assert evaluation.exit_code == 1
    assert "rule-weakened" in {finding.rule for finding in evaluation.findings}


def test_the_unknown_flag_is_enforced_and_remarked_once_with_the_nearest_names() -> None:
    loaded = rules(LINE.decode())
    evaluation = evaluate(loaded, facts_of_tree(INCIDENT, loaded), today=TODAY)
    (remark,) = (item for item in evaluation.findings if item.rule == "rule-names-unknown-flag")
    assert remark.message == (
        "--optypelayout is not in the atc catalogue; the rule is enforced as written. "
        "Near: --optypelist_for_implmode; layout is set by --input_format"
    )


EXPECT = "rules: [{{id: r, target: atc, forbid: [--f], expect: {{min_matches: {}}}}}]"


@pytest.mark.parametrize(("wanted", "exit_code"), [(0, 0), (1, 0), (2, 1)])
def test_too_few_matches_are_a_finding(wanted: int, exit_code: int) -> None:
    evaluation = judged(EXPECT.format(wanted), facts(command()))
    assert evaluation.exit_code == exit_code
    assert ("expected-match" in {finding.rule for finding in evaluation.findings}) is bool(exit_code)
    (outcome,) = evaluation.outcomes
    assert (outcome.answer == "fail") is bool(exit_code)
    assert [finding.rule for finding in outcome.findings] == ["expected-match"] * exit_code


def test_given_paths_limit_findings_and_not_what_a_rule_matches() -> None:
    files = [facts(command(flag("--f"))), facts(path="b.sh")]
    evaluation = evaluate(rules(EXPECT.format(1)), files, today=TODAY, only=frozenset({"b.sh"}))
    assert evaluation.exit_code == 0
    assert len(evaluation.outcomes[0].matches) == 1


def test_fail_on_warn_turns_warnings_red() -> None:
    broken = facts(command(flag("--f")))
    assert judged("atc: warn forbid --f", broken).exit_code == 0
    assert judged("settings: {fail_on: warn}\natc: warn forbid --f", broken).exit_code == 1


def test_strict_repositories_make_unknown_answers_red() -> None:
    hidden = facts(command(is_open=True))
    assert judged("atc: require --f", hidden).exit_code == 0
    assert judged("settings: {unresolved: error}\natc: require --f", hidden).exit_code == 1
    assert judged("settings: {unresolved: error}\natc: note require --f", hidden).exit_code == 0


def test_rules_that_need_a_measurement_are_not_evaluated_here() -> None:
    (outcome,) = judged("latency: <=33ms", facts()).outcomes
    assert not outcome.is_evaluated
    assert outcome.matches == ()


@pytest.mark.parametrize(("code", "severity"), [("crlf-continuation", "warn"), ("eval", "note")])
def test_remarks_of_readers_are_passed_on(code: str, severity: str) -> None:
    file = FileFacts(path="a.sh", notes=(Note(code=code, span=span(3, path="a.sh"), text="text"),))
    found = [f for f in judged("atc: forbid --f", file).findings if f.rule == code]
    assert [(str(f.severity), f.message, f.span.line) for f in found] == [(severity, "text", 3)]


def test_custom_target_watches_its_own_program_variable_and_files() -> None:
    loaded = rules(
        "targets:\n"
        "  seg: {programs: [seg_convert], dialect: gflags}\n"
        "  opts: {env: MY_COMPILER_FLAGS}\n"
        "  serve: {files: ['**/serve.json']}\n"
        "seg: require --layout=NHWC\n"
        "opts: forbid --slow\n"
        "serve: require pool.size>=2GB\n"
    )
    files = {
        "a.sh": b"seg_convert --layout NCHW\nexport MY_COMPILER_FLAGS='--slow'\n",
        "x/serve.json": b'{"pool": {"size": "1GB"}}',
    }
    found = evaluate(loaded, facts_of_tree(files, loaded), today=TODAY).findings
    assert [finding.message for finding in found] == [
        "--layout=NCHW, must be NHWC",
        "--slow is forbidden",
        "pool.size=1GB, must be >=2GB",
    ]


def test_flags_kept_in_a_plan_are_read_where_they_are_written() -> None:
    loaded = rules('plan: ["require --input_format=ND", "forbid --op_debug_level>0"]')
    files = {"out/optimization_plan.json": b'{"id": 3, "flags": "--input_format NCHW --op_debug_level=1"}'}
    found = evaluate(loaded, facts_of_tree(files, loaded), today=TODAY).findings
    assert [(finding.span.column, finding.message) for finding in found] == [
        (21, "--input_format=NCHW, must be ND"),
        (41, "--op_debug_level=1, forbidden is --op_debug_level>0"),
    ]


def test_file_above_the_size_limit_answers_unknown() -> None:
    loaded = rules("settings: {max_file_size: 1KB}\natc: require --f=A")
    tree = facts_of_tree({"a.sh": b"atc --f=A\n" + b"#" * 2000}, loaded)
    assert str(evaluate(loaded, tree, today=TODAY).outcomes[0].answer) == "unknown"


def test_excluded_files_are_not_read() -> None:
    loaded = rules("settings: {paths: {exclude: ['deploy/**']}}\natc: require --f=A")
    assert facts_of_tree(INCIDENT, loaded) == ()


def test_without_rules_nothing_is_said_about_files() -> None:
    file = FileFacts(path="a.sh", notes=(Note(code="eval", span=span(3, path="a.sh"), text="text"),))
    assert judged("# nothing", file).findings == ()
