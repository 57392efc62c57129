"""Findings as SARIF 2.1.0, which code-scanning services read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from perfgate.core.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.finding import Edit, Finding, Place, Waived
    from perfgate.guardrails.evaluation import Evaluation

MAX_RESULTS = 5_000
SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
_HELP_URI = "https://perfgate.readthedocs.io/rules"
_LEVELS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.NOTE: "note"}
_MAX_TEXT = 900  # characters of a message; keeps 5,000 results below 10 MB
_URI = re.compile(r"https?://\S+")

Json = dict[str, Any]  # a JSON object; SARIF's own schema is the type


def sarif_log(evaluation: Evaluation, version: str) -> Json:
    """One run with all rules; the worst 5,000 results, and a notification with the number left out."""
    everything = [*evaluation.findings, *evaluation.waived]
    worst = sorted(everything, key=lambda finding: (finding.waived_by is not None, -finding.severity.rank))
    chosen = worst[:MAX_RESULTS]
    identifiers = _rule_ids(evaluation, chosen)
    index = {identifier: number for number, identifier in enumerate(identifiers)}
    rules = [_rule(identifier, evaluation) for identifier in identifiers]
    invocation: Json = {"executionSuccessful": True}
    if len(worst) > len(chosen):
        text = f"{len(worst) - len(chosen)} of {len(worst)} results left out; the worst are here"
        invocation["toolExecutionNotifications"] = [{"level": "note", "message": {"text": text}}]
    run: Json = {
        "tool": {
            "driver": {"name": "perfgate", "version": version, "informationUri": _HELP_URI, "rules": rules}
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [_result(finding, index[finding.rule]) for finding in chosen],
    }
    return {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]}


def _rule_ids(evaluation: Evaluation, findings: Sequence[Finding]) -> list[str]:
    ids = [outcome.rule.id for outcome in evaluation.outcomes] + [finding.rule for finding in findings]
    return sorted(dict.fromkeys(ids))


def _rule(identifier: str, evaluation: Evaluation) -> Json:
    rule = evaluation.rules.rule(identifier)
    if rule is None:  # a remark of the check itself
        return {"id": identifier, "shortDescription": {"text": identifier}, "helpUri": _HELP_URI}
    text = _text(rule.message or rule.written or rule.id)
    link = rule.link if _URI.fullmatch(rule.link) else _HELP_URI
    return {
        "id": identifier,
        "shortDescription": {"text": text},
        "helpUri": link,
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, rule_index: int) -> Json:
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _text(finding.message)},
        "locations": [{"physicalLocation": _location(finding.span)}],
    }
    if finding.fingerprint:
        result["partialFingerprints"] = {"perfgate/v1": finding.fingerprint}
    if finding.related is not None:
        result["relatedLocations"] = [
            {"id": 1, "physicalLocation": _location(finding.related), "message": {"text": "the rule"}}
        ]
    if finding.edits:
        result["fixes"] = [_fix(finding.fix, finding.edits)]
    if finding.waived_by is not None:
        result["suppressions"] = [_suppression(finding.waived_by)]
    return result


def _suppression(waived: Waived) -> Json:
    text = f"{waived.reason} ({waived.owner}, until {waived.expires})"
    return {"kind": "external", "status": "accepted", "justification": _text(text)}


def _location(place: Place) -> Json:
    return {"artifactLocation": {"uri": _uri(place.path)}, "region": _region(place)}


def _uri(path: str) -> str:
    return quote(path, errors="surrogateescape")  # names that are no UTF-8 keep their bytes


def _region(place: Place) -> Json:
    region = {"startLine": place.line, "startColumn": place.column, "endLine": place.end_line}
    return {**region, "endColumn": max(place.end_column, 1)}


def _fix(text: str, edits: Sequence[Edit]) -> Json:
    changes = [
        {
            "artifactLocation": {"uri": _uri(path)},
            "replacements": [_replacement(edit) for edit in edits if edit.place.path == path],
        }
        for path in dict.fromkeys(edit.place.path for edit in edits)
    ]
    return {"description": {"text": _text(text)}, "artifactChanges": changes}


def _replacement(edit: Edit) -> Json:
    replacement: Json = {"deletedRegion": _region(edit.place)}
    if edit.text:
        replacement["insertedContent"] = {"text": edit.text}
    return replacement


def _text(text: str) -> str:
    clean = "".join(sign if sign.isprintable() or sign in "\t\n" else "\ufffd" for sign in text)
    return clean if len(clean) <= _MAX_TEXT else f"{clean[: _MAX_TEXT - 3]}..."
