"""Commands, settings and `torch.compile` calls of a Python file.

Each function is read once with its parameters unknown. Calls inside the file are followed only to learn what
a function returns, or to see what a helper runs that gets the whole command as its argument.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.config.found import Found
from perfgate.config.found import merged as merged_found
from perfgate.config.python_classes import class_names
from perfgate.config.python_eval import Evaluator, environment
from perfgate.config.python_flow import Flow, FunctionNode
from perfgate.config.python_functions import library_value, method_value
from perfgate.config.python_names import Imports, Names, dotted
from perfgate.config.python_parameters import bound_parameters, unknown_parameters
from perfgate.config.python_runs import Run, run_of
from perfgate.config.python_settings import call_settings, element_setting, table_settings
from perfgate.config.python_text import PythonCode
from perfgate.config.python_torch import PROGRAM, torch_command
from perfgate.config.python_values import PythonValue, Table, Unknown, merged, text_of
from perfgate.config.running import run_pieces, run_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.spans import Placed
    from perfgate.config.words import Atom

    ForeignLine = Callable[[Evaluator, Names, int], Found]

MAX_CALLS = 3  # calls inside of calls that are followed
MAX_NESTING = 150  # of one expression; Python itself reads not much more
FOREIGN_LINE = "perfgate_foreign_line"  # stands for a line that is not Python, with its number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Function:
    node: FunctionNode
    names: Names
    context: str
    is_method: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LocalCall:
    node: ast.Call
    names: Names
    function: _Function


def read_python(text: Placed, foreign_line: ForeignLine | None = None) -> Found:
    """The facts of Python source; `foreign_line` reads a notebook's shell or magic line by its number.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is not Python that can be read.
    """
    return _Reader(PythonCode(text), foreign_line).read()


class _Reader:
    """Follows the file and gathers what it runs and sets."""

    def __init__(self, code: PythonCode, foreign_line: ForeignLine | None) -> None:
        self._code = code
        self._evaluator = Evaluator(code, Imports(code.tree), self._call_value)
        self._foreign_line = foreign_line
        self._found: list[Found] = []
        self._functions: dict[str, _Function] = {}
        self._waiting: list[_Function] = []
        self._local_calls: list[_LocalCall] = []
        self._hidden_runs: set[ast.Call] = set()
        self._is_following = False
        self._depth = 0
        self._nesting = 0
        self._steps = 0
        self._context = ""
        self._class = ""

    def read(self) -> Found:
        module = Names()
        Flow(self._evaluator, self).block(self._code.tree.body, module)
        while self._waiting:
            function = self._waiting.pop(0)
            names = Names(function.names)
            names.own |= unknown_parameters(self._evaluator, function.node, names)
            self._context = function.context
            Flow(self._evaluator, self).block(function.node.body, names)
        self._follow_helpers()
        return _without_repeats(merged_found(self._found))

    # What Flow reports

    def expression(self, node: ast.expr, names: Names) -> None:
        """Looks for calls in an expression, inner ones first."""
        if self._nesting > MAX_NESTING or isinstance(node, ast.JoinedStr | ast.Constant):
            return
        self._nesting += 1
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            names = self._comprehension_names(node, names)
        for child in ast.iter_child_nodes(node):
            inner = child.value if isinstance(child, ast.keyword) else child
            if isinstance(inner, ast.expr):
                self.expression(inner, names)
        self._nesting -= 1
        if isinstance(node, ast.Call):
            self._call(node, names)
        elif isinstance(node, ast.Dict | ast.BinOp):
            self._environment_copy(node, names)

    def element_set(self, target: ast.Subscript, value: ast.expr, names: Names, *, adds: bool) -> None:
        """A setting, if the target is part of the environment."""
        if not self._is_following:
            self._found.append(element_setting(self._evaluator, target, value, names, adds=adds))

    def function(self, node: FunctionNode, names: Names) -> None:
        """Remembers a function for later."""
        context = f"{self._context}.{node.name}" if self._context else node.name
        function = _Function(node=node, names=names, context=context, is_method=bool(self._class))
        self._functions[node.name] = function
        if self._is_following:
            return
        self._waiting.append(function)
        for decorator in node.decorator_list:
            if (
                not isinstance(decorator, ast.Call)
                and self._evaluator.imports.full_name(decorator) == PROGRAM
            ):
                command = torch_command(self._evaluator, decorator, names, self._context)
                self._found.append(Found(commands=(command,)))

    def class_body(self, node: ast.ClassDef, names: Names) -> None:
        """Reads a class; its methods see the attributes that the class and `__init__` set."""
        outer_class, outer_context = self._class, self._context
        self._class = node.name
        self._context = f"{outer_context}.{node.name}" if outer_context else node.name
        body = Names(names)
        count = len(self._waiting)
        Flow(self._evaluator, self).block(node.body, body)
        methods = class_names(self._evaluator, node, body, names)
        for index in range(count, len(self._waiting)):
            waiting = self._waiting[index]
            self._waiting[index] = _Function(
                node=waiting.node,
                names=methods.get(waiting.node.name, body),
                context=waiting.context,
                is_method=True,
            )
            self._functions[waiting.node.name] = self._waiting[index]
        self._class, self._context = outer_class, outer_context

    def _comprehension_names(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, names: Names
    ) -> Names:
        inner = Names(names)
        for loop in node.generators:
            cases = self._evaluator.cases(loop.iter, inner)
            source = self._evaluator.source(loop.target)
            value: PythonValue = Unknown(source=source)
            if cases and len(cases) > 1:
                value = merged(cases, self._evaluator.decision(loop.target, len(cases)), source)
            elif cases:
                value = cases[0]
            self._evaluator.bind(loop.target, value, inner)
        return inner

    # Calls

    def _call(self, node: ast.Call, names: Names) -> None:
        name = self._evaluator.imports.full_name(node.func)
        if self._is_following:
            self._follow(node, names)
            return
        if name == PROGRAM:
            command = torch_command(self._evaluator, node, names, self._context)
            self._found.append(Found(commands=(command,)))
            return
        if name == FOREIGN_LINE and self._foreign_line is not None and isinstance(node.args[0], ast.Constant):
            self._found.append(self._foreign_line(self._evaluator, names, int(str(node.args[0].value))))
            return
        self._found.extend(call_settings(self._evaluator, node, names))
        if name == "dict":
            self._environment_copy(node, names)
        run = run_of(self._evaluator, node, names)
        if run is not None:
            self._run(run, node, names)
        function = self._local(node)
        if function is not None:
            call = _LocalCall(node=node, names=Names(names.outer, dict(names.own)), function=function)
            self._local_calls.append(call)

    def _run(self, run: Run, node: ast.Call, names: Names) -> None:
        variables = self._variables(node, names)
        found = Found()
        if run.words:
            found = run_words(run.words, variables, context=self._context)
        elif run.pieces:
            found = run_pieces(run.pieces, variables, context=self._context)
        if not (found.commands or found.env):
            self._hidden_runs.add(node)
        self._found.append(found)

    def _variables(self, node: ast.Call, names: Names) -> dict[str, tuple[Atom, ...]]:
        """The environment that the call hands on, as far as the file sets it."""
        table = environment(names)
        for keyword in node.keywords:
            value = self._evaluator.value(keyword.value, names) if keyword.arg == "env" else None
            table = value if isinstance(value, Table) else table
        return {entry.key.text: text_of(entry.value).atoms for entry in table.entries if not entry.guard}

    def _environment_copy(self, node: ast.expr, names: Names) -> None:
        """A copy of the environment with changes is a setting wherever it is handed to."""
        value = self._evaluator.value(node, names) if not self._is_following else None
        if isinstance(value, Table) and value.is_environment:
            self._found.extend(table_settings(value))

    # Functions of this file

    def _local(self, node: ast.Call) -> _Function | None:
        name = dotted(node.func)
        owner, _, last = name.rpartition(".")
        function = self._functions.get(last)
        if function is None or owner not in {"", "self", "cls", self._class}:
            return None
        return function if bool(owner) == function.is_method else None

    def _bound(self, call: _LocalCall) -> Names:
        names = Names(call.function.names)
        names.own |= bound_parameters(
            self._evaluator, call.function.node, call.node, call.names, is_method=call.function.is_method
        )
        return names

    def _call_value(self, node: ast.Call, names: Names) -> PythonValue:
        known = library_value(self._evaluator, node, names, self._evaluator.imports.full_name(node.func))
        if known is not None:
            return known
        function = self._local(node)
        if function is None or self._depth >= MAX_CALLS:
            return method_value(self._evaluator, node, names)
        self._depth += 1
        flow = Flow(self._evaluator, None, self._steps)
        flow.block(function.node.body, self._bound(_LocalCall(node=node, names=names, function=function)))
        self._steps = flow.steps
        self._depth -= 1
        source = self._evaluator.source(node)
        if not flow.returned:
            return Unknown(source=source)
        if len(flow.returned) == 1:
            return flow.returned[0]
        return merged(flow.returned, self._evaluator.decision(node, len(flow.returned)), source)

    def _follow_helpers(self) -> None:
        """Runs again, with what their callers hand over, the functions that ran something not known."""
        if not self._hidden_runs:
            return
        self._is_following = True
        for call in self._local_calls:
            self._follow_call(call)

    def _follow_call(self, call: _LocalCall) -> None:
        if self._depth >= MAX_CALLS:
            return
        self._depth += 1
        Flow(self._evaluator, self).block(call.function.node.body, self._bound(call))
        self._depth -= 1

    def _follow(self, node: ast.Call, names: Names) -> None:
        if node in self._hidden_runs:
            run = run_of(self._evaluator, node, names)
            if run is not None and run.words:
                self._found.append(run_words(run.words, {}, context=self._context))
            elif run is not None and run.pieces:
                self._found.append(run_pieces(run.pieces, context=self._context))
            return
        function = self._local(node)
        if function is not None:
            self._follow_call(_LocalCall(node=node, names=names, function=function))


def _without_repeats(found: Found) -> Found:
    """A setting that is handed to several calls, and a command that a helper runs twice, count once."""
    settings = {
        (setting.name, setting.span.line, setting.span.column): setting for setting in reversed(found.env)
    }
    return Found(
        commands=tuple(dict.fromkeys(found.commands)),
        env=tuple(settings.values())[::-1],
        notes=tuple(dict.fromkeys(found.notes)),
        incomplete=found.incomplete,
    )
