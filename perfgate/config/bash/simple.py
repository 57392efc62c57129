"""Simple commands: assignments, functions, builtins, and everything else as a call of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.bash.assignments import assign, report_setting
from perfgate.config.bash.builtin_commands import BUILTINS
from perfgate.config.bash.functions import call_function, runs_arguments
from perfgate.config.bash.invoke import Call, Invoker
from perfgate.config.bash.syntax import Literal, Substitution
from perfgate.config.bash.texts import HEREDOCS, stdin_text
from perfgate.config.facts import Note
from perfgate.config.found import Found

if TYPE_CHECKING:
    from perfgate.config.bash.flow import Runner
    from perfgate.config.bash.syntax import Simple
    from perfgate.config.words import Atom, Word


def run_simple(runner: Runner, node: Simple, stdin: tuple[Atom, ...] | None, via: tuple[str, ...]) -> None:
    """Follow one simple command; `stdin` is the text that a pipe feeds it, `via` what stands before it."""
    runner.output.step()
    if not node.words:
        for assignment in node.assignments:
            assign(runner, assignment)
        _follow_redirects(runner, node)
        return
    _note_stray(runner, node)
    words = runner.expander.all_words(node.words)
    _follow_redirects(runner, node)
    for assignment in node.assignments:
        report_setting(runner, assignment)
    text = stdin_text(node.redirects, runner.expander) or stdin
    _run_words(runner, node, words, Call(words=words, via=(*runner.via, *via), stdin=text))


def _run_words(runner: Runner, node: Simple, words: tuple[Word, ...], call: Call) -> None:
    if not words:
        return
    name = words[0].text or ""
    builtin = BUILTINS.get(name)
    if name in runner.functions.bodies:
        call_function(runner, name)
        if runs_arguments(runner.functions.bodies[name]):
            Invoker(runner, node).scripted(call)
    elif builtin is not None:
        builtin(runner, node, words)
    else:
        Invoker(runner, node).invoke(call)


def _follow_redirects(runner: Runner, node: Simple) -> None:
    for redirect in node.redirects:
        if redirect.operator not in HEREDOCS and any(
            isinstance(part, Substitution) for part in redirect.word.parts
        ):
            runner.expander.atoms(redirect.word)


def _note_stray(runner: Runner, node: Simple) -> None:
    """A line of flags without a program: the backslash before it is missing."""
    parts = node.words[0].parts
    first = parts[0] if parts else None
    if isinstance(first, Literal) and first.text.text.startswith("--"):
        text = "the line begins with a flag; the line before it does not end with a backslash"
        note = Note(code="stray-flag-line", span=node.words[0].place.span(), text=text)
        runner.output.add(Found(notes=(note,)))
