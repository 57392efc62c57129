"""Statements of a Python file in order: what each variable holds where, on every way through the code.

Loops over a literal list are followed through all their rounds for what holds behind them; inside, the loop
variable stands for all its values at once. Other loops may run or not.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

from perfgate.config.python_assign import assignment, augment, forget_changed, mutate, open_growth, store
from perfgate.config.python_names import Names, dotted
from perfgate.config.python_values import PythonValue, Unknown, merged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.python_eval import Evaluator

MAX_STEPS = 10_000  # statements followed silently: rounds of loops, bodies of called functions
MAX_ROUNDS = 32  # of one loop, GUARDRAILS section 3.1
MAX_NESTING = 40  # of blocks in one function
_ENDS = frozenset({"sys.exit", "exit", "quit", "os._exit", "os.abort"})

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_LoopNode = ast.For | ast.AsyncFor | ast.While
_Target = tuple[ast.expr, PythonValue] | None


class Observer(Protocol):
    """Is told what stands where, in the order of execution."""

    def expression(self, node: ast.expr, names: Names) -> None:
        """An expression that is evaluated here."""

    def element_set(self, target: ast.Subscript, value: ast.expr, names: Names, *, adds: bool) -> None:
        """`target = value`, or `target += value`."""

    def function(self, node: FunctionNode, names: Names) -> None:
        """A function is defined here; its body runs later."""

    def class_body(self, node: ast.ClassDef, names: Names) -> None:
        """A class is defined here."""


class Flow:
    """Runs blocks over names; without an observer silently, to learn what a block leaves behind."""

    def __init__(self, evaluator: Evaluator, observer: Observer | None, steps: int = 0) -> None:
        self._evaluator = evaluator
        self._observer = observer
        self._nesting = 0
        self.steps = steps
        self.returned: list[PythonValue] = []

    def block(self, statements: Sequence[ast.stmt], names: Names) -> bool:
        """Runs the statements; False when their end is never reached."""
        if self._nesting > MAX_NESTING:
            return True
        self._nesting += 1
        alive = all(self._statement(statement, names) for statement in statements)
        self._nesting -= 1
        return alive

    def _statement(self, node: ast.stmt, names: Names) -> bool:
        if self._observer is None:
            self.steps += 1
            if self.steps > MAX_STEPS:
                return True
        if isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break):
            return self._end(node, names)
        if isinstance(node, ast.Expr):
            return self._expression(node, names)
        if isinstance(node, ast.If | ast.Match | ast.Try | ast.TryStar | ast.With | ast.AsyncWith):
            return self._compound(node, names)
        if isinstance(node, _LoopNode):
            return self._loop_of(node, names)
        self._plain(node, names)
        return True

    def _see(self, node: ast.expr | None, names: Names) -> None:
        if node is not None and self._observer is not None:
            self._observer.expression(node, names)

    def _end(self, node: ast.Return | ast.Raise | ast.Continue | ast.Break, names: Names) -> bool:
        if isinstance(node, ast.Return) and node.value is not None:
            self._see(node.value, names)
            self.returned.append(self._evaluator.value(node.value, names))
        elif isinstance(node, ast.Raise):
            self._see(node.exc, names)
        return False

    def _expression(self, node: ast.Expr, names: Names) -> bool:
        self._see(node.value, names)
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if not isinstance(call, ast.Call):
            return True
        mutate(self._evaluator, call, names)
        return dotted(call.func) not in _ENDS

    def _plain(self, node: ast.stmt, names: Names) -> None:
        match node:
            case ast.Assign() | ast.AnnAssign():
                self._assign(node, names)
            case ast.AugAssign():
                self._augment(node, names)
            case ast.Assert():
                self._see(node.test, names)
            case ast.Delete():
                for target in node.targets:
                    self._evaluator.bind(target, Unknown(source=dotted(target)), names)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node, names)
            case ast.ClassDef():
                self._class(node, names)

    def _class(self, node: ast.ClassDef, names: Names) -> None:
        for expression in node.decorator_list:
            self._see(expression, names)
        if self._observer is not None:
            self._observer.class_body(node, names)

    def _augment(self, node: ast.AugAssign, names: Names) -> None:
        self._see(node.value, names)
        if isinstance(node.target, ast.Subscript) and self._observer is not None:
            self._observer.element_set(node.target, node.value, names, adds=True)
        augment(self._evaluator, node, names)

    def _assign(self, node: ast.Assign | ast.AnnAssign, names: Names) -> None:
        targets, value_node = assignment(node)
        if value_node is None:
            return
        self._see(value_node, names)
        value = self._evaluator.value(value_node, names)
        for target in targets:
            if isinstance(target, ast.Subscript) and self._observer is not None:
                self._observer.element_set(target, value_node, names, adds=False)
            store(self._evaluator, target, value, names)

    def _define(self, node: FunctionNode, names: Names) -> None:
        defaults = [default for default in node.args.kw_defaults if default is not None]
        for expression in (*node.decorator_list, *node.args.defaults, *defaults):
            self._see(expression, names)
        if self._observer is not None:
            self._observer.function(node, names)

    def _compound(self, node: ast.stmt, names: Names) -> bool:
        match node:
            case ast.If():
                return self._if(node, names)
            case ast.Match():
                return self._match(node, names)
            case ast.Try() | ast.TryStar():
                arms = [[*node.body, *node.orelse], *(handler.body for handler in node.handlers)]
                alive = self._ways(arms, names, node) if node.handlers else self.block(arms[0], names)
                return self.block(node.finalbody, names) and alive
            case ast.With() | ast.AsyncWith():
                return self._with(node, names)
        return True

    def _if(self, node: ast.If, names: Names) -> bool:
        arms: list[Sequence[ast.stmt]] = []
        current: ast.stmt = node
        rest: Sequence[ast.stmt] = ()
        while isinstance(current, ast.If):
            self._see(current.test, names)
            self._evaluator.value(current.test, names)  # binds what `:=` names
            arms.append(current.body)
            rest = current.orelse
            current = rest[0] if len(rest) == 1 else ast.Pass()
        if _is_main_guard(node.test) and not rest:
            return self.block(node.body, names)
        return self._ways([*arms, rest], names, node)

    def _match(self, node: ast.Match, names: Names) -> bool:
        self._see(node.subject, names)
        last = node.cases[-1]
        is_complete = (
            isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        )
        arms: list[Sequence[ast.stmt]] = [case.body for case in node.cases]
        return self._ways(arms if is_complete else [*arms, ()], names, node)

    def _with(self, node: ast.With | ast.AsyncWith, names: Names) -> bool:
        for item in node.items:
            self._see(item.context_expr, names)
            if item.optional_vars is not None:
                hidden = Unknown(source=self._evaluator.source(item.optional_vars))
                self._evaluator.bind(item.optional_vars, hidden, names)
        return self.block(node.body, names)

    def _ways(self, arms: Sequence[Sequence[ast.stmt]], names: Names, node: ast.stmt) -> bool:
        """Runs the arms of a decision and joins what those leave that come to their end."""
        living: list[Names] = []
        for arm in arms:
            fork = names.fork()
            if self.block(arm, fork):
                living.append(fork)
        self._join(living, names, node)
        return bool(living)

    def _join(self, living: list[Names], names: Names, node: ast.stmt) -> None:
        if not living:
            return
        decision = self._evaluator.decision(node, len(living))
        for name in dict.fromkeys(key for way in living for key in way.own):
            ways = [way.get(name) for way in living]
            names.own[name] = merged(ways, decision, name)

    def _loop_of(self, node: _LoopNode, names: Names) -> bool:
        if isinstance(node, ast.While):
            self._see(node.test, names)
            return self._loop(node, names, None)
        self._see(node.iter, names)
        cases = self._evaluator.cases(node.iter, names)
        if cases is None or not 0 < len(cases) <= MAX_ROUNDS:
            return self._loop(node, names, (node.target, Unknown(source=self._evaluator.source(node.target))))
        decision = self._evaluator.decision(node, len(cases))
        every = merged(cases, decision, self._evaluator.source(node.target))
        self._show(node, names, (node.target, every))
        for case in cases:
            if self.steps > MAX_STEPS:
                forget_changed(node.body, names)
                break
            self._evaluator.bind(node.target, case, names)
            self._run_silently(node.body, names)
        return self.block(node.orelse, names)

    def _loop(self, node: _LoopNode, names: Names, target: _Target) -> bool:
        """A loop whose rounds the file does not tell: its body may run or not."""
        self._show(node, names, target)
        after = names.fork()
        if target is not None:
            self._evaluator.bind(*target, after)
        self._run_silently(node.body, after)
        open_growth(names, after)
        self._join([after, names.fork()], names, node)
        return self.block(node.orelse, names)

    def _show(self, node: _LoopNode, names: Names, target: _Target) -> None:
        """Shows the body once; what an earlier round may have left counts from its start."""
        if self._observer is None:
            return
        earlier = names.fork()
        start = names.fork()
        for way in (earlier, start):
            if target is not None:
                self._evaluator.bind(*target, way)
        self._run_silently(node.body, earlier)
        self._join([start.fork(), earlier], start, node.body[0])
        if target is not None:
            self._evaluator.bind(*target, start)
        self.block(node.body, start)

    def _run_silently(self, statements: Sequence[ast.stmt], names: Names) -> None:
        silent = Flow(self._evaluator, None, self.steps)
        silent.block(statements, names)
        self.steps = silent.steps
        if self._observer is None:
            self.returned += silent.returned


def _is_main_guard(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == "__name__"
