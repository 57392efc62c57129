"""Where a kernel stands in the model, as a stack of frames: scopes, operator, kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfgate.report.export.short_name import UNNAMED, short_name
from perfgate.report.export.side import REST

if TYPE_CHECKING:
    from perfgate.core.execution_profile import KernelRow, OperatorRow
    from perfgate.report.export.side import Side

MAX_SCOPES = 40  # deeper ones share a frame; a name of nothing but dots would be a stack of thousands
NO_OPERATOR = "(program)"  # copies that no operator asked for
WAIT = "(wait)"
IDLE = "(idle)"


class Frame(NamedTuple):
    """A box of a flame graph; `where` is the whole path or the source place, as its name alone may repeat."""

    name: str
    where: str = ""


Stack = tuple[Frame, ...]


class Frames:
    """The stacks of a profile; with several programs each stack begins with its program."""

    def __init__(self, side: Side) -> None:
        self._operators = side.operators
        self._programs = [Frame(short_name(name)) for name in side.programs]

    def of_program(self, program: int) -> Stack:
        """What all stacks of a program begin with."""
        return (self._programs[program],) if len(self._programs) > 1 else ()

    def of_operator(self, row: KernelRow) -> Stack:
        """The stack above a kernel, where the wait before it counts too."""
        base = self.of_program(row.program)
        if row.kind == REST:
            return base
        operator = self._operators.get(row.owner)
        return (*base, Frame(NO_OPERATOR)) if operator is None else (*base, *_scopes(operator))

    def of_kernel(self, row: KernelRow) -> Stack:
        """The whole stack of a kernel."""
        operator = self._operators.get(row.owner)
        place = "" if operator is None else short_name(operator.place)
        return (*self.of_operator(row), Frame(kernel_label(row), place))


def kernel_label(row: KernelRow) -> str:
    """What runs: the operator type and the kernel's variant, and whether nobody asked for it."""
    if row.kind == REST:
        return f"{row.variant} not listed"
    words = dict.fromkeys([row.op or row.kind, row.variant])
    label = short_name(" ".join(word for word in words if word))
    return f"{label} (implicit)" if row.implicit else label


def _scopes(operator: OperatorRow) -> Stack:
    """Scopes from the outermost inwards; the operator's own name where it is not the innermost scope."""
    words = operator.scope.split(".", MAX_SCOPES - 1) if operator.scope else []
    paths = [".".join(words[: depth + 1]) for depth in range(len(words))]
    own = operator.name.removeprefix(f"{operator.scope}.") if operator.scope else operator.name
    if operator.name != operator.scope:
        words, paths = [*words, own], [*paths, operator.name]
    return tuple(
        Frame(short_name(word) or UNNAMED, short_name(path)) for word, path in zip(words, paths, strict=True)
    )
