"""Texts that no person writes: read in bounded work, answered with `incomplete`, never with a traceback."""

from __future__ import annotations

import pytest

from perfgate.config.bash.output import MAX_STEPS
from perfgate.config.bash.reading import MAX_COMMANDS, MAX_DEPTH, MAX_ITEMS
from tests.unit.config.shown import commands, facts

ENDLESS = {
    "substitutions": "atc " + "$(" * 5000,
    "closed substitutions": "atc " + "$(" * 5000 + ")" * 5000,
    "parentheses": "atc\n" + "(" * 100_000,
    "arithmetic": "atc " + "$((" * 5000,
    "expansions": "atc " + "${a:-" * 5000 + "}" * 5000,
    "conditionals": "atc\n" + "if a; then " * 5000,
    "functions": "atc\n" + "f() { " * 5000,
    "patterns": "atc " + "@(" * 5000,
    "open quotes": "atc 'x",
    "open backquotes": "atc " + "`" * 9999,
    "many commands": "atc\n" * (MAX_COMMANDS + 1),
    "many words": "atc " + "--a " * (MAX_ITEMS + 2),
    "many parts": "atc " + "$a" * (MAX_ITEMS + 2),
    "many links": "atc" + " && atc" * (MAX_ITEMS + 2),
}
HARMLESS = {
    "brackets": ("atc --a\n" + "[" * 100_000, 1),
    "braces": ("atc --a=" + "{" * 100_000, 1),
    "nested braces": ("atc --a=" + "{a," * 5000 + "b" + "}" * 5000, 1),
    "many braces": ("atc --a=" + "{a,b}" * 5000, 1),
    "a long line": ("atc --a=" + "a" * 1_000_000, 1),
    "heredocs": ("atc --a\n" + "".join(f"cat <<E{i}\natc\nE{i}\n" for i in range(1000)), 1),
    "heredocs of one line": ("atc --a; cat " + "<<E " * 1000 + "\n" + "E\n" * 1000, 1),
    "doubled text": ("x=aaaa\n" + "x=$x$x\n" * 100 + "atc --a=$x", 1),
    "doubled array": ("x=(a b)\n" + 'x=("${x[@]}" "${x[@]}")\n' * 40 + 'atc --a "${x[@]}"', 1),
    "nested loops": ("for a in 1 2; do " * 20 + "atc --a=$a; b=$b$a; " + "done; " * 20, 1),
    "calls that double": (
        "".join(f"f{i}() {{ f{i + 1}; f{i + 1}; }}\n" for i in range(11)) + "f11() { atc --a; }; f0",
        1,
    ),
}


@pytest.mark.parametrize("script", ENDLESS.values(), ids=ENDLESS)
def test_what_cannot_be_read_to_its_end_is_incomplete_with_a_note(script: str) -> None:
    found = facts(script)
    assert found.incomplete
    assert [note.code for note in found.notes if note.code == "syntax-error"] == ["syntax-error"]


@pytest.mark.parametrize(("script", "count"), HARMLESS.values(), ids=HARMLESS)
def test_what_is_only_large_is_read(script: str, count: int) -> None:
    assert len(facts(script).commands) == count


def test_too_much_to_follow_is_incomplete() -> None:
    found = facts("f() { atc --a; }\n" + "x=$x$y; f\n" * (MAX_STEPS // 3))
    assert found.incomplete
    assert "work-limit" in [note.code for note in found.notes]


def test_depth_within_the_limit_is_read() -> None:
    depth = MAX_DEPTH - 2
    assert commands("atc --b; " + "( " * depth + "atc --a" + " )" * depth) == ["atc --b", "atc --a"]


def test_shell_text_in_shell_text_is_read_eight_levels_deep() -> None:
    strings = "a0='atc --a'\n" + "".join(f"a{i}='eval $a{i - 1}'\n" for i in range(1, 12))
    assert commands(strings + "eval $a7") == ["atc --a"]
    found = facts(strings + "eval $a8")
    assert (found.commands, found.incomplete) == ((), True)
    assert [note.code for note in found.notes] == ["nesting-limit"]
