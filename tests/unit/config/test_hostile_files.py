"""Files made to cost much: every reader ends, and a command that stands in the open is still found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.config.read import read

if TYPE_CHECKING:
    from collections.abc import Callable

DOUBLINGS = {
    "Makefile": ("A0 = xx\n", "A{n} = $(A{m}) $(A{m})\n", "x:\n\tatc --a=$(A30)\n"),
    "justfile": ('a0 := "xx"\n', "a{n} := a{m} + a{m}\n", "x:\n  atc --a={{a30}}\n"),
    "tox.ini": ("[a]\na0=x\n", "a{n}={{[a]a{m}}}{{[a]a{m}}}\n", "[testenv]\ncommands=atc --a={[a]a30}\n"),
    "x.cmake": ("set(A0 xx)\n", 'set(A{n} "${{A{m}}}${{A{m}}}")\n', "add_custom_target(x atc --a=${A30})\n"),
    "Dockerfile": ("FROM x\nENV A0=xx\n", "ENV A{n}=$A{m}$A{m}\n", 'RUN atc --a="$A30"\n'),
    "x.py": ("import os\na0 = 'xx'\n", "a{n} = a{m} + a{m}\n", "os.system('atc --a=' + a30)\n"),
}
LOOPS: dict[str, tuple[str, Callable[[int], str], str]] = {
    "x.py": (
        "import subprocess\nc = ['atc']\n",
        lambda n: " " * n + f"for x{n} in (1, 2, 3, 4, 5, 6, 7, 8):\n",
        " " * 8 + "c.append('--a=1')\nsubprocess.run(c)\n",
    ),
    "x.cmake": (
        "",
        lambda n: f"foreach(a{n} 1 2 3 4 5 6 7 8)\n",
        "list(APPEND C --a=1)\n" + "endforeach()\n" * 8 + "add_custom_target(x atc ${C})\n",
    ),
    "Makefile": (
        "L = 1 2 3 4 5 6 7 8\nx:\n\tatc ",
        lambda n: f"$(foreach v{n},$(L),",
        "--a=1" + ")" * 8 + "\n",
    ),
}
NAMES = (
    "x.yml",
    "x.py",
    "x.cmake",
    "Makefile",
    "tox.ini",
    "justfile",
    "Dockerfile",
    "n.ipynb",
    "pyproject.toml",
)


@pytest.mark.parametrize("name", DOUBLINGS)
def test_values_that_double_are_unknown_behind_the_limit(name: str) -> None:
    head, step, tail = DOUBLINGS[name]
    text = head + "".join(step.format(n=n, m=n - 1) for n in range(1, 31)) + tail
    (command,) = read(name, text.encode()).commands
    assert command.open or command.flags[0].value.has_unknown


@pytest.mark.parametrize("name", LOOPS)
def test_loops_inside_loops_end(name: str) -> None:
    head, step, tail = LOOPS[name]
    text = head + "".join(step(n) for n in range(8)) + tail
    (command,) = read(name, text.encode()).commands
    assert command.open or {flag.name for flag in command.flags} == {"--a"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sign", ["[", "(", "{", "$(", "${a", "$<1:", "\\\n", "\"'", "{{"])
def test_very_many_signs_end_without_an_exception(name: str, sign: str) -> None:
    text = "x:\n\tatc --a=1 " + sign * (5_000 // len(sign))
    assert read(name, text.encode()).path == name
