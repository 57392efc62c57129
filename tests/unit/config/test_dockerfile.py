"""Dockerfiles; the answers follow from the builder's reference: forms, stages, ENV over ARG, heredocs."""

from __future__ import annotations

from tests.unit.config.described import facts_of


def test_variables_of_a_stage_and_what_later_stages_inherit() -> None:
    text = (
        "ARG SOC=Ascend310\nFROM img AS base\nARG SOC\nARG FMT\nENV A=\"x y\" B='$A' C=${SOC}\n"
        'FROM base\nRUN atc --a="$A" --b="$B" --c=$C --s=$SOC --f=$FMT\n'
        'FROM img\nRUN atc --a="$A"\n'
    )
    assert facts_of("Dockerfile", text) == [
        "7:5 atc --a=x y --b=$A ~--c=Ascend310 ~--s=Ascend310 --f=?",
        "9:5 atc --a=?",
    ]


def test_entry_point_and_command_are_one_command_and_the_last_one_counts() -> None:
    text = (
        'FROM a\nENTRYPOINT ["trtexec"]\nCMD ["--onnx=old"]\nCMD ["--onnx=$X", "--fp16"]\n'
        'FROM a\nENTRYPOINT ["/bin/sh", "-c"]\nCMD ["atc --a=1"]\n'
        "FROM a\nENTRYPOINT atc --b=2\nCMD ignored\n"
    )
    assert facts_of("Dockerfile", text) == [
        "2:14 trtexec --onnx=$X --fp16",
        "7:7 atc --a=1",
        "9:12 atc --b=2",
    ]


def test_heredocs_of_run_are_scripts_or_input_and_those_of_copy_are_data() -> None:
    text = (
        "FROM a\nRUN --mount=type=cache,target=/x <<-EOF\n\tatc --a=1\n\tEOF\n"
        "RUN cat <<X > /y && trtexec --onnx=z\natc --no=1\nX\n"
        "RUN bash <<'S'\natc --b=2\nS\n"
        "RUN <<P\n#!/usr/bin/env python3\nimport os\nos.system('atc --c=3')\nP\n"
        "COPY <<C /c.sh\natc --no=2\nC\n"
    )
    assert facts_of("Dockerfile", text) == [
        "3:2 atc --a=1",
        "5:21 trtexec --onnx=z",
        "9:1 atc --b=2",
        "14:12 atc --c=3",
    ]


def test_the_escape_directive_comments_and_health_checks() -> None:
    text = (
        "# escape=`\nFROM a\nRUN atc --a=1 `\n  # said\n\n  --b=2\n"
        "HEALTHCHECK --interval=5s CMD trtexec --loadEngine=x\nONBUILD RUN atc --c=3\n"
    )
    assert facts_of("Dockerfile", text) == [
        "3:5 atc --a=1 --b=2",
        "7:31 trtexec --loadEngine=x",
        "8:13 atc --c=3",
    ]


def test_settings_add_to_themselves_and_another_shell_is_said() -> None:
    text = (
        'FROM a\nENV XLA_FLAGS="--a=1" X=2\nENV XLA_FLAGS="$XLA_FLAGS --b=2"\nENV TF_XLA_FLAGS --c=3\n'
        'SHELL ["pwsh", "-Command"]\nRUN atc --no=1\n'
    )
    assert facts_of("Dockerfile", text) == [
        "2:5 XLA_FLAGS set --a=1",
        "3:5 XLA_FLAGS append --b=2",
        "4:5 TF_XLA_FLAGS set --c=3",
        "6:5 note unsupported-shell",
    ]
