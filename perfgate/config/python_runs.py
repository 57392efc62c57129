"""Which calls of a Python file run a program or a shell, and what they run."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.embedded import quoted_words
from perfgate.config.python_texts import shell_pieces
from perfgate.config.python_values import Item, Items, Text, Unknown, items_of, known_text, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.config.embedded import TextPiece
    from perfgate.config.python_eval import Evaluator
    from perfgate.config.python_names import Names
    from perfgate.config.python_values import PythonValue
    from perfgate.config.spans import Placed
    from perfgate.config.words import Word

SESSION = "nox session"  # what the parameter of a session function hides
TASK = "task context"  # what the first parameter of an invoke or fabric task hides
_PASSING = frozenset({"partial", "submit", "to_thread", "apply_async", "apply"})
_ARGUMENTS = ("args", "cmd", "command", "popenargs")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """What a call runs: the `words` of one command, or `pieces` of shell text; neither if it is not known."""

    words: tuple[Word, ...] = ()
    pieces: tuple[TextPiece, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """A call with its positional arguments, less those that a form does not want."""

    evaluator: Evaluator
    node: ast.Call
    names: Names
    arguments: tuple[ast.expr, ...]

    def keyword(self, *wanted: str) -> ast.expr | None:
        return next((keyword.value for keyword in self.node.keywords if keyword.arg in wanted), None)

    def value(self, node: ast.expr) -> PythonValue:
        return self.evaluator.value(node, self.names)

    def place(self, node: ast.expr) -> Placed:
        return self.evaluator.code.place(node)

    def without(self, count: int) -> _Call:
        return replace(self, arguments=self.arguments[count:])


def run_of(evaluator: Evaluator, node: ast.Call, names: Names) -> Run | None:
    """What the call runs, or None when it is no call that runs something."""
    call = _Call(evaluator=evaluator, node=node, names=names, arguments=tuple(node.args))
    name = evaluator.imports.full_name(node.func)
    if name.rpartition(".")[2] in _PASSING and node.args:
        # the function and its arguments are handed to something that calls it: `partial`, `submit`
        name, call = evaluator.imports.full_name(node.args[0]), call.without(1)
    form = _FORMS.get(name) or _method_form(call)
    return form(call) if form else None


def _method_form(call: _Call) -> Callable[[_Call], Run] | None:
    function = call.node.func
    if not isinstance(function, ast.Attribute):
        return _text if call.keyword("bash_command") is not None else None
    owner = call.value(function.value)
    source = owner.source if isinstance(owner, Unknown) else ""
    if source == SESSION and function.attr in {"run", "run_always", "run_install"}:
        return _variadic
    if source == TASK and function.attr in {"run", "sudo", "local"}:
        return _text
    return _text if call.keyword("bash_command") is not None else None


def _arguments(call: _Call) -> Run:
    """`subprocess.run(args, shell=...)`."""
    node = call.arguments[0] if call.arguments else call.keyword(*_ARGUMENTS)
    if node is None or isinstance(node, ast.Starred):
        return Run()
    value = call.value(node)
    shell = call.keyword("shell")
    uses_shell = shell is not None and _is_true(call.value(shell), value)
    return _shell_run(value, call.place(node)) if uses_shell else _plain_run(value, call.place(node))


def _shell_run(value: PythonValue, place: Placed) -> Run:
    """With a shell, of a list only the first element is read as its text."""
    if isinstance(value, Items):
        first = value.items[0] if value.items else None
        return Run(pieces=shell_pieces(first.value, first.place or place)) if first is not None else Run()
    return Run(pieces=shell_pieces(value, place)) if isinstance(value, Text) else Run()


def _plain_run(value: PythonValue, place: Placed) -> Run:
    """Without a shell, a text is the name of a program, blanks included."""
    if isinstance(value, Items):
        return Run(words=_words(value, place))
    if isinstance(value, Text) and value.known and not value.known.split()[1:]:
        return Run(words=_words(Items(items=(Item(value=value, place=place),)), place))
    return Run()


def _is_true(shell: PythonValue, value: PythonValue) -> bool:
    """A switch that the file does not tell is taken to fit the value: text wants a shell, a list none."""
    if isinstance(shell, Text) and shell.known is not None:
        return shell.known not in {"False", "0", "None", ""}
    return isinstance(value, Text)


def _text(call: _Call) -> Run:
    """`os.system(text)`."""
    node = call.arguments[0] if call.arguments else call.keyword("cmd", "command", "bash_command")
    if node is None or isinstance(node, ast.Starred):
        return Run()
    value = call.value(node)
    return Run(pieces=shell_pieces(value, call.place(node))) if isinstance(value, Text) else Run()


def _split_text(call: _Call) -> Run:
    """`pexpect.spawn("atc --x")`: split at blanks, but no shell reads it."""
    run = _text(call)
    if len(call.arguments) > 1 and run.pieces:
        return _file_and_list(call)
    return Run(words=quoted_words(run.pieces)) if run.pieces else run


def _variadic(call: _Call) -> Run:
    """`session.run("atc", "--x", *rest)`."""
    items: list[Item] = []
    for node in call.arguments:
        if isinstance(node, ast.Starred):
            items += items_of(call.value(node.value))
        else:
            items.append(Item(value=call.value(node), place=call.place(node)))
    return Run(words=_words(Items(items=tuple(items)), call.place(call.node)))


def _file_and_list(call: _Call) -> Run:
    """`os.execv(file, argv)`: the file is the program, the first of the list only its name."""
    if len(call.arguments) < 2:  # noqa: PLR2004 - file and list
        return Run()
    file, rest = call.arguments[0], call.value(call.arguments[1])
    items = items_of(rest)
    program = Item(value=call.value(file), place=call.place(file))
    return Run(words=_words(Items(items=(program, *items[1:])), call.place(call.node)))


def _file_and_names(call: _Call) -> Run:
    """`os.execl(file, name, *rest)`."""
    if len(call.arguments) < 2:  # noqa: PLR2004 - file and name
        return Run()
    return _variadic(replace(call, arguments=(call.arguments[0], *call.arguments[2:])))


def _words(value: Items, place: Placed) -> tuple[Word, ...]:
    first = value.items[0] if value.items else None
    if first is not None and isinstance(first.value, Unknown) and first.value.source == "sys.executable":
        python = known_text((first.place or place).standing_for("python3"))
        value = Items(items=(replace(first, value=python), *value.items[1:]))
    return words_of(value, place)


def _after_mode(form: Callable[[_Call], Run]) -> Callable[[_Call], Run]:
    """`os.spawnv(mode, file, argv)`."""
    return lambda call: form(call.without(1))


_FORMS: Mapping[str, Callable[[_Call], Run]] = (
    {f"subprocess.{name}": _arguments for name in ("run", "call", "check_call", "check_output", "Popen")}
    | dict.fromkeys(("subprocess.getoutput", "subprocess.getstatusoutput"), _text)
    | dict.fromkeys(("os.system", "os.popen", "asyncio.create_subprocess_shell"), _text)
    | dict.fromkeys(
        ("asyncio.create_subprocess_exec", "asyncio.subprocess.create_subprocess_exec"), _variadic
    )
    | dict.fromkeys(("pexpect.spawn", "pexpect.run"), _split_text)
    | {f"os.{name}": _file_and_list for name in ("execv", "execve", "execvp", "execvpe")}
    | {f"os.{name}": _file_and_list for name in ("posix_spawn", "posix_spawnp")}
    | {f"os.{name}": _file_and_names for name in ("execl", "execle", "execlp", "execlpe")}
    | {f"os.{name}": _after_mode(_file_and_list) for name in ("spawnv", "spawnve", "spawnvp", "spawnvpe")}
    | {f"os.{name}": _after_mode(_file_and_names) for name in ("spawnl", "spawnle", "spawnlp", "spawnlpe")}
)
