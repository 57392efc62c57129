"""SARIF 2.1.0: the structure that the standard demands, checked by a schema of the parts we write."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from perfgate.core.finding import Edit, Finding, Place
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.evaluation import Evaluation
from perfgate.report.sarif import MAX_RESULTS, sarif_log
from tests.guard_facts import TODAY, command, facts, flag, judged, rules, unknown

TEN_MB = 10 * 1000 * 1000
_TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
_POSITIVE = {"type": "integer", "minimum": 1}
_REGION = {
    "type": "object",
    "properties": dict.fromkeys(("startLine", "startColumn", "endLine", "endColumn"), _POSITIVE),
    "required": ["startLine"],
    "additionalProperties": False,
}
_ARTIFACT = {
    "type": "object",
    "properties": {"uri": {"type": "string", "pattern": r"^[!-~]+$"}},  # RFC 3986: printable ASCII
    "required": ["uri"],
    "additionalProperties": False,
}
_PHYSICAL = {
    "type": "object",
    "properties": {"artifactLocation": _ARTIFACT, "region": _REGION},
    "required": ["artifactLocation", "region"],
    "additionalProperties": False,
}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_REPLACEMENT = {
    "type": "object",
    "properties": {"deletedRegion": _REGION, "insertedContent": _TEXT},
    "required": ["deletedRegion"],
    "additionalProperties": False,
}
_FIX = {
    "type": "object",
    "properties": {
        "description": _TEXT,
        "artifactChanges": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "artifactLocation": _ARTIFACT,
                    "replacements": {"type": "array", "minItems": 1, "items": _REPLACEMENT},
                },
                "required": ["artifactLocation", "replacements"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["artifactChanges"],
    "additionalProperties": False,
}
_SUPPRESSION = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["inSource", "external"]},
        "status": {"enum": ["accepted", "underReview", "rejected"]},
        "justification": {"type": "string"},
    },
    "required": ["kind"],
    "additionalProperties": False,
}
_RESULT = {
    "type": "object",
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": _LEVEL,
        "message": _TEXT,
        "locations": {"type": "array", "items": {"properties": {"physicalLocation": _PHYSICAL}}},
        "relatedLocations": {"type": "array", "items": {"properties": {"physicalLocation": _PHYSICAL}}},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "fixes": {"type": "array", "items": _FIX},
        "suppressions": {"type": "array", "items": _SUPPRESSION},
    },
    "required": ["message"],
    "additionalProperties": False,
}
_RULE = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "shortDescription": _TEXT,
        "helpUri": {"type": "string", "format": "uri"},
        "defaultConfiguration": {"type": "object", "properties": {"level": _LEVEL}},
    },
    "required": ["id"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "tool": {
                        "properties": {
                            "driver": {
                                "properties": {
                                    "name": {"type": "string"},
                                    "rules": {"type": "array", "uniqueItems": True, "items": _RULE},
                                },
                                "required": ["name"],
                            }
                        },
                        "required": ["driver"],
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": _RESULT},
                    "invocations": {"type": "array", "items": {"required": ["executionSuccessful"]}},
                },
                "required": ["tool"],
            },
        },
    },
    "required": ["version", "runs"],
}

RULE = "atc: require --f=A\n"
CALLS = facts(command(flag("--f", "B")), command(flag("--f", unknown()), line=5))


def run_of(evaluation: Evaluation) -> dict[str, Any]:
    log = sarif_log(evaluation, "1.0")
    errors = [error.message for error in Draft202012Validator(SCHEMA).iter_errors(log)]
    assert errors == []
    run: dict[str, Any] = log["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def test_log_is_valid_and_findings_keep_place_rule_and_fingerprint() -> None:
    evaluation = judged(RULE, CALLS)
    place = Place(path="deploy/größe a.sh", line=2, column=5, end_line=2, end_column=10)
    moved = tuple(msgspec.structs.replace(finding, span=place) for finding in evaluation.findings)
    run = run_of(Evaluation(rules=evaluation.rules, outcomes=evaluation.outcomes, findings=moved))
    failed = next(result for result in run["results"] if result["level"] == "error")
    assert failed["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "deploy/gr%C3%B6%C3%9Fe%20a.sh"},
        "region": {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 10},
    }
    assert failed["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "guardrails.yaml"
    assert len(failed["partialFingerprints"]["perfgate/v1"]) == 16
    assert run["columnKind"] == "unicodeCodePoints"


def test_waived_results_are_suppressed_with_their_reason() -> None:
    fingerprint = judged(RULE, CALLS).outcomes[0].findings[0].fingerprint
    waiver = (
        f"waivers: [{{rule: atc/require/--f, path: 'deploy/*', fingerprint: {fingerprint}, owner: o,"
        " reason: v1 models end in March, expires: 2027-01-15}]\n"
    )
    run = run_of(judged(RULE + waiver, CALLS))
    (suppressed,) = (result for result in run["results"] if "suppressions" in result)
    assert suppressed["suppressions"] == [
        {
            "kind": "external",
            "status": "accepted",
            "justification": "v1 models end in March (o, until 2027-01-15)",
        }
    ]


def test_certain_edits_are_fixes() -> None:
    evaluation = judged(RULE, CALLS)
    place = Place(path="deploy/a.sh", line=2, column=9, end_line=2, end_column=10)
    first = msgspec.structs.replace(evaluation.findings[0], edits=(Edit(place=place, text="A"),), fix="--f=A")
    run = run_of(Evaluation(rules=evaluation.rules, outcomes=evaluation.outcomes, findings=(first,)))
    (change,) = run["results"][0]["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": "A"}


def test_the_worst_5000_are_kept_below_10_mb_and_the_rest_is_counted() -> None:
    text = "x" * 5_000
    place = Place(path="p" * 200, line=1, column=1, end_line=1, end_column=2)
    evaluation = judged(RULE, CALLS)
    one = evaluation.outcomes[0].findings[0]
    many: tuple[Finding, ...] = (msgspec.structs.replace(one, message=text, span=place),) * (
        MAX_RESULTS + 421
    )
    everything = Evaluation(rules=evaluation.rules, outcomes=evaluation.outcomes, findings=many)
    run = sarif_log(everything, "1.0")["runs"][0]
    assert len(run["results"]) == MAX_RESULTS
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "421 of 5421 results left out; the worst are here"
    assert len(json.dumps(run)) < TEN_MB


def test_rule_set_without_findings_is_valid() -> None:
    run = run_of(evaluate(rules("latency: <=33ms"), [], today=TODAY))
    assert run["results"] == []
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["latency/budget/max"]


def test_file_name_that_is_no_utf8_keeps_its_bytes() -> None:
    evaluation = judged(RULE, CALLS)
    place = Place(path="a\udcff.sh", line=1, column=1, end_line=1, end_column=2)
    moved = (msgspec.structs.replace(evaluation.findings[0], span=place),)
    run = run_of(Evaluation(rules=evaluation.rules, outcomes=(), findings=moved))
    location = run["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "a%FF.sh"}
