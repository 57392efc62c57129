"""Rule files: what works as written, and the one line that says what does not."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import FlagTests, Kind, RuleSource
from perfgate.guardrails.value_test import OneOf
from tests.guard_facts import only_rule, rules

LONG = """\
version: 1
settings: {fail_on: error, unresolved: warn, unknown_flag: note, weakening: warn, waiver_max_days: 90,
           paths: {include: ["**"], exclude: ["third_party/**"]}, max_file_size: 1MiB}
targets:
  seg_convert: {extends: atc_convert, paths: ["deploy/seg/**"], flags_known: [--optypelayout]}
rules:
  - id: layout-nhwc
    target: atc_convert
    require: {--optypelayout: NHWC}
    severity: error                   # error | warn | note
    message: "Wrong layout made segmentation four times slower."
    link: docs/incidents/2026-11-10.md
    fix: {set: {--optypelayout: NHWC}}
    expect: {min_matches: 1}
    examples: {valid: ["atc --framework=5 --model=m --optypelayout=NHWC"], invalid: ["atc --model=m"]}
waivers: []
"""


def error_of(text: str | bytes, path: str = "guardrails.yaml") -> UnusableError:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(UnusableError) as caught:
        load_rules([RuleSource(path=path, text=data)])
    assert "\n" not in str(caught.value)
    return caught.value


def test_the_line_of_the_incident_is_a_whole_rule_file() -> None:
    rule = only_rule("atc_convert: require --optypelayout=NHWC")
    assert (rule.id, rule.kind, rule.severity) == (
        "atc_convert/require/--optypelayout",
        Kind.REQUIRE,
        "error",
    )
    assert isinstance(rule.body, FlagTests)
    assert rule.body.tests[0].tests == (OneOf(values=("NHWC",)),)
    assert (rule.place.line, rule.place.column, rule.place.end_column) == (1, 22, 41)
    assert rule.key == "guardrails.yaml::atc_convert/require/--optypelayout"


def test_the_long_form_of_the_design_loads() -> None:
    loaded = rules(LONG)
    rule = loaded.rule("layout-nhwc")
    assert rule is not None
    assert (rule.min_matches, rule.fix_set) == (1, (("--optypelayout", "NHWC"),))
    assert dict(loaded.targets)["seg_convert"].programs == ("atc",)
    assert loaded.settings.max_file_size == 1024 * 1024


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "null\n"])
def test_file_without_content_has_no_rules(text: str) -> None:
    assert rules(text).rules == ()


def test_the_same_target_twice_adds_up() -> None:
    loaded = rules("trtexec: forbid --best\natc: require --output\ntrtexec: require --memPoolSize\n")
    assert [rule.id for rule in loaded.rules] == [
        "trtexec/forbid/--best",
        "atc/require/--output",
        "trtexec/require/--memPoolSize",
    ]


def test_two_files_add_up_and_the_old_name_is_noted() -> None:
    loaded = load_rules(
        [
            RuleSource(path="guardrails.yaml", text=b"atc: require --a=1"),
            RuleSource(path=".cann_guardrails.yaml", text=b"atc: require --b=1"),
        ]
    )
    assert [rule.key for rule in loaded.rules] == [
        "guardrails.yaml::atc/require/--a",
        ".cann_guardrails.yaml::atc/require/--b",
    ]
    assert [remark.rule for remark in loaded.remarks] == ["guardrails-legacy-name"]


@pytest.mark.parametrize("text", ["settings: {fail_on: warn}", "waivers: []"])
def test_settings_and_waivers_stand_in_the_root_file_only(text: str) -> None:
    error = error_of(text, ".cann_guardrails.yaml")
    assert (error.where, error.exit_code) == (".cann_guardrails.yaml:1:1", 12)


def test_two_required_lines_merge_to_what_both_allow() -> None:
    rule = only_rule("atc: ['require --f={A,B}', 'warn require --f={B,C}']")
    assert isinstance(rule.body, FlagTests)
    assert rule.body.tests[0].tests == (OneOf(values=("B",)),)
    assert rule.severity == "error"


def test_required_lines_without_a_common_value_name_both_lines() -> None:
    error = error_of("atc: require --f=A\ntrtexec: require --x\natc: require --f=B\n")
    assert error.where == "guardrails.yaml:1:14 and guardrails.yaml:3:14"


def test_one_flag_in_two_spellings_is_one_rule() -> None:
    assert len(rules("atc: [require --op-debug-level=0, require -op_debug_level=0]").rules) == 1


def test_comment_that_cuts_flags_off_is_a_warning() -> None:
    loaded = rules("atc: require --f=A #  --g=B\n")
    assert [(remark.rule, str(remark.severity)) for remark in loaded.remarks] == [
        ("comment-cuts-line", "warn")
    ]
    assert rules("atc: require --f=A # the layout\n").remarks == ()


@pytest.mark.parametrize(
    ("text", "where", "part"),
    [
        ("fps: >=30\n", "guardrails.yaml:1:7", 'fps: ">=30"'),
        ("fps: >3\n", "guardrails.yaml:1:6", "write a line"),
        ("atc: require --x=a: b\n", "guardrails.yaml:1:19", 'atc: "require --x=a: b"'),
        ("atc_convrt: require --x\n", "guardrails.yaml:1:1", "did you mean 'atc_convert'?"),
        ("atc: requires --x\n", "guardrails.yaml:1:6", "did you mean 'require'?"),
        ("atc: require\n", "guardrails.yaml:1:13", "write a flag"),
        ('atc: "forbid --x>many"\n', "guardrails.yaml:1:14", "write a number"),
        ("atc: require --a ==b\n", "guardrails.yaml:1:18", "write --flag"),
        ("latency: <=33s5\n", "guardrails.yaml:1:10", "such as 33ms"),
        ("latency: <=33\n", "guardrails.yaml:1:10", "such as 33ms"),
        ("latency: max 4GB\n", "guardrails.yaml:1:10", "such as 33ms"),
        ("latency: soon\n", "guardrails.yaml:1:10", "<=33ms"),
        (
            "rules: [{id: a, target: atc, require: {--f: A}}, {id: a, target: atc, forbid: [--f]}]",
            ":1:50",
            "rename",
        ),
        ("rules: [{id: A, target: atc, forbid: [--f]}]", ":1:14", "lower-case"),
        ("rules: [{id: a, target: atc}]", ":1:9", "exactly one of"),
        ("rules: [{id: a, target: atc, forbid: [--f], require: {--g: 1}}]", ":1:9", "exactly one of"),
        ("rules: [{id: a, forbid: [--f]}]", ":1:9", "say what it watches"),
        ("rules: [{id: a, target: act, forbid: [--f]}]", ":1:25", "did you mean 'atc'"),
        ("rules: [{id: a, id: b, target: atc, forbid: [--f]}]", ":1:17", "the first is in line 1"),
        ("rules: [{id: a, target: atc, forbid: [--f], severity: eror}]", ":1:55", "did you mean 'error'?"),
        ("targets: {t: {paths: [a]}}", ":1:11", "give it one of"),
        ("targets: {t: {extends: t}}", ":1:24", "circle"),
        ("targets: {rules: {programs: [atc]}}", ":1:11", "another name"),
        ("version: 2\n", ":1:10", "mean '1'?"),
        ("waivers: [{rule: a}]", ":1:11", "add it"),
        ("- a\n", ":1:1", "write atc_convert"),
        ("settings: {}\nsettings: {}\n", ":2:1", "line 1"),
        ("settings: {max_file_size: 65MiB}\n", ":1:27", "at most 64MiB"),
        ("settings: {alerts: [oom]}\n", ":1:20", "oom-forecast"),
        ("rules: [{id: b, budget: {metric: latency, max: '>3ms'}}]", ":1:48", "write < with max"),
        ("rules: [{id: b, budget: {metric: latncy, max: 3ms}}]", ":1:34", "did you mean 'latency'?"),
        ("rules: [{id: r, target: atc, range: {--f: {min: 5, max: 2}}}]", ":1:43", "swap"),
        ("rules: [{id: k, target: atc, keys: {a: {equals: 1}}}]", ":1:9", "files"),
        ("rules: [{id: r, target: atc, range: {--f: {}}}]", ":1:43", "give min, max or type"),
        ("rules: [{id: r, target: atc, range: {--f: {min: 2, type: size}}}]", ":1:49", "with a unit"),
        ("rules: [{id: r, target: atc, range: {--f: {min: two}}}]", ":1:49", "write a number"),
        ("rules: [{id: k, target: runtime, keys: {a: {required: false}}}]", ":1:44", "asks nothing"),
        ("rules: [{id: q, target: atc, require: {}}]", ":1:39", "asks nothing"),
        ("rules: [{id: v, target: atc, values: {--f: {sep: x}}}]", ":1:44", "write a list"),
        ("rules: [{id: f, target: atc, forbid: ['--f>many']}]", ":1:39", "write a number"),
        ("rules: [{id: b, budget: {metric: latency, max: 3ms, warn_band: 300%}}]", ":1:64", "such as 8%"),
        ("rules: [{id: [a], target: atc, forbid: [f]}]", ":1:14", "single value"),
        ("rules: {a: b}", ":1:8", "as a list"),
        ("rules: [{id: r, target: latency, forbid: [f]}]", ":1:25", "known:"),
        ("rules: [{id: a, target: atc, at_most_one: [--a]}]", ":1:43", "at least 2"),
        ("rules: [{id: a, [b]: c}]", ":1:17", "not a text"),
        ("rules: [a]", ":1:9", "mapping"),
        ("targets: {a: {extends: nowhere}}", ":1:24", "known:"),
        ("atc: [[require --f]]", ":1:7", "write a line"),
        ("latency: [{max: 3}]", ":1:11", "write a line"),
        ("rules: [{id: w, target: atc, forbid: [--f], when: {}}]", ":1:51", "has: [--fp16]"),
        (
            "rules: [{id: w, target: atc, forbid: [--f], when: {precision: fp61}}]",
            ":1:63",
            "did you mean 'fp16'?",
        ),
    ],
)
def test_mistake_is_named_with_its_place_and_what_to_write(text: str, where: str, part: str) -> None:
    error = error_of(text)
    assert error.where.endswith(where)
    assert part in str(error)
    assert error.exit_code == 12


WAIVER = (
    "rule: a, path: x.sh, fingerprint: 5b0c9e1fa27d4466, owner: o, reason: long enough, expires: 2027-02-15"
)


@pytest.mark.parametrize("name", ["rule", "path", "fingerprint", "owner", "reason", "expires"])
def test_waiver_without_a_mandatory_field_is_refused(name: str) -> None:
    fields = ", ".join(part for part in WAIVER.split(", ") if not part.startswith(f"{name}:"))
    assert f"no '{name}'" in str(error_of(f"waivers: [{{{fields}}}]"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("path: x.sh", "path: '**/x.sh'"),
        ("reason: long enough", "reason: short"),
        ("reason: long enough", "reason: '          '"),
        ("2027-02-15", "2027-02-30"),
        ("2027-02-15", "soon"),
        ("5b0c9e1fa27d4466", "5B0C"),
    ],
)
def test_waiver_with_a_field_that_says_nothing_is_refused(old: str, new: str) -> None:
    assert error_of(f"waivers: [{{{WAIVER.replace(old, new)}}}]").exit_code == 12


def test_alerts_are_off_until_named() -> None:
    assert rules("version: 1").rules == ()
    assert [rule.id for rule in rules("settings: {alerts: oom-forecast}").rules] == ["oom-forecast"]
    assert len(rules("settings: {alerts: all}").rules) == 5
