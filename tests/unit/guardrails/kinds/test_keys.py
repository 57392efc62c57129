from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.guardrails.check import evaluate
from perfgate.guardrails.tree import facts_of_tree
from tests.guard_facts import TODAY, judged, rules, runtime

if TYPE_CHECKING:
    from perfgate.config.facts import FileFacts

TEMPLATE = "rules: [{{id: k, target: runtime, keys: {{{path}: {{{test}}}}}}}]"


def answer_for(path: str, test: str, file: FileFacts) -> str:
    return str(judged(TEMPLATE.format(path=path, test=test), file).outcomes[0].answer)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("equals: high", "pass"),
        ("equals: low", "fail"),
        ("values: [low, high]", "pass"),
        ("values: [low]", "fail"),
        ("type: int", "fail"),
    ],
)
def test_key_that_is_there(test: str, expected: str) -> None:
    assert answer_for("stream.priority", test, runtime(stream__priority="high")) == expected


def test_missing_key_fails_only_when_required() -> None:
    assert answer_for("a", "equals: x", runtime(b="x")) == "pass"
    assert answer_for("a", "equals: x, required: true", runtime(b="x")) == "fail"


@pytest.mark.parametrize("text", ["{}", "[]", '{"a": {}}'])
def test_file_without_any_key_lacks_the_required_one(text: str) -> None:
    chosen = rules(TEMPLATE.format(path="a", test="required: true"))
    files = {"deploy/runtime_config.json": text.encode(), "deploy/other.json": b"{}"}
    (outcome,) = evaluate(chosen, facts_of_tree(files, chosen), today=TODAY).outcomes
    assert [(finding.span.path, finding.message) for finding in outcome.findings] == [
        ("deploy/runtime_config.json", "missing a")
    ]


@pytest.mark.parametrize(
    ("text", "expected"), [("1.5GB", "fail"), ("2GB", "pass"), ("2048MB", "pass"), ("3GiB", "pass")]
)
def test_memory_pool_below_two_gigabytes_fails(text: str, expected: str) -> None:
    found = judged("runtime: require memory_pool>=2GB", runtime(memory_pool=text)).outcomes[0]
    assert found.answer == expected


def test_yes_is_a_text_and_not_true_and_the_message_says_so() -> None:
    findings = judged("runtime: require tea_cache=true", runtime(tea_cache="yes")).findings
    assert [finding.message for finding in findings] == [
        "tea_cache=yes, must be true (yes is a text; only true and false are truth values)"
    ]


def test_several_keys_on_one_line_are_several_rules() -> None:
    line = "runtime: require tea_cache=true stream.priority=high memory_pool>=2GB"
    evaluation = judged(line, runtime(tea_cache="true", stream__priority="low", memory_pool="4GB"))
    assert [(item.rule.id, str(item.answer)) for item in evaluation.outcomes] == [
        ("runtime/require/tea_cache", "pass"),
        ("runtime/require/stream.priority", "fail"),
        ("runtime/require/memory_pool", "pass"),
    ]
