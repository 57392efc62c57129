"""What the catalogue says about rules and commands; it never makes an error of a name it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guard_facts import command, facts, flag, judged, unknown

if TYPE_CHECKING:
    from perfgate.config.facts import Command


def found(rule: str, *calls: Command) -> list[tuple[str, str, str]]:
    findings = judged(rule, facts(*calls)).findings
    return [(f.rule, str(f.severity), f.message) for f in findings if f.rule != "nothing-matched"]


def test_flags_known_silences_the_remark() -> None:
    rule = "targets: {t: {extends: atc, flags_known: [--optypelayout]}}\nt: require --optypelayout=NHWC"
    assert found(rule, command(flag("--optypelayout", "NHWC"))) == []


@pytest.mark.parametrize(
    "rule",
    [
        "atc: require --input_format=HWCN",
        "rules: [{id: r, target: atc, require: {--input_format: NHWC}, when: {flag: {--framework: '5'}}}]",
        "rules: [{id: r, target: trtexec, require: {--fp16: null}, when: {has: --stronglyTyped}}]",
    ],
)
def test_rule_that_can_never_be_met_is_said_to_be_so(rule: str) -> None:
    names = [name for name, severity, _ in found(rule) if severity == "warn"]
    assert names == ["rule-never-met"]


@pytest.mark.parametrize(
    "rule",
    [
        "atc: require --input_format=NHWC",  # right for TensorFlow
        "rules: [{id: r, target: atc, require: {--input_format: ND}, when: {flag: {--framework: '5'}}}]",
        "atc: require --soc_version=Ascend999",  # values differ per toolkit
    ],
)
def test_rule_that_can_be_met_is_not_remarked_on(rule: str) -> None:
    assert found(rule) == []


def test_unknown_flag_of_a_command_is_a_note_with_the_nearest_name() -> None:
    (item,) = found("atc: forbid --log", command(flag("--inptu_format", "ND")))
    assert item == (
        "unknown-flag",
        "note",
        "--inptu_format is not in the atc catalogue. Near: --input_format",
    )


def test_unknown_flag_can_be_made_stricter() -> None:
    rule = "settings: {unknown_flag: error}\natc: forbid --log"
    assert judged(rule, facts(command(flag("--inptu_format")))).exit_code == 1


def test_value_outside_the_set_is_a_warning_with_the_nearest() -> None:
    ((name, severity, message),) = found("atc: forbid --log", command(flag("--input_format", "NHCW")))
    assert (name, severity) == ("unknown-value", "warn")
    assert message.endswith("did you mean NCHW?")


def test_broken_constraint_is_a_warning_with_its_name() -> None:
    call = command(flag("--framework", "5"), flag("--input_format", "NHWC"))
    ((name, severity, message),) = found("atc: forbid --log", call)
    assert (name, severity) == ("atc-format-onnx", "warn")
    assert message.startswith("--input_format=NHWC, must be one of NCHW, NCDHW, ND: with --framework=5")


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (("--precision_mode=force_fp16", "--precision_mode_v2=fp16"), "atc-one-precision"),
        (("--framework=0", "--input_format=ND"), "atc-weight-caffe"),
        (("--op_precision_mode=f", "--op_select_implmode=high_precision"), "atc-implmode-file"),
    ],
)
def test_each_kind_of_constraint_is_judged(flags: tuple[str, ...], name: str) -> None:
    call = command(*(flag(name, value) for name, _, value in (text.partition("=") for text in flags)))
    assert [item[0] for item in found("atc: forbid --log", call)] == [name]


def test_what_is_not_known_breaks_no_constraint() -> None:
    assert (
        found("atc: forbid --log", command(flag("--framework", unknown()), flag("--input_format", "NHWC")))
        == []
    )


def test_flag_of_a_condition_is_looked_up_too() -> None:
    rule = "rules: [{id: r, target: atc, forbid: [--log], when: {not: {has: --framewrok}}}]"
    assert [name for name, _, _ in found(rule)] == ["rule-names-unknown-flag"]
