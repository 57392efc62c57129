"""`guard add`: appended byte for byte, shown with its matches, refused when implied or contradicted."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UsageError
from perfgate.guardrails.add import HEADER, Addition, add_line, replay
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from tests.guard_facts import TODAY, convert, facts, flag, rules

LINE = "atc_convert: require --optypelayout=NHWC"
BROKEN = facts(convert(flag("--optypelayout", "NCHW")))


def add(before: bytes | None, line: str, path: str = "guardrails.yaml") -> Addition:
    sources = [] if before is None else [RuleSource(path=path, text=before)]
    return add_line(sources, line, [BROKEN], TODAY)


@pytest.mark.parametrize(
    "before",
    [
        b"trtexec: forbid --best\n",
        b"trtexec: forbid --best",  # no line feed at the end
        b"# rules\r\ntrtexec: forbid --best\r\n",
        b"rules:\n  - {id: a, target: atc, forbid: [--log]}\n",
        b"atc_convert: require --output\n",  # the same target adds up
        b"",
        "\ufeff# größe\n".encode(),
    ],
)
def test_line_is_appended_and_every_byte_before_is_kept(before: bytes) -> None:
    addition = add(before, LINE)
    assert addition.is_needed
    assert addition.text.startswith(before)
    assert addition.text.removeprefix(before).strip() == LINE.encode()
    after = load_rules([RuleSource(path="guardrails.yaml", text=addition.text)])
    assert after.rule("atc_convert/require/--optypelayout") is not None


def test_first_line_creates_the_file_with_a_header() -> None:
    assert add(None, LINE).text == HEADER + LINE.encode() + b"\n"


def test_old_file_name_is_read_and_not_written() -> None:
    addition = add(b"trtexec: forbid --best\n", LINE, ".cann_guardrails.yaml")
    assert addition.text == HEADER + LINE.encode() + b"\n"


def test_report_shows_matches_and_answers_now() -> None:
    assert add(None, LINE).report() == (
        f"adds to guardrails.yaml: {LINE}\n"
        "  atc_convert/require/--optypelayout: fail over 1 matched now\n"
        "    deploy/convert.sh:2:5: --optypelayout=NCHW, must be NHWC\n"
    )


@pytest.mark.parametrize(
    "before",
    [
        b"atc_convert: require --optypelayout=NHWC\n",
        b"atc: require --optypelayout=NHWC\n",  # every call, so also those that convert
        b"rules: [{id: l, target: atc_convert, require: {--optypelayout: NHWC}}]\n",
    ],
)
def test_line_that_is_implied_writes_nothing(before: bytes) -> None:
    addition = add(before, LINE)
    assert not addition.is_needed
    assert addition.text == before
    assert "implied already by" in addition.report()


@pytest.mark.parametrize(
    "before",
    [
        b"atc_convert: require --optypelayout=NCHW\n",
        b"atc_convert: forbid --optypelayout\n",
        b"atc_convert: forbid --optypelayout=NHWC\n",
    ],
)
def test_contradiction_names_the_rule_it_contradicts(before: bytes) -> None:
    with pytest.raises(UsageError, match="contradicts") as caught:
        add(before, LINE)
    assert caught.value.exit_code == 2
    assert caught.value.where == "guardrails.yaml:1:" + ("22" if b"require" in before else "21")


@pytest.mark.parametrize(
    "line",
    [
        "require --x",
        "atc_convrt: require --x",
        "atc: requires --x",
        "atc: require --x\ntrtexec: forbid --y",
        "",
    ],
)
def test_what_is_no_rule_line_is_a_usage_error(line: str) -> None:
    with pytest.raises(UsageError):
        add(None, line)


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("fps: >=30", 'fps: ">=30"'),
        ("atc: require --x=a #  --y", 'atc: "require --x=a #  --y"'),
        ("atc: require --x=a: b", 'atc: "require --x=a: b"'),
    ],
)
def test_line_that_yaml_would_misread_is_quoted_or_refused(line: str, written: str) -> None:
    try:
        assert add(None, line).line == written
    except UsageError as error:
        assert error.exit_code == 2  # noqa: PT017 - a quoted line may still be no rule


def test_file_that_cannot_take_a_line_at_its_end_is_left_alone() -> None:
    with pytest.raises(UsageError, match="by hand"):
        add(b"{trtexec: forbid --best}\n", LINE)


def test_target_of_the_file_can_be_named() -> None:
    before = b"targets: {seg: {extends: atc}}\n"
    addition = add(before, "seg: require --output")
    assert addition.text == before + b"seg: require --output\n"
    assert [outcome.rule.id for outcome in addition.evaluation.outcomes] == ["seg/require/--output"]


def test_replay_names_the_commits_it_would_have_stopped() -> None:
    good = facts(convert(flag("--optypelayout", "NHWC")))
    stopped = replay(rules(LINE), [("c3", [BROKEN]), ("c2", [good]), ("c1", [facts()])], TODAY)
    assert [(item.commit, len(item.findings)) for item in stopped] == [("c3", 1)]
