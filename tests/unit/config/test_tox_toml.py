"""tox configuration in TOML; places are those of the TOML file."""

from __future__ import annotations

from tests.unit.config.described import facts_of


def test_the_ini_text_inside_of_pyproject() -> None:
    text = (
        '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\n'
        'set_env = XLA_FLAGS=--a=1\ncommands =\n  atc --b=2\n"""\n'
    )
    assert facts_of("pyproject.toml", text) == ["4:11 XLA_FLAGS set --a=1", "6:3 atc --b=2"]


def test_native_tables() -> None:
    text = (
        '[tool.tox.env_run_base]\ncommands = [["atc", "--a={env:A:1}"], ["trtexec", "--onnx=x",\n'
        '  {replace = "posargs", default = []}]]\nset_env = {XLA_FLAGS = "--b=2"}\n'
        '[tool.other]\ncommands = "atc --no=1"\n'
    )
    assert facts_of("pyproject.toml", text) == [
        "2:15 atc ~--a=1",
        "2:41 trtexec --onnx=x ...",
        "4:12 XLA_FLAGS set --b=2",
    ]
