"""justfiles; the values of the first test are what just 1.59 handed to stand-ins that record arguments."""

from __future__ import annotations

from tests.unit.config.described import facts_of

RECIPES = """\
export FMT := "NCHW"
dir := "out" / "x"
opts := "--framework=5 " + '--log=error'
soc := if "a" == "a" { "Ascend310P3" } else { "Ascend910" }
multi := (
  "--a=1" +
  " --b=2"
)
name := trim(" sw ") + uppercase("an")

[private]
conv m="heron" *rest: (other "q")
    @atc {{opts}} --out={{dir}}/{{name}} --soc={{ soc }} {{rest}}
    -trtexec --onnx="{{m}} x" {{multi}} --fmt=$FMT \\
        --braces='{{{{a}}' --if={{ if m == "heron" { "yes" } else { "no" } }}

other n $E="ev":
    atc --n={{n}} --e=$E

sh:
    #!/usr/bin/env bash
    for i in 1 2; do
        atc --i=$i --d={{dir}}
    done
"""


def test_recipes_see_variables_and_parameters() -> None:
    assert facts_of("justfile", RECIPES) == [
        "13:6 atc --framework=5 --log=error --out=out/x/swAN --soc=Ascend310P3 ...",
        "14:6 trtexec ~--onnx=heron x --a=1 --b=2 --fmt=NCHW --braces={{a}} ~--if={no|yes}",
        "18:5 atc --n=? ~--e=ev",
        "23:9 atc ~--i={1|2} --d=out/x",
    ]


def test_the_environment_is_a_default_and_exported_flags_are_settings() -> None:
    text = (
        'export XLA_FLAGS := env("XLA_FLAGS", "") + " --a=1"\nl := env_var_or_default("L", "1")\n'
        "e := env('E')\nx:\n  atc --l={{l}} --e={{e}} --b={{`date`}}\n"
    )
    assert facts_of("Justfile", text) == ["1:8 XLA_FLAGS append --a=1", "5:3 atc ~--l=1 --e=? --b=?"]


def test_scripts_of_other_languages() -> None:
    text = (
        'set shell := ["pwsh", "-c"]\na:\n  atc --no=1\n'
        'b:\n  #!/usr/bin/env python3\n  import os\n  os.system("atc --b=2")\n'
        '[script("bash")]\nc:\n  atc --c=3\n'
    )
    assert facts_of(".justfile", text) == ["3:3 note unsupported-shell", "7:14 atc --b=2", "10:3 atc --c=3"]
