"""tox configuration; the rules are those of tox 4: comments, factors, references, substitutions."""

from __future__ import annotations

from tests.unit.config.described import facts_of

FACTORS = """\
[flags]
common = --framework=5
    --log=error
[testenv]
setenv =
    FMT=NCHW
    fast: XLA_FLAGS=--xla_a=1
commands =
    fast: atc {[flags]common} --model={envname}.onnx
    atc --framework=5 \\
      fast: --op=1 \\
      slow: --slow=1 \\
      --shape="a:1,2" --x=a\\#b # comment
    bash -c 'trtexec --fmt=$FMT'
[testenv:convert-fast]
set_env = XLA_FLAGS={env:XLA_FLAGS:} --xla_c=1
commands = {[testenv]commands}
   atc --a=1 \\
     slow: --no=1 \\
     fast: --b=2
   trtexec {posargs} --onnx={env:M}
"""


def test_factors_bind_lines_and_references_are_followed() -> None:
    assert facts_of("tox.ini", FACTORS) == [
        "7:11 XLA_FLAGS set ~--xla_a=1",
        "9:11 atc --framework=5 --log=error --model=?.onnx",
        "10:5 atc --framework=5 ~--op=1 ~--slow=1 --shape=a:1,2 --x=a#b",
        "14:14 trtexec --fmt=NCHW",
        "16:11 XLA_FLAGS append --xla_c=1",
        "18:4 atc --a=1 --b=2",
        "21:4 trtexec --onnx=? ...",
    ]


def test_defaults_can_be_replaced_and_prefixes_are_no_words() -> None:
    text = (
        "[testenv]\ncommands = -atc {posargs:--a=1 --b=2} --c={env:C:x} --d={[no]d}\n  ! trtexec --onnx=y\n"
    )
    assert facts_of("tox.ini", text) == ["2:13 atc ~--a=1 ~--b=2 ~--c=x --d=? ...", "3:5 trtexec --onnx=y"]


def test_other_sections_and_keys_run_nothing() -> None:
    text = "[tox]\ncommands = atc --no=1\n[testenv]\ndescription = atc --no=2\nallowlist_externals = atc\n"
    assert facts_of("tox.ini", text) == []
