"""An entry of one of our files: places of its keys, and what benchmarks and stages read in the same way."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfgate.core.errors import UsageError
from perfgate.measure.benchmark import CompileSource, RuntimeSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.config.typed_yaml import Document
    from perfgate.measure.config_schema import CompileEntry, InputEntry, RuntimeEntry


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """The entry at a location of a document; paths in it are relative to the file's folder."""

    document: Document[Any]
    location: tuple[str | int, ...] = ()

    def below(self, *location: str | int) -> EntryPlace:
        """A part of the entry."""
        return EntryPlace(self.document, (*self.location, *location))

    def where(self, *location: str | int) -> str:
        """The place of a key of this entry, or the entry's own."""
        return self.document.where(*self.location, *location)

    def path(self, path: str, *location: str | int) -> str:
        """A path relative to the file as one relative to the root.

        Raises:
            UsageError: it leads outside.
        """
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(self.document.path), path))
        if posixpath.isabs(path) or joined == ".." or joined.startswith("../"):
            what = f"the path {path!r} leaves the repository"
            raise UsageError(what, self.where(*location), "name a file inside the repository")
        return joined

    def shapes(self, inputs: Mapping[str, InputEntry], bind: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        """Shapes by input, symbols bound.

        Raises:
            UsageError: a symbol is not bound.
        """
        return {name: self._shape(name, entry, bind) for name, entry in inputs.items()}

    def _shape(self, name: str, entry: InputEntry, bind: Mapping[str, int]) -> tuple[int, ...]:
        sizes = []
        for index, text in enumerate(entry.shape):
            size = bind.get(text, int(text) if text.isdecimal() else None)
            if size is None:
                what = f"the dimension {text!r} of input {name!r} is not bound"
                place = self.where("inputs", name, "shape", index)
                raise UsageError(what, place, f"add `bind: {{{text}: 1}}`, or write a number")
            sizes.append(size)
        return tuple(sizes)

    def compile(self, entry: CompileEntry | None) -> CompileSource:
        """Where the flags come from.

        Raises:
            UsageError: from two places, or from outside.
        """
        if entry is None:
            return CompileSource()
        if entry.from_ is not None and entry.flags:
            remedy = "keep `from` (the repository's own command) or `flags`"
            raise UsageError("both `from` and `flags`", self.where("compile"), remedy)
        path = None if entry.from_ is None else self.path(entry.from_, "compile", "from")
        return CompileSource(
            path=path,
            program=entry.command,
            match=entry.match,
            require_resolved=tuple(entry.require_resolved),
            flags=entry.flags,
        )

    def runtime(self, entry: RuntimeEntry | None) -> RuntimeSource:
        """Where the keys come from.

        Raises:
            UsageError: from two places, or from outside.
        """
        if entry is None:
            return RuntimeSource()
        if entry.from_ is not None and entry.values:
            raise UsageError("both `from` and `values`", self.where("runtime"), "keep one of them")
        path = None if entry.from_ is None else self.path(entry.from_, "runtime", "from")
        return RuntimeSource(path=path, key=entry.key, values=entry.values)
