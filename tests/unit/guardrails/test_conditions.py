"""`when` and `applies`: every part true, false and not known, and what a rule then answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfgate.config.facts import Command, Positional
from tests.guard_facts import (
    answer,
    command,
    convert,
    default,
    facts,
    flag,
    judged,
    known,
    one_of,
    runtime,
    sometimes,
    span,
    unknown,
)

BAD = flag("--bad")  # every rule below forbids it, so "fail" means: the rule applies


def applied(when: str, *flags: object, is_open: bool = False) -> str:
    call = command(BAD, *flags, is_open=is_open)  # type: ignore[arg-type]  # flags
    return answer(f"rules: [{{id: r, target: atc, forbid: [--bad], when: {when}}}]", call)


@pytest.mark.parametrize(
    ("when", "flags", "expected"),
    [
        ("{flag: {--a: '5'}}", (flag("--a", "5"),), "fail"),
        ("{flag: {--a: '5'}}", (flag("--a", "3"),), "pass"),
        ("{flag: {--a: ['3', '5']}}", (flag("--a", "3"),), "fail"),  # a list means any
        ("{flag: {--a: '5'}}", (), "pass"),
        ("{flag: {--a: '5'}}", (flag("--a", unknown()),), "unknown"),
        ("{flag: {--a: '5'}}", (flag("--a", one_of("3", "5")),), "unknown"),
        ("{flag: {--a: ['3', '5']}}", (flag("--a", one_of("3", "5")),), "fail"),
        ("{flag: {--a: '5'}}", (flag("--a", default("5")),), "unknown"),
        ("{flag: {--a: '5', --b: x}}", (flag("--a", "5"),), "pass"),  # all must hold
        ("{has: --a}", (flag("--a"),), "fail"),
        ("{has: [--a, --b]}", (flag("--b"),), "fail"),
        ("{has: --a}", (), "pass"),
        ("{has: --a}", (sometimes(flag("--a")),), "fail"),  # on one path it applies and is broken
        ("{lacks: --a}", (), "fail"),
        ("{lacks: --a}", (flag("--a"),), "pass"),
        ("{lacks: [--a, --b]}", (flag("--b"),), "pass"),
        ("{not: {has: --a}}", (), "fail"),
        ("{not: {flag: {--a: '5'}}}", (flag("--a", unknown()),), "unknown"),
        ("{any: [{has: --a}, {has: --b}]}", (flag("--b"),), "fail"),
        ("{any: [{has: --a}, {has: --b}]}", (), "pass"),
        ("{device: 'Ascend310P*'}", (flag("--soc_version", "Ascend310P3"),), "fail"),
        ("{device: 'Ascend310P*'}", (flag("--soc_version", "Ascend910B4"),), "pass"),
        ("{device: 'Ascend310P*'}", (flag("--soc_version", unknown()),), "unknown"),
        (
            "{device: [Ascend310P*, Ascend910B*]}",
            (flag("--soc_version", one_of("Ascend310P3", "Ascend910B4")),),
            "fail",
        ),
        ("{device: 'Ascend*'}", (), "pass"),
        ("{model: 'seg_*'}", (flag("--model", "zoo/seg_a.onnx"),), "fail"),
        ("{model: 'seg_*'}", (flag("--model", "seg/det.onnx"),), "pass"),
        ("{model: 'seg_*'}", (flag("--model", unknown("seg_", None)),), "unknown"),
        ("{model: 'seg_*'}", (flag("--model", one_of("seg_a", "seg_b")),), "fail"),
        ("{precision: fp16}", (), "fail"),  # what atc does without a flag
        ("{precision: fp32}", (flag("--precision_mode", "must_keep_origin_dtype"),), "fail"),
        ("{precision: fp16}", (flag("--precision_mode_v2", "mixed_float16"),), "pass"),
        ("{precision: fp16}", (flag("--precision_mode", unknown()),), "unknown"),
        ("{path: 'deploy/**'}", (), "fail"),
        ("{path: ['a/**', 'b/**']}", (), "pass"),
        ("{open: false}", (), "fail"),
    ],
)
def test_condition(when: str, flags: tuple[object, ...], expected: str) -> None:
    assert applied(when, *flags) == expected


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{has: --a}", "unknown"),
        ("{lacks: --a}", "unknown"),
        ("{open: true}", "fail"),
        ("{open: false}", "pass"),
    ],
)
def test_condition_where_arguments_are_hidden(when: str, expected: str) -> None:
    assert applied(when, is_open=True) == expected


def test_unknown_condition_does_not_matter_where_the_rule_would_pass_anyway() -> None:
    rule = "rules: [{id: r, target: atc, require: {--f: A}, when: {flag: {--a: '5'}}}]"
    assert answer(rule, command(flag("--f", "A"), flag("--a", unknown()))) == "pass"
    assert answer(rule, command(flag("--f", "B"), flag("--a", unknown()))) == "unknown"


@pytest.mark.parametrize(
    ("flags", "precision"),
    [(("--fp16",), "fp16"), (("--int8",), "int8"), (("--best",), "int8"), ((), "fp32")],
)
def test_precision_of_trtexec_is_a_bare_flag(flags: tuple[str, ...], precision: str) -> None:
    rule = f"rules: [{{id: r, target: trtexec, forbid: [--bad], when: {{precision: {precision}}}}}]"
    assert answer(rule, command(BAD, *map(flag, flags), program="trtexec")) == "fail"


def test_device_of_a_runtime_file_is_a_key() -> None:
    rule = "rules: [{id: r, target: runtime, forbid: [bad], when: {device: 'Ascend310*'}}]"
    assert judged(rule, runtime(bad="1", device__soc="Ascend310P3")).outcomes[0].answer == "fail"
    assert judged(rule, runtime(bad="1", device__soc="A100")).outcomes[0].answer == "pass"


def test_model_may_be_an_argument_without_a_flag() -> None:
    rule = "rules: [{id: r, target: iree, forbid: [--bad], when: {model: 'seg_*'}}]"
    call = replace(
        command(BAD, program="iree-compile"),
        positionals=(Positional(value=known("in/seg_a.mlir"), span=span(1, 9)),),
    )
    assert answer(rule, call) == "fail"


RULE = "atc_convert: require --f=A"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (convert(), "fail"),
        (command(flag("--singleop", "x.json")), "fail"),
        (command(flag("--mode", "6"), flag("--om", "x.om")), "pass"),
        (command(flag("--mode", "1"), flag("--model", "m")), "pass"),
        (command(flag("--mode", "0"), flag("--model", "m")), "fail"),
        (command(flag("--mode", unknown()), flag("--model", "m")), "unknown"),
        (command(flag("--help")), "pass"),
        (command(is_open=True), "unknown"),
        (command(flag("--f", "B"), is_open=True), "fail"),  # arguments open counts as converting
    ],
)
def test_only_calls_that_convert_a_model_are_watched(call: Command, expected: str) -> None:
    assert answer(RULE, call) == expected


def test_trt_build_leaves_ready_engines_alone() -> None:
    rule = "trt_build: require --memPoolSize"
    assert answer(rule, command(flag("--loadEngine", "x"), program="trtexec")) == "pass"
    assert answer(rule, command(flag("--onnx", "x"), program="trtexec")) == "fail"


def test_calls_outside_the_paths_are_no_business_of_the_rule() -> None:
    rule = "rules: [{id: r, target: atc, forbid: [--bad], paths: ['train/**']}]"
    assert judged(rule, facts(command(BAD))).outcomes[0].matches == ()
