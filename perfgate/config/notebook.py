"""Notebooks: code cells only, with `!` lines, `%env` settings and shell cells; never output or Markdown.

The Python cells of a notebook are read as one program, since a later cell sees the names of earlier ones.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from perfgate.config.broken import broken_at
from perfgate.config.docker_text import json_string
from perfgate.config.found import Found, merged
from perfgate.config.json_places import load_json
from perfgate.config.key_paths import BrokenTextError
from perfgate.config.notebook_lines import CellLines, ForeignLines
from perfgate.config.programs import base_name
from perfgate.config.python_calls import read_python
from perfgate.config.python_file import read_python_text
from perfgate.config.running import names_watched
from perfgate.config.shell import read_shell
from perfgate.config.spans import Placed, joined
from perfgate.config.wrappers import PYTHONS, SHELLS

if TYPE_CHECKING:
    from perfgate.config.json_places import JsonNode
    from perfgate.config.spans import Source

_SHELL_MAGICS = frozenset({"bash", "sh", "!", "sx", "system"})
_PYTHON_MAGICS = frozenset(
    {"time", "timeit", "capture", "prun", "memit", "mprun", "snakeviz", "pyinstrument"}
)
_OWN_PYTHON_MAGICS = frozenset({"python", "python3", "pypy"})


def read_notebook(source: Source) -> Found:
    """The facts of a notebook."""
    try:
        root = load_json(source.text)
    except BrokenTextError as error:
        return broken_at(source.span(error.offset, error.offset), error.reason)
    cells = _code_cells(source, root)
    language = _language(root)
    if language in SHELLS:
        return merged(read_shell(cell, context=f"cell {number}") for number, cell in cells)
    if language and language not in PYTHONS and language != "ipython":
        return Found()
    return _Reader(source).read(cells)


def _language(root: JsonNode) -> str:
    metadata = root.member("metadata")
    for holder, name in (("language_info", "name"), ("kernelspec", "language")):
        outer = metadata.member(holder) if metadata is not None else None
        found = outer.member(name) if outer is not None else None
        if found is not None and found.text:
            return found.text.lower()
    return ""


def _code_cells(source: Source, root: JsonNode) -> list[tuple[int, Placed]]:
    """The number and the text of each code cell, also of the older format with worksheets."""
    sheets = root.member("worksheets")
    holders = [root, *(sheets.items if sheets is not None else ())]
    cells = [
        cell for holder in holders if (found := holder.member("cells")) is not None for cell in found.items
    ]
    texts: list[tuple[int, Placed]] = []
    for number, cell in enumerate(cells, start=1):
        kind = cell.member("cell_type")
        text = cell.member("source") or cell.member("input")
        if kind is not None and kind.text == "code" and text is not None:
            parts = [item for item in (text, *text.items) if item.kind == "str"]
            placed = [json_string(source.whole(), part.start, part.end) for part in parts]
            texts.append((number, joined(placed, source.whole())))
    return texts


class _Reader:
    """Puts the Python cells together and reads the others at once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._python: list[Placed] = []
        self._foreign = ForeignLines()
        self._found: list[Found] = []

    def read(self, cells: list[tuple[int, Placed]]) -> Found:
        for number, cell in cells:
            first = cell.text.split("\n", 1)[0]
            if first.startswith("%%"):
                self._magic(number, cell, first)
            else:
                self._add(number, cell)
        if self._python:
            text = joined(self._python, self._python[0])
            self._found.append(read_python(text, self._foreign.read))
        return merged(self._found)

    def _magic(self, number: int, cell: Placed, first: str) -> None:
        """A cell whose first line says what reads the rest."""
        words = first[2:].split()
        name = words[0] if words else ""
        body = cell.cut(min(len(first) + 1, len(cell)), len(cell))
        if name == "script" and len(words) > 1:
            name = next((base_name(word) for word in words[1:] if not word.startswith("-")), "")
        if name in _SHELL_MAGICS or name in SHELLS:
            self._found.append(read_shell(body, context=f"cell {number}"))
        elif name in _PYTHON_MAGICS:
            self._add(number, body)
        elif name in _OWN_PYTHON_MAGICS:
            self._found.append(read_python_text(body))

    def _add(self, number: int, cell: Placed) -> None:
        """A Python cell; one that Python cannot read is left out, and the notebook is then incomplete."""
        text = CellLines(cell, self._foreign, f"cell {number}").python()
        try:
            ast.parse(text.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            if names_watched(cell):
                self._found.append(broken_at(cell.cut(0, 0).span(), "the cell is not Python"))
            return
        self._python += [text, cell.cut(len(cell), len(cell)).standing_for("\n")]
