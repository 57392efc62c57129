"""The one command that a suite names in a script."""

from __future__ import annotations

import pytest

from perfgate.config.compile_command import find_command, flag_texts
from perfgate.core.errors import UsageError
from tests.unit.config.shown import facts

SCRIPT = """
atc --framework=5 --model=resnet.onnx --output=out/resnet
for b in 1 8; do atc --framework=5 --model=bert.onnx --output=bert_$b; done
trtexec --onnx=x.onnx --fp16
"""


def test_the_only_call_of_a_program_needs_no_match() -> None:
    assert find_command(facts(SCRIPT), program="trtexec").program_span.line == 4


def test_another_name_of_the_program_finds_it() -> None:
    assert find_command(facts("atc --a=1"), program="atc_convert").program == "atc"


@pytest.mark.parametrize(
    ("match", "line"), [("--output=*resnet*", 2), ("--output=bert_8", 3), ("--model=b*", 3)]
)
def test_a_match_is_a_glob_on_a_flag_and_any_of_its_values(match: str, line: int) -> None:
    assert find_command(facts(SCRIPT), program="atc", match=match).program_span.line == line


@pytest.mark.parametrize(
    ("program", "match", "words"),
    [
        (
            "atc",
            None,
            ("2 calls", "s.sh", "line 2 (--output=out/resnet)", "line 3 (--output=bert_1)", "match"),
        ),
        ("tvmc", None, ("no call of 'tvmc'", "s.sh", "atc, trtexec")),
        ("atc", "--output=gpt", ("no call of 'atc with --output=gpt'", "line 2")),
    ],
)
def test_none_or_several_is_a_mistake_that_says_what_there_is(
    program: str, match: str | None, words: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError) as error:
        find_command(facts(SCRIPT), program=program, match=match)
    assert all(word in str(error.value) for word in words)


def test_a_file_without_any_command_says_so() -> None:
    with pytest.raises(UsageError, match="it calls no watched program"):
        find_command(facts("echo atc"), program="atc")
    with pytest.raises(UsageError, match="could not be read to its end"):
        find_command(facts("atc 'x"), program="atc")


def test_a_flag_is_shown_with_every_text_it_can_have() -> None:
    (command,) = facts("for b in 1 2; do atc --a=$b --help --d=x$y; done").commands
    assert [flag_texts(flag) for flag in command.flags] == [("--a=1", "--a=2"), ("--help",), ("--d=x?",)]
