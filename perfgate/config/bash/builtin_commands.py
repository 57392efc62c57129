"""Builtins that change what is known: they set variables, end the script, or run text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.bash.assignments import assign
from perfgate.config.bash.invoke import Call, Invoker
from perfgate.config.bash.scope import UNSET, Variable, unknown
from perfgate.config.bash.texts import spaced, stdin_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.bash.flow import Runner
    from perfgate.config.bash.syntax import Simple
    from perfgate.config.words import Word

    Builtin = Callable[[Runner, Simple, tuple[Word, ...]], None]

_READ_VALUES = frozenset({"-a", "-d", "-i", "-n", "-N", "-p", "-t", "-u"})
_MAP_VALUES = frozenset({"-d", "-n", "-O", "-s", "-u", "-C", "-c"})


def _declare(runner: Runner, node: Simple, words: tuple[Word, ...]) -> None:
    """`export`, `declare`, `local` and their kind."""
    name = words[0].text or ""
    options = "".join(word.text or "" for word in words[1:] if (word.text or "").startswith(("-", "+")))
    for assignment in node.declared:
        assign(runner, assignment, associative="A" in options)
    plain = [word.text for word in words[1:] if word.text and not word.text.startswith(("-", "+"))]
    names = [assignment.name.text for assignment in node.declared] + plain
    if name == "local" or (name in {"declare", "typeset"} and "g" not in options):
        for local in names:
            runner.functions.make_local(local)
        if runner.functions.under_way or "a" in options or "A" in options:
            _declare_empty(runner, plain, options)
    if name == "export" or "x" in options:
        runner.scope.exports.update(names)


def _declare_empty(runner: Runner, names: list[str], options: str) -> None:
    """`local x` hides an outer x; `declare -a x` keeps what is there."""
    for name in names:
        if "A" in options:
            runner.scope.assign(name, Variable(elements=(), keys=()))
        elif "a" in options:
            runner.scope.assign(name, Variable(elements=()))
        else:
            runner.scope.assign(name, UNSET)


def _unset(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    for word in words[1:]:
        if word.text and not word.text.startswith("-"):
            runner.scope.assign(word.text, UNSET)


def _let(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    for word in words[1:]:
        runner.expander.change_numbers(word.text or "")


def _read(runner: Runner, node: Simple, words: tuple[Word, ...]) -> None:
    names, options = _operands(words, _READ_VALUES)
    text = stdin_text(node.redirects, runner.expander)
    if text is not None and options.get("-d") == "" and len(names) == 1:
        runner.scope.assign(names[0], Variable(atoms=text))  # all of a heredoc: `read -r -d '' name <<END`
        return
    if "-a" in options:
        array = options["-a"]
        runner.scope.assign(array, Variable(elements=(), is_open=True))
    for name in names or ([] if "-a" in options else ["REPLY"]):
        runner.scope.assign(name, unknown(name))


def _mapfile(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    names, _ = _operands(words, _MAP_VALUES)
    runner.scope.assign(names[0] if names else "MAPFILE", Variable(elements=(), is_open=True))


def _operands(words: tuple[Word, ...], values: frozenset[str]) -> tuple[list[str], dict[str, str]]:
    """The names a builtin is given, and its options with their values; `-ra x` gives x to -a."""
    names: list[str] = []
    options: dict[str, str] = {}
    pending = ""
    for word in words[1:]:
        text = word.text or ""
        if pending:
            options[pending] = text
            pending = ""
        elif text.startswith("-") and not names:
            last = f"-{text[-1]}"
            pending = last if last in values else ""
            options.setdefault(last, "")
        elif text:
            names.append(text)
    return names, options


def _getopts(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    if len(words) > 2 and words[2].text:  # noqa: PLR2004 - `getopts OPTIONS NAME`
        runner.scope.assign(words[2].text, unknown(words[2].text))
    for name in ("OPTARG", "OPTIND"):
        runner.scope.assign(name, unknown(name))


def _printf(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    texts = [word.text for word in words]
    if "-v" in texts[:-1]:
        name = texts[texts.index("-v") + 1]
        if name:
            runner.scope.assign(name, unknown(name))


def _set(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    """`set -- words` gives the shell new arguments."""
    texts = [word.text for word in words]
    if "--" in texts:
        runner.scope.positionals = tuple(words[texts.index("--") + 1 :])


def _shift(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    count = words[1].text if len(words) > 1 else "1"
    positionals = runner.scope.positionals
    if (
        positionals is None
        or count is None
        or not count.isdigit()
        or any(word.is_open or word.splits for word in positionals[: int(count)])
    ):
        runner.scope.positionals = None
    else:
        runner.scope.positionals = positionals[int(count) :]


def _eval(runner: Runner, node: Simple, words: tuple[Word, ...]) -> None:
    Invoker(runner, node).evaluate(spaced(words[1:]), words[0].place)


def _trap(runner: Runner, node: Simple, words: tuple[Word, ...]) -> None:
    """The text is run later; what it assigns is lost here."""
    if len(words) > 1 and words[1].text not in {"-", "", None} and not (words[1].text or "").startswith("-"):
        runner.in_subshell(lambda: Invoker(runner, node).run_text(words[1].atoms, words[1].place))


def _source(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    """Included files are not followed; a name they might set is unknown."""
    if len(words) > 1:
        runner.sourced = True


def _exec(runner: Runner, node: Simple, words: tuple[Word, ...]) -> None:
    Invoker(runner, node).invoke(Call(words=words, via=runner.via))
    runner.scope.alive = len(words) == 1


def _exit(runner: Runner, _node: Simple, _words: tuple[Word, ...]) -> None:
    runner.scope.alive = False


def _leave(runner: Runner, _node: Simple, words: tuple[Word, ...]) -> None:
    """`break`, `continue` and `return`: the innermost loop or function goes on with this scope."""
    kind = "function" if words[0].text == "return" else "loop"
    waiting = [leaving for leaving in runner.exits if leaving.kind == kind]
    if waiting:
        waiting[-1].is_broken |= words[0].text == "break"
        waiting[-1].scopes.append(runner.scope.snapshot(waiting[-1].start))
    runner.scope.alive = False


def _nothing(_runner: Runner, _node: Simple, _words: tuple[Word, ...]) -> None:
    """Arguments are data."""


BUILTINS: dict[str, Builtin] = {
    "export": _declare,
    "declare": _declare,
    "typeset": _declare,
    "local": _declare,
    "readonly": _declare,
    "unset": _unset,
    "read": _read,
    "let": _let,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "getopts": _getopts,
    "printf": _printf,
    "set": _set,
    "shift": _shift,
    "eval": _eval,
    "trap": _trap,
    "source": _source,
    ".": _source,
    "exec": _exec,
    "exit": _exit,
    "return": _leave,
    "break": _leave,
    "continue": _leave,
    "echo": _nothing,
    "alias": _nothing,
    "type": _nothing,
    "which": _nothing,
    "hash": _nothing,
    "[": _nothing,
    "test": _nothing,
    ":": _nothing,
}
