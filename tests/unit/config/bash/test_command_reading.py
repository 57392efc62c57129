"""The parser: structures, heredocs and where reading stops."""

from __future__ import annotations

import pytest

from perfgate.config.bash import syntax
from perfgate.config.bash.command_reading import CommandReader
from perfgate.config.bash.syntax import Case, For, Function, Group, If, Literal, Script, Simple, While
from perfgate.config.spans import Source


def parsed(text: str) -> Script:
    return CommandReader(Source(path="f", text=text).whole()).read_script()


def words(command: object) -> list[str]:
    assert isinstance(command, Simple)
    return [
        "".join(part.text.text for part in word.parts if isinstance(part, Literal)) for word in command.words
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("if a; then b; elif c; then d; else e; fi", If),
        ("case $x in (a|b) c;; *) d;& e) f;;& esac", Case),
        ("for x in a b; do c; done", For),
        ("for x\ndo\nc\ndone", For),
        ("for ((i=0; i<3; i++)); do c; done", For),
        ("for x in a; { b; }", For),
        ("while a; do b; done <f", While),
        ("until a\ndo b\ndone", While),
        ("f() { a; }", Function),
        ("function f { a; }", Function),
        ("f-g.h () (a)", Function),
        ("{ a; b; }", Group),
        ("(a; b)", Group),
        ("((a + (b * c)))", syntax.Test),
        ("((a); (b))", Group),
        ("[[ -n $a && ( $b == c || d =~ ^(x|y)$ ) ]]", syntax.Test),
        ("a b", Simple),
        ("x=1 y=(a b) z", Simple),
    ],
)
def test_a_command_of_each_kind_is_known(text: str, kind: type) -> None:
    script = parsed(text)
    assert script.broken is None
    assert isinstance(script.body.chains[0].pipelines[0].commands[0], kind)


def test_words_end_at_operators_and_redirections_are_none() -> None:
    script = parsed("a b2>c 3>d '>'e >&2 &>f {fd}<g h#i # j\nk;l&m|&n||o")
    first = script.body.chains[0].pipelines[0].commands[0]
    assert words(first) == ["a", "b2", ">e", "h#i"]
    assert [len(chain.pipelines) for chain in script.body.chains] == [1, 1, 1, 2]


def test_heredocs_follow_their_line_in_order() -> None:
    script = parsed("cat <<A - <<-'B' | c\na $x\nA\n\t\tb $x\n\tB\nd")
    first = script.body.chains[0].pipelines[0].commands[0]
    assert isinstance(first, Simple)
    texts = [redirect.word.place.text for redirect in first.redirects]
    assert texts == ["a $x\n", "b $x\n"]
    assert [len(redirect.word.parts) for redirect in first.redirects] == [
        3,
        1,
    ]  # `$x` counts in the first only
    assert words(script.body.chains[1].pipelines[0].commands[0]) == ["d"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb 'c", 2),
        ("a\nif b; then c", 2),
        ("a; )", 1),
        ("a\nfi", 2),
        ("a\n$(b", 2),
        ("a ${b", 1),
        ("a && ;", 1),
    ],
)
def test_reading_stops_at_what_is_no_shell_and_says_where(text: str, line: int) -> None:
    script = parsed(text)
    assert script.broken is not None
    assert script.broken.place.span().line == line
    assert script.broken.reason
