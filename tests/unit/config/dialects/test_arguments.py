"""The forms of flags per dialect; the facts are those of tests/data/commands/README.md and of the tools."""

from __future__ import annotations

import pytest

from tests.unit.config.shown import commands, facts, notes

FORMS = {
    "gflags takes one or two dashes": ("atc -model=a --model b", "atc !--model=a --model=b"),
    "gflags folds dashes": ("atc --out-nodes=x", "atc --out_nodes=x"),
    "gflags negates booleans": ("atc --nohelp", "atc --help=false"),
    "gflags takes a negative number": ("atc --device_id -1 --log=x", "atc --device_id=-1 --log=x"),
    "gflags leaves a flag without a value bare": ("atc --model --log=x", "atc --model --log=x"),
    "a file of flags opens atc": ("atc --flagfile=f", "atc --flagfile=f ..."),
    "two dashes end the flags": ("atc --a=1 -- --b=2", "atc --a=1"),
    "trtexec takes values after an equals sign only": ("trtexec --onnx a --fp16", "trtexec --onnx --fp16"),
    "llvm takes a value after -o": ("mlir-opt -cse a.mlir -o b", "mlir-opt --cse -o=b"),
    "llvm takes a known value after a blank": (
        "iree-compile --iree-hal-target-backends cuda x",
        "iree-compile --iree-hal-target-backends=cuda",
    ),
    "argparse completes a prefix": ("tvmc compile --desired NHWC m", "tvmc --desired-layout=NHWC"),
    "argparse keeps an ambiguous prefix": ("tvmc --tun x", "tvmc --tun=x"),
    "argparse knows aliases": ("tvmc -o x -O2", "tvmc --output=x --opt-level=2"),
    "argparse leaves booleans bare": ("mo --silent --input_model m", "mo --silent --input_model=m"),
    "an empty value is a value": ("atc --a= --b=''", "atc --a= --b="),
    "a dash alone is a positional": ("atc --log=x -", "atc --log=x"),
    "a value keeps its equals signs": ("trtexec --a=b=c", "trtexec --a=b=c"),
    "an unknown name opens the command": ("trtexec --$x=1 --b", "trtexec --b ..."),
    "a name of a loop is a flag each": (
        "for x in fp16 int8; do trtexec --$x; done",
        "trtexec ~--fp16 ~--int8",
    ),
    "a candidate may be a separate value": ("for x in a b; do atc --log $x; done", "atc --log={a|b}"),
    "an unquoted unknown word is a value": ("atc --log $x --a=1", "atc --log=? --a=1"),
    "an unquoted unknown word alone opens": ("atc --log=a $x", "atc --log=a ..."),
    "a quoted unknown word does not": ('atc --log=a "$x"', "atc --log=a"),
    "all arguments open and may be the value": ('atc --log "$@"', "atc --log=? ..."),
}
REPEATS = {
    "gflags: the last wins": ("atc --a=1 --a=2", "atc !--a=1 --a=2", [("repeated-flag", 1)]),
    "argparse: the last wins": (
        "tvmc --target=a --target b",
        "tvmc !--target=a --target=b",
        [("repeated-flag", 1)],
    ),
    "argparse: some add up": (
        "tvmc --pass-config a --pass-config b",
        "tvmc --pass-config=a --pass-config=b",
        [],
    ),
    "trtexec refuses": ("trtexec --fp16 --fp16", "trtexec --fp16 --fp16", [("repeat-error", 1)]),
    "trtexec collects plug-ins": ("trtexec --plugins=a --plugins=b", "trtexec --plugins=a --plugins=b", []),
    "llvm refuses": ("iree-compile -o a -o b", "iree-compile -o=a -o=b", [("repeat-error", 1)]),
    "llvm lists add up": (
        "iree-compile --iree-hal-target-backends=a --iree-hal-target-backends=b",
        "iree-compile --iree-hal-target-backends=a --iree-hal-target-backends=b",
        [],
    ),
    "passes may be repeated": ("mlir-opt -cse -cse", "mlir-opt --cse --cse", []),
    "an optional later one does not always win": (
        "a && x=--a=2; atc --a=1 $x",
        "atc --a=1 ~--a=2",
        [("repeated-flag", 1)],
    ),
}


@pytest.mark.parametrize(("script", "wanted"), FORMS.values(), ids=FORMS)
def test_forms(script: str, wanted: str) -> None:
    assert commands(f"x=; unset x; {script}" if "for x" in script else script) == [wanted]


@pytest.mark.parametrize(("script", "wanted", "remarks"), REPEATS.values(), ids=REPEATS)
def test_repeats(script: str, wanted: str, remarks: list[tuple[str, int]]) -> None:
    assert commands(script) == [wanted]
    assert notes(script) == remarks


def test_a_blank_before_a_value_is_noted_for_trtexec() -> None:
    assert notes("trtexec --onnx a.onnx \\\n --saveEngine b") == [("space-value", 1), ("space-value", 2)]
    assert notes("trtexec --onnx --fp16") == []


def test_a_flag_is_placed_at_its_dash_and_its_value_inside_the_quotes() -> None:
    (command,) = facts('atc "--log=info" --a="b c" --d e').commands
    places = [(flag.span.column, flag.value_span) for flag in command.flags]
    assert [(column, span.column, span.end_column) for column, span in places if span] == [
        (6, 12, 16),  # atc "--log=info": the dash is the sixth character, `info` the twelfth
        (18, 23, 26),
        (28, 32, 33),
    ]
    assert [flag.span.end_column for flag in command.flags] == [17, 27, 33]


def test_the_name_is_kept_as_it_is_written() -> None:
    (command,) = facts('atc -model=a --out-nodes=b --"log"=c').commands
    assert [flag.written for flag in command.flags] == ["-model", "--out-nodes", '--"log"']


def test_more_flags_than_the_limit_open_the_command() -> None:
    (command,) = facts("trtexec " + "--a " * 5000).commands
    assert (len(command.flags), command.open) == (4096, True)  # GUARDRAILS section 9
