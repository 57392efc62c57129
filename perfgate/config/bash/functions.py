"""The functions of a script: what they are, from where they are called, and what a call leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.config.bash.leaving import Leaving
from perfgate.config.bash.scope import Scope
from perfgate.config.bash.syntax import Case, For, Function, Group, If, Parameter, Simple, While

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.bash.flow import Runner
    from perfgate.config.bash.syntax import Command, Sequence
    from perfgate.config.spans import Placed

MAX_CALLS = 32  # scopes kept per function; a value that more calls disagree on is unknown
MAX_NESTED_CALLS = 12
_ARGUMENTS = frozenset({"@", "*"})


@dataclass(slots=True, eq=False)
class Functions:
    """Definitions, the scopes of their calls, and the calls under way with their local names.

    `pure` functions leave nothing behind: a call with variables met before need not be followed again.
    """

    bodies: dict[str, Command] = field(default_factory=dict)
    calls: dict[str, list[Scope]] = field(default_factory=dict)
    pure: set[str] = field(default_factory=set)
    reported: set[str] = field(default_factory=set)
    under_way: list[tuple[str, set[str]]] = field(default_factory=list)

    def define(self, name: str, body: Command) -> None:
        """Keep a definition; a later one of the same name wins."""
        self.bodies[name] = body

    def make_local(self, name: str) -> None:
        """The variable is gone when the call under way ends."""
        if self.under_way:
            self.under_way[-1][1].add(name)


def call_function(runner: Runner, name: str) -> None:
    """Follow a call for what it leaves behind; what it runs is reported once by `report_functions`."""
    functions = runner.functions
    calls = functions.calls.setdefault(name, [])
    call = runner.scope.snapshot(None)
    if name in functions.pure and any(_is_same(call, earlier) for earlier in calls):
        return
    if len(calls) <= MAX_CALLS and name not in functions.reported:
        calls.append(call)
    active = {active for active, _ in functions.under_way}
    if name in active or len(active) >= MAX_NESTED_CALLS:
        return
    runner.output.muted += 1
    _follow(runner, name)
    runner.output.muted -= 1


def _is_same(left: Scope, right: Scope) -> bool:
    """Both scopes hold the very same variables."""
    return left.own.keys() == right.own.keys() and all(
        variable is right.own[name] for name, variable in left.own.items()
    )


def _follow(runner: Runner, name: str) -> None:
    """Run the body with unknown arguments; local names and arguments are restored afterwards."""
    before = runner.scope
    functions = runner.functions
    functions.under_way.append((name, set()))
    leaving = Leaving("function", before)
    runner.exits.append(leaving)
    context, runner.context = runner.context, name
    runner.scope = before.fork()
    runner.scope.positionals = None
    body = functions.bodies[name]
    runner.command(body)
    runner.context = context
    runner.exits.pop()
    _, local = functions.under_way.pop()
    positionals = before.positionals
    if runner.scope.alive and not leaving.scopes and not runner.scope.changed(before).difference(local):
        functions.pure.add(name)
    after = runner.join(before, [*leaving.scopes, runner.scope], _place(body), "return", local=local)
    after.positionals = positionals
    runner.scope = after


def _place(body: Command) -> Placed:
    return _place(body.body) if isinstance(body, Function) else body.place


def report_functions(runner: Runner) -> None:
    """Report what each function runs, once, with what all its calls know of the variables.

    A function that is never called is reported as if called at the end of the file.
    """
    functions = runner.functions
    final = runner.scope
    final.alive = True
    while waiting := [name for name in functions.bodies if name not in functions.reported]:
        called = [name for name in waiting if functions.calls.get(name)]
        name = (called or waiting)[0]
        calls = functions.calls.get(name) or [final.snapshot(None)]
        functions.reported.add(name)
        runner.scope = runner.join(Scope(), calls, _place(functions.bodies[name]), "call")
        _follow(runner, name)
    runner.scope = final


def runs_arguments(body: Command) -> bool:
    """The function runs its own arguments as a command: `"$@"` stands where a program would."""
    return any(_is_arguments(simple) for simple in _simples(body))


def _is_arguments(simple: Simple) -> bool:
    for word in simple.words:
        first = word.parts[0] if len(word.parts) == 1 else None
        if isinstance(first, Parameter) and first.name in _ARGUMENTS and not first.operator:
            return True
        if word.literal is None or word.literal in _TEXT_COMMANDS:
            return False
    return False


_TEXT_COMMANDS = frozenset({"echo", "printf", "set", "shift", "local", "export", "cat", "test", "[", "for"})


def _simples(node: Command | Sequence) -> Iterator[Simple]:
    match node:
        case Simple():
            yield node
        case Group() | For() | While():
            yield from _in_sequence(node.body)
        case If():
            for condition, body in node.arms:
                yield from _in_sequence(condition)
                yield from _in_sequence(body)
            if node.otherwise:
                yield from _in_sequence(node.otherwise)
        case Case():
            for arm in node.arms:
                yield from _in_sequence(arm.body)
        case _:
            return


def _in_sequence(sequence: Sequence) -> Iterator[Simple]:
    for chain in sequence.chains:
        for pipeline in chain.pipelines:
            for command in pipeline.commands:
                yield from _simples(command)
