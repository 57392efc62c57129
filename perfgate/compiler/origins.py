"""Collects the origins of kernels and the owners they refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.origin import (
    COLUMN_BITS,
    FILE_BITS,
    FLAG_BITS,
    LINE_BITS,
    MOST_COLUMN,
    Origin,
    SourceCode,
)
from perfgate.compiler.program import Owner
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from perfgate.compiler.workgraph import WorkGraph, WorkNode
    from perfgate.graph.ir import Node

_INLINE = "inline@"
_LOW = COLUMN_BITS + FLAG_BITS
_MOST_LINE = 1 << LINE_BITS


class OriginTable:
    """Origins by kernel, places packed with a table of files."""

    __slots__ = ("_files", "_graph", "_positions", "origins")

    def __init__(self, work: WorkGraph) -> None:
        self._graph = work.graph
        self._positions = work.positions
        self._files: dict[str, int] = {}
        self.origins: list[Origin] = []

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files, by number."""
        return tuple(self._files)

    def owners(self) -> tuple[Owner, ...]:
        """One owner per node of the model, in model order."""
        tensors = self._graph.tensors
        return tuple(
            [
                Owner(
                    node.index, node.name, node.op, node.scope, str(node.place),
                    tensors[node.outputs[0]].shape if node.outputs and node.outputs[0] in tensors else (),
                )
                for node in self._graph.nodes
            ]
        )  # fmt: skip

    def of(self, node: WorkNode) -> int:
        """The origin of a kernel grown out of one or more nodes of the model."""
        sources = node.sources
        steps = node.steps
        for source in sources:
            if _INLINE in source.scope:
                steps = (("graph", "inlined"), *steps)
                break
        if len(sources) == 1:
            origin = Origin((self._code(sources[0]),), (self._positions[id(sources[0])],), steps)
        else:
            places = dict.fromkeys([self._code(source) for source in sources])
            origin = Origin(tuple(places), tuple([self._positions[id(source)] for source in sources]), steps)
        self.origins.append(origin)
        return len(self.origins) - 1

    def owner(self, node: WorkNode) -> int:
        """Index of the node's owner: the first of the model's nodes behind it."""
        return self._positions[id(node.sources[0])]

    def of_owner(self, number: int, step: tuple[str, str]) -> int:
        """The origin of a copied model input or output, by the node that uses or makes it; -1 without one."""
        if number < 0:
            return -1
        node = self._graph.nodes[number]
        self.origins.append(Origin((self._code(node),), (), (step,)))
        return len(self.origins) - 1

    def _code(self, node: Node) -> int:
        place = node.place
        number = self._files.get(place.file)
        if number is None:
            number = self._files[place.file] = len(self._files)
        line, column = place.line, place.column
        if line < _MOST_LINE and number < 1 << FILE_BITS:
            return number << (LINE_BITS + _LOW) | line << _LOW | min(column, MOST_COLUMN) << FLAG_BITS
        try:
            return SourceCode(number, line, column).pack()
        except OverflowError as error:
            remedy = f"build the model from fewer than {1 << FILE_BITS} files of {_MOST_LINE} lines or nodes"
            raise UsageError(f"a source place is too large ({error})", str(place), remedy) from error
