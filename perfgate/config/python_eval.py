"""Expressions of a Python file to values, as far as this one file tells them.

Nothing is run: literals, names, text operations and calls of functions of the file itself are followed;
whatever else stands there is not known.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision
from perfgate.config.python_names import ENVIRON, Imports, Names, dotted
from perfgate.config.python_text import Hole, PythonCode, is_text
from perfgate.config.python_texts import path_joined, percent_formatted
from perfgate.config.python_values import (
    Entry,
    Item,
    Items,
    PythonValue,
    Table,
    Text,
    Unknown,
    guarded,
    is_number,
    items_of,
    known_text,
    listed,
    merged,
    named,
    piece_text,
    pieces_of,
    replaceable,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.embedded import TextPiece
    from perfgate.config.spans import Placed

MAX_DEPTH = 60  # of one expression; deeper ones are not known
MAX_DIGITS = 100  # of a number that is calculated with
MAX_CASES = 32  # of one decision, GUARDRAILS section 3.1


class Evaluator:
    """Values of the expressions of one piece of code; calls are told by `call`."""

    def __init__(
        self, code: PythonCode, imports: Imports, call: Callable[[ast.Call, Names], PythonValue]
    ) -> None:
        self.code = code
        self.imports = imports
        self._call = call
        self._depth = 0
        self._methods: dict[type[ast.expr], Callable[[ast.expr, Names], PythonValue]] = {
            ast.Constant: self._constant,
            ast.JoinedStr: self._formatted,
            ast.List: self._sequence,
            ast.Tuple: self._sequence,
            ast.Set: self._sequence,
            ast.Name: self._name,
            ast.Attribute: self._name,
            ast.BinOp: self._operation,
            ast.BoolOp: self._either,
            ast.IfExp: self._choice,
            ast.Dict: self._table,
            ast.Subscript: self._element,
            ast.ListComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.NamedExpr: self._assigned,
            ast.Await: self._inner,
            ast.Call: self._called,
        }

    def value(self, node: ast.expr, names: Names) -> PythonValue:
        """What the expression is known to be."""
        method = self._methods.get(type(node))
        if method is None or self._depth > MAX_DEPTH:
            return Unknown(source=self.source(node))
        self._depth += 1
        try:
            return method(node, names)
        finally:
            self._depth -= 1

    def source(self, node: ast.expr) -> str:
        """The expression as written, for messages."""
        return " ".join(self.code.place(node).text.split())[:80]

    def unknown(self, source: str) -> Text:
        """A text that the file does not tell."""
        return text_of(Unknown(source=source))

    def decision(self, node: ast.expr | ast.stmt, outcomes: int) -> Decision:
        """The decision that a node takes."""
        span = self.code.place(node).span()
        return Decision(place=f"{span.line}:{span.column}", outcomes=outcomes)

    def pieces(self, node: ast.expr, names: Names) -> tuple[TextPiece, ...]:
        """The expression as part of a text."""
        return pieces_of(self.value(node, names), self.code.place(node))

    def _constant(self, node: ast.expr, _names: Names) -> PythonValue:
        if is_text(node):
            return piece_text([part for part in self.code.literal(node) if not isinstance(part, Hole)])
        value = node.value if isinstance(node, ast.Constant) else None
        return known_text(self.code.place(node).standing_for(str(value)), kind=type(value).__name__)

    def _formatted(self, node: ast.expr, names: Names) -> PythonValue:
        pieces: list[TextPiece] = []
        for part in self.code.literal(node):
            if not isinstance(part, Hole):
                pieces.append(part)
            elif part.expression is None:
                pieces += pieces_of(Unknown(source=part.place.text.strip("{}")), part.place)
            else:
                pieces += pieces_of(named(self.value(part.expression, names)), part.place)
        return piece_text(pieces)

    def _sequence(self, node: ast.expr, names: Names) -> PythonValue:
        items: list[Item] = []
        for element in getattr(node, "elts", ()):
            if isinstance(element, ast.Starred):
                items += items_of(self.value(element.value, names))
            else:
                items.append(Item(value=self.value(element, names), place=self.code.place(element)))
        return Items(items=tuple(items))

    def variable(self, node: ast.expr) -> str:
        """The key under which names keep the expression; empty if it is no name."""
        return ENVIRON if self.imports.full_name(node) == ENVIRON else dotted(node)

    def _name(self, node: ast.expr, names: Names) -> PythonValue:
        text = self.variable(node)
        if text == ENVIRON:
            return environment(names)
        found = names.get(text) if text else None
        return Unknown(source=text or self.source(node)) if found is None else found

    def _operation(self, node: ast.expr, names: Names) -> PythonValue:
        if not isinstance(node, ast.BinOp):
            return Unknown(source=self.source(node))
        left, right = self.value(node.left, names), self.value(node.right, names)
        if is_number(left) or is_number(right):
            return self._calculated(node, left, right)
        if isinstance(node.op, ast.Add):
            return self.added(left, right, (self.code.place(node.left), self.code.place(node.right)))
        return self._other_operation(node, left, right)

    def _other_operation(self, node: ast.BinOp, left: PythonValue, right: PythonValue) -> PythonValue:
        """`template % values`, `folder / file`, `table | table`."""
        place = self.code.place(node)
        if isinstance(node.op, ast.Mod) and isinstance(left, Text):
            return percent_formatted(left, right, place)
        if isinstance(node.op, ast.Div) and (isinstance(left, Text) or isinstance(right, Text)):
            parts = [(left, self.code.place(node.left)), (right, self.code.place(node.right))]
            return path_joined(parts, place.cut(0, 0))
        if isinstance(node.op, ast.BitOr) and isinstance(left, Table) and isinstance(right, Table):
            return joined_tables(left, right)
        return Unknown(source=self.source(node))

    def _calculated(self, node: ast.BinOp, left: PythonValue, right: PythonValue) -> PythonValue:
        """A sum or product of whole numbers, and `text % number`; other arithmetic is not known."""
        if isinstance(node.op, ast.Mod) and isinstance(left, Text) and not is_number(left):
            return percent_formatted(left, right, self.code.place(node))
        operation = {ast.Add: int.__add__, ast.Sub: int.__sub__, ast.Mult: int.__mul__}.get(type(node.op))
        numbers = [value.known for value in (left, right) if isinstance(value, Text) and value.kind == "int"]
        known = [int(number) for number in numbers if number is not None and len(number) < MAX_DIGITS]
        if operation is None or len(known) < 2:  # noqa: PLR2004 - both sides
            return Unknown(source=self.source(node))
        return known_text(self.code.place(node).standing_for(str(operation(*known))), kind="int")

    def added(self, left: PythonValue, right: PythonValue, places: tuple[Placed, Placed]) -> PythonValue:
        """`left + right`."""
        if isinstance(left, Items) or isinstance(right, Items):
            return listed(items_of(left) + items_of(right))
        if is_number(left) or is_number(right):
            return Unknown(source="a sum")
        if isinstance(left, Text) or isinstance(right, Text):
            return piece_text([*pieces_of(left, places[0]), *pieces_of(right, places[1])])
        return Unknown(source="a sum")

    def _either(self, node: ast.expr, names: Names) -> PythonValue:
        """`a or b`: an unknown `a` is replaced by `b` when it is empty; `a and b` is not known."""
        if not isinstance(node, ast.BoolOp):
            return Unknown(source=self.source(node))
        values = [self.value(operand, names) for operand in node.values]
        if isinstance(node.op, ast.And):
            last = values[-1]
            empty: PythonValue = (
                Items(items=()) if isinstance(last, Items) else Unknown(source=self.source(node))
            )
            return merged([last, empty], self.decision(node, 2), self.source(node))
        for value in values[:-1]:
            if isinstance(value, Text) and value.known and not value.is_none:
                return value
            if isinstance(value, Items) and value.items:
                return value
        return _default(values)

    def _choice(self, node: ast.expr, names: Names) -> PythonValue:
        if not isinstance(node, ast.IfExp):
            return Unknown(source=self.source(node))
        ways = [self.value(node.body, names), self.value(node.orelse, names)]
        return merged(ways, self.decision(node, 2), self.source(node))

    def _table(self, node: ast.expr, names: Names) -> PythonValue:
        result = Table()
        if not isinstance(node, ast.Dict):
            return Unknown(source=self.source(node))
        for key, value_node in zip(node.keys, node.values, strict=True):
            value = self.value(value_node, names)
            if key is None:
                more = value if isinstance(value, Table) else Table(is_open=True)
                result = joined_tables(result, more)
                continue
            place = self.key(key, names)
            more = (
                Table(is_open=True)
                if place is None
                else Table(entries=(Entry(key=place, value=named(value)),))
            )
            result = joined_tables(result, more)
        return result

    def key(self, node: ast.expr, names: Names) -> Placed | None:
        """The known text of a key, where it is written."""
        value = self.value(node, names)
        known = value.known if isinstance(value, Text) else None
        if known is None:
            return None
        place = self.code.place(node)
        exact = value.atoms[0].text if isinstance(value, Text) and is_text(node) else None
        return exact if exact is not None and exact.text == known else place.standing_for(known)

    def _element(self, node: ast.expr, names: Names) -> PythonValue:
        if not isinstance(node, ast.Subscript):
            return Unknown(source=self.source(node))
        whole = self.value(node.value, names)
        if isinstance(whole, Items):
            return self._part(whole, node)
        if isinstance(whole, Table):
            return self._looked_up(whole, node, names)
        return Unknown(source=self.source(node))

    def _part(self, whole: Items, node: ast.Subscript) -> PythonValue:
        index = _literal_index(node.slice)
        plain = all(not item.is_open and len(item.guards) == 1 and not item.guards[0] for item in whole.items)
        if isinstance(index, slice) and plain:
            return Items(items=whole.items[index])
        if isinstance(index, int) and plain and -len(whole.items) <= index < len(whole.items):
            return whole.items[index].value
        if index is None and plain and 0 < len(whole.items) <= MAX_CASES:
            ways = [item.value for item in whole.items]
            return merged(ways, self.decision(node, len(ways)), self.source(node))
        return Unknown(source=self.source(node))

    def _looked_up(self, whole: Table, node: ast.Subscript, names: Names) -> PythonValue:
        key = self.key(node.slice, names)
        if key is not None:
            # what a watched variable held before is asked for to keep it: the setting adds to it
            found = (
                None
                if whole.is_environment and key.text in key.source.watch.variables
                else whole.get(key.text)
            )
            return Unknown(source=key.text) if found is None else found
        ways = [entry.value for entry in whole.entries]
        if whole.is_environment or whole.is_open or not 0 < len(ways) <= MAX_CASES:
            return Unknown(source=self.source(node))
        return merged(ways, self.decision(node, len(ways)), self.source(node))

    def _comprehension(self, node: ast.expr, names: Names) -> PythonValue:
        if not isinstance(node, ast.ListComp | ast.GeneratorExp) or len(node.generators) != 1:
            return Items(items=items_of(Unknown(source=self.source(node))))
        loop = node.generators[0]
        cases = self.cases(loop.iter, names)
        if cases is None:
            return Items(items=items_of(Unknown(source=self.source(node))))
        items: list[Item] = []
        for index, case in enumerate(cases):
            inner = Names(names)
            self.bind(loop.target, case, inner)
            item = Item(value=named(self.value(node.elt, inner)), place=self.code.place(node.elt))
            kept: PythonValue = Items(items=(item,))
            if loop.ifs:
                place = self.decision(loop.ifs[0], 2)
                kept = guarded(kept, (Decision(place=f"{place.place}.{index}", outcomes=2), 0))
            items += items_of(kept)
        return Items(items=tuple(items))

    def cases(self, node: ast.expr, names: Names) -> list[PythonValue] | None:
        """The values a loop goes through, or None when the file does not tell them all."""
        value = self.value(node, names)
        if isinstance(value, Table) and not value.is_open and not value.is_environment:
            return [named(known_text(entry.key)) for entry in value.entries]
        if not isinstance(value, Items) or any(item.is_open for item in value.items):
            return None
        if any(guard for item in value.items for guard in item.guards):
            return None
        return [named(item.value) for item in value.items]

    def bind(self, target: ast.expr, value: PythonValue, names: Names) -> None:
        """Give a value to a name, or its elements to several names."""
        if isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, names)
            return
        if isinstance(target, ast.Starred):
            target = target.value
        name = self.variable(target)
        if name:
            names.own[name] = named(value)

    def _unpack(self, targets: list[ast.expr], value: PythonValue, names: Names) -> None:
        items = value.items if isinstance(value, Items) else ()
        exact = len(items) == len(targets) and not any(isinstance(target, ast.Starred) for target in targets)
        for index, target in enumerate(targets):
            part = items[index].value if exact else Unknown(source=self.source(target))
            self.bind(target, part, names)

    def _assigned(self, node: ast.expr, names: Names) -> PythonValue:
        if not isinstance(node, ast.NamedExpr):
            return Unknown(source=self.source(node))
        value = self.value(node.value, names)
        self.bind(node.target, value, names)
        return named(value)

    def _inner(self, node: ast.expr, names: Names) -> PythonValue:
        inside = getattr(node, "value", None)
        return (
            self.value(inside, names) if isinstance(inside, ast.expr) else Unknown(source=self.source(node))
        )

    def _called(self, node: ast.expr, names: Names) -> PythonValue:
        return self._call(node, names) if isinstance(node, ast.Call) else Unknown(source=self.source(node))


def joined_tables(left: Table, right: Table) -> Table:
    """`{**left, **right}`: the later entry of a key counts."""
    return Table(
        entries=left.entries + right.entries,
        is_open=left.is_open or right.is_open,
        is_environment=left.is_environment or right.is_environment,
    )


def environment(names: Names) -> Table:
    """What the file has put into `os.environ` so far."""
    known = names.get(ENVIRON)
    return known if isinstance(known, Table) else Table(is_open=True, is_environment=True)


def _default(values: list[PythonValue]) -> PythonValue:
    last, first = values[-1], values[0]
    if isinstance(first, Text) and (first.is_none or first.known == ""):
        return last
    if isinstance(last, Items) and isinstance(first, Unknown):
        more = Item(value=first, is_open=True)
        return Items(items=(*items_of(replaceable(last)), more)) if last.items else Items(items=(more,))
    return replaceable(last) if isinstance(last, Text) and not last.is_none else first


def _literal_index(node: ast.expr) -> int | slice | None:
    try:
        if isinstance(node, ast.Slice):
            ends = [
                None if end is None else ast.literal_eval(end) for end in (node.lower, node.upper, node.step)
            ]
            return slice(*ends) if all(end is None or isinstance(end, int) for end in ends) else None
        index = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    return index if isinstance(index, int) else None
