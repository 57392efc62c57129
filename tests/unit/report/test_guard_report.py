"""The JSON object of an evaluation."""

from __future__ import annotations

import json

from perfgate.core.codec import readable_json
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.strictness import effective
from perfgate.report.guard_report import guard_report
from tests.guard_facts import TODAY, command, facts, flag, judged, rules, unknown


def test_findings_unresolved_and_notes_stand_apart() -> None:
    report = guard_report(
        judged(
            "atc: require --output=A\ntrtexec: forbid --best\nlatency: <=33ms",
            facts(command(flag("--output", "B")), command(flag("--output", unknown()), line=5)),
        )
    )
    value = json.loads(readable_json(report))
    assert value["schema"] == "perfgate/guard/1"
    assert value["exit_code"] == 1
    assert [item["message"] for item in value["findings"]] == ["--output=B, must be A"]
    assert [item["answer"] for item in value["unresolved"]] == ["unknown"]
    assert [item["rule"] for item in value["notes"]] == ["nothing-matched"]
    assert {item["id"]: (item["answer"], item["matches"]) for item in value["rules"]} == {
        "atc/require/--output": ("fail", 2),
        "trtexec/forbid/--best": ("pass", 0),
        "latency/budget/max": (None, 0),
    }


def test_rules_name_the_side_they_come_from() -> None:
    combined, _ = effective(
        rules("atc: [require --a, require --b]"), rules("atc: [require --b, require --c]")
    )
    value = json.loads(readable_json(guard_report(evaluate(combined, [], today=TODAY))))
    assert {item["id"]: item["origin"] for item in value["rules"]} == {
        "atc/require/--a": "base",
        "atc/require/--b": "both",
        "atc/require/--c": "head",
    }
