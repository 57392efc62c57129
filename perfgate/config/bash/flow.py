"""Control flow of a shell script: every branch is followed, and what they leave behind is joined again."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from perfgate.config.bash.conditions import (
    EITHER,
    FAILS,
    SUCCEEDS,
    constant_status,
    pipeline_tests,
    tested_name,
)
from perfgate.config.bash.expand import Expander
from perfgate.config.bash.functions import Functions
from perfgate.config.bash.loops import run_for, run_while
from perfgate.config.bash.scope import UNSET, Scope, Variable, join_scopes, replaceable, unknown
from perfgate.config.bash.simple import run_simple
from perfgate.config.bash.syntax import (
    Case,
    Chain,
    Command,
    For,
    Function,
    Group,
    If,
    Literal,
    Pipeline,
    Sequence,
    Simple,
    Substitution,
    Test,
    While,
    WordText,
)
from perfgate.config.bash.texts import piped_text
from perfgate.config.facts import EnvOperation
from perfgate.config.settings import read_setting

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from perfgate.config.bash.leaving import Leaving
    from perfgate.config.bash.output import Output
    from perfgate.config.spans import Placed
    from perfgate.config.words import Atom

_Result = TypeVar("_Result")
_CONSTANT_BUILTINS = frozenset({"echo", "export", "declare", "local", "typeset", "readonly", "shift", "set"})


class Runner:
    """Follows the commands of one shell; a nested shell has a runner of its own.

    `via` are the wrappers around the whole text, `context` names the function it stands in, `level` counts
    the strings inside strings.
    """

    def __init__(
        self, output: Output, scope: Scope, *, holes: Mapping[str, Atom], via: tuple[str, ...], level: int
    ) -> None:
        self.output = output
        self.expander = Expander(self._run_substitution, self._set_default, output.step, holes)
        self.scope = scope
        self.via = via
        self.level = level
        self.context = ""
        self.functions = Functions()
        self.exits: list[Leaving] = []
        self.sourced = False
        self.drafts = 0  # loops whose first pass is under way
        self.has_unfinished_loop = False  # a loop in such a pass that needs a second one

    @property
    def scope(self) -> Scope:
        """The variables where the run stands."""
        return self.expander.scope

    @scope.setter
    def scope(self, scope: Scope) -> None:
        self.expander.scope = scope

    def missing(self, name: str) -> Variable:
        """A variable that only some branches set."""
        return unknown(name) if self.sourced else UNSET

    def join(
        self, base: Scope, ways: list[Scope], place: Placed, what: str = "", *, local: Collection[str] = ()
    ) -> Scope:
        """Bring `base` to where it stands after a decision; `what` tells apart decisions of one place."""
        pieces = sum(len(variable.atoms) for way in ways for variable in way.own.values())
        self.output.step(1 + pieces // 8)
        line, column = place.source.point(place.offset(0))
        name = f"{line}:{column} {what}" if what else f"{line}:{column}"
        return join_scopes(base, list(dict.fromkeys(ways)), name, self.missing, local)

    def run(self, sequence: Sequence) -> int:
        """Follow chains one after the other; how the last one ends."""
        status = SUCCEEDS
        for chain in sequence.chains:
            if not self.scope.alive or self.output.is_exhausted:
                break
            status = self._chain(chain)
        return status

    def in_subshell(self, action: Callable[[], _Result]) -> _Result:
        """Follow something whose assignments are lost; an exit in it ends only itself."""
        outer = self.scope
        self.scope = outer.fork()
        result = action()
        self.scope = outer
        return result

    def _run_substitution(self, part: Substitution) -> None:
        if part.body.chains:
            self.in_subshell(lambda: self.run(part.body))

    def _set_default(self, name: Placed, atoms: tuple[Atom, ...]) -> None:
        self.scope.assign(name.text, Variable(atoms=atoms))
        self.output.add(read_setting(name, atoms, EnvOperation.DEFAULT))

    def _chain(self, chain: Chain) -> int:
        if chain.background:
            return self.in_subshell(lambda: self._links(chain))
        if not chain.links:
            return self._pipeline(chain.pipelines[0])
        return self._links(chain)

    def _links(self, chain: Chain) -> int:
        """`a && b || c`: what happens after success and after failure is followed apart."""
        base = self.scope
        self.scope = base.fork()
        status = self._pipeline(chain.pipelines[0])
        ways = _Ways(self.scope, status)
        name, means_empty = pipeline_tests(chain.pipelines[0])
        emptied: Scope | None = None
        for index, (link, pipeline) in enumerate(zip(chain.links, chain.pipelines[1:], strict=True)):
            entering = ways.take(link)
            if not entering:
                continue
            before = entering[0]
            if len(entering) > 1:
                before = self.join(base.fork(), entering, pipeline.place, "link")
            self.scope = before.fork()
            status = self._pipeline(pipeline)
            if index == 0 and means_empty == (link == "&&"):
                emptied = self.scope
            ways.put(self.scope, status)
        ends = list(dict.fromkeys([*ways.successes, *ways.failures]))
        if emptied in ends:
            _settle_default(base, ends, name, ends.index(emptied))
        self.scope = self.join(base, ends or [self.scope], chain.pipelines[-1].place, "chain")
        return (SUCCEEDS if ways.successes else 0) | (FAILS if ways.failures else 0) or EITHER

    def _pipeline(self, pipeline: Pipeline) -> int:
        commands = pipeline.commands
        if not commands:
            return SUCCEEDS
        if len(commands) == 1:
            status = self.command(commands[0], timed=pipeline.timed)
        else:
            status = EITHER
            stdin: tuple[Atom, ...] | None = None
            for command in commands:
                status = self._piped(command, stdin, timed=pipeline.timed)
                stdin = self._output_of(command)
        if pipeline.negated:
            status = {SUCCEEDS: FAILS, FAILS: SUCCEEDS}.get(status, status)
        return status

    def _piped(self, command: Command, stdin: tuple[Atom, ...] | None, *, timed: bool) -> int:
        return self.in_subshell(lambda: self.command(command, timed=timed, stdin=stdin))

    def _output_of(self, command: Command) -> tuple[Atom, ...] | None:
        return piped_text(command, self.expander) if isinstance(command, Simple) else None

    def command(self, command: Command, *, timed: bool = False, stdin: tuple[Atom, ...] | None = None) -> int:
        """Follow one command; how it may end."""
        if isinstance(command, Simple):
            run_simple(self, command, stdin, ("time",) if timed else ())
            return self._simple_status(command)
        if isinstance(command, Function):
            self.functions.define(command.name, command.body)
            return SUCCEEDS
        self._redirects(command)
        return self._compound(command)

    def _compound(self, command: Group | If | Case | For | While | Test) -> int:
        match command:
            case Group():
                return self._group(command)
            case If():
                return self._if(command)
            case Case():
                return self._case(command)
            case For():
                return run_for(self, command)
            case While():
                return run_while(self, command)
            case Test():
                self.expander.all_words(command.words)
                if not command.words:
                    self.expander.change_numbers(command.place.text)
        return EITHER

    def _redirects(self, command: Group | If | Case | For | While | Test) -> None:
        for redirect in command.redirects:
            self.expander.atoms(redirect.word)

    def _simple_status(self, command: Simple) -> int:
        if not command.words:
            words = [assignment.word for assignment in command.assignments]
            return EITHER if any(_runs(word) for word in words) else SUCCEEDS
        name = command.words[0].literal or ""
        return SUCCEEDS if name in _CONSTANT_BUILTINS else constant_status(command)

    def _group(self, group: Group) -> int:
        if group.subshell:
            return self.in_subshell(lambda: self.run(group.body))
        return self.run(group.body)

    def _if(self, node: If) -> int:
        base = self.scope
        self.scope = base.fork()
        ends: list[Scope] = []
        tested: tuple[str, int] = ("", 0)
        for condition, body in node.arms:
            status = self.run(condition)
            before = self.scope
            if status & SUCCEEDS and before.alive:
                name, means_empty = tested_name(condition)
                if name and len(node.arms) == 1:
                    tested = (name, 0 if means_empty else 1)
                ends.append(self._branch(before, body))
            self.scope = before
            if not status & FAILS or not before.alive:
                break
        else:
            before = self.scope
            ends.append(self._branch(before, node.otherwise) if node.otherwise else before)
        if tested[0] and len(ends) > tested[1]:
            _settle_default(base, ends, *tested)
        self.scope = self.join(base, ends or [self.scope], node.place)
        return EITHER

    def _branch(self, before: Scope, body: Sequence) -> Scope:
        """The scope at the end of a body that starts from `before`."""
        self.scope = before.fork()
        self.run(body)
        return self.scope

    def _case(self, node: Case) -> int:
        self.expander.atoms(node.subject)
        base = self.scope
        ends: list[Scope] = []
        for index, arm in enumerate(node.arms):
            self.scope = base.fork()
            self.run(arm.body)
            following = index
            while node.arms[following].falls and following + 1 < len(node.arms) and self.scope.alive:
                following += 1
                self.run(node.arms[following].body)
            ends.append(self.scope)
        if not any(_matches_all(pattern) for arm in node.arms for pattern in arm.patterns):
            ends.append(base.fork())
        self.scope = self.join(base, ends or [base], node.place)
        return EITHER


class _Ways:
    """The scopes in which a chain has succeeded and failed so far."""

    def __init__(self, scope: Scope, status: int) -> None:
        self.successes: list[Scope] = []
        self.failures: list[Scope] = []
        self.put(scope, status)

    def take(self, link: str) -> list[Scope]:
        """The scopes from which the right side of `&&` or `||` is entered; they leave the ways."""
        taken = self.successes if link == "&&" else self.failures
        if link == "&&":
            self.successes = []
        else:
            self.failures = []
        return taken

    def put(self, scope: Scope, status: int) -> None:
        """Add how a pipeline ended; a dead scope ends the chain."""
        if not scope.alive:
            return
        if status & SUCCEEDS:
            self.successes.append(scope)
        if status & FAILS:
            self.failures.append(scope)


def _settle_default(base: Scope, ways: list[Scope], name: str, index: int) -> None:
    """`[ -z "$x" ] && x=text`: the text is x's default, unless the file has set x before."""
    before = base.get(name)
    text = ways[index].get(name)
    if text is None or not ways[index].alive or name not in ways[index].changed(base):
        return
    if before is None or (
        before.atoms and all(atom.text is None or atom.replaceable for atom in before.atoms)
    ):
        default = replaceable(text)
        for way in ways:
            way.assign(name, default)
    elif before.atoms and all(
        atom.text is not None and atom.text.text and not atom.guard for atom in before.atoms
    ):
        for way in ways:
            way.assign(name, before)


def _runs(word: WordText | None) -> bool:
    return word is not None and any(isinstance(part, Substitution) for part in word.parts)


def _matches_all(pattern: WordText) -> bool:
    return (
        all(isinstance(part, Literal) and not part.quoted for part in pattern.parts)
        and pattern.literal == "*"
    )
