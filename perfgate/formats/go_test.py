"""Go's `go test -bench -count=N`: the text, or the stream of `go test -json`.

A line is one sample. The lines of one package section are one process; the same package again further down
(`go test` called twice into one file) is another. The format is golang.org/design/14313-benchmark-format.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.core.metric import Direction, Kind
from perfgate.formats.node import REMEDY
from perfgate.formats.series import Collection, Series, Status
from perfgate.formats.unit_text import Scale, metric_name, scale_of

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.series import Results

TOOL = "go-test"
_RESULT = re.compile(r"(Benchmark\S*)\s+(\d+)\s+(.+)")
_HEADER = re.compile(r"(goos|goarch|pkg|cpu): (.+)")
_UNIT = re.compile(r"Unit (\S+) (.*\bbetter=(higher|lower)\b.*)")
_ENDED = re.compile(r"\s*--- (FAIL|SKIP): (Benchmark\S*)")
_FAILED_PACKAGE = re.compile(r"FAIL\t(\S+)")
_USUAL = {"ns/op": "latency", "MB/s": "bandwidth", "B/op": "allocated_bytes", "allocs/op": "allocations"}


def recognises(document: Document) -> bool:
    """A header or a result line, also inside the `Output` of a stream of events."""
    if document.rows:
        return document.rows[0].has("Action", "Package")
    lines = (line for line in document.lines if _HEADER.match(line) or _RESULT.match(line))
    first = next(lines, None)
    return first is not None and (_HEADER.match(first) is not None or _pairs(first) is not None)


def read(document: Document) -> Results:
    """Every benchmark of the file by package and name, with the processor suffix that Go prints."""
    lines = _Lines(document.path)
    for number, line in _numbered_lines(document):
        lines.take(number, line)
    return lines.results()


def _numbered_lines(document: Document) -> list[tuple[int, str]]:
    if not document.rows:
        return list(enumerate(document.lines, 1))
    # An event may hold part of a line only, and packages take turns: put together each on its own.
    outputs: dict[str, list[str]] = {}
    for row in document.rows:
        if row.member("Action").text() == "output":
            package = row.get("Package")
            name = "" if package is None else package.text()
            outputs.setdefault(name, []).append(row.member("Output").text())
    texts = ["".join(parts) for parts in outputs.values()]
    return [(0, line) for text in texts for line in text.splitlines()]


def _pairs(line: str) -> list[tuple[float, str]] | None:
    """Values and units of a result line, None when it is none (a log line that begins like one)."""
    match = _RESULT.match(line)
    if match is None:
        return None
    words = match[3].split()
    if len(words) % 2 or not words:
        return None
    try:
        return [(float(value), unit) for value, unit in zip(words[::2], words[1::2], strict=True)]
    except ValueError:
        return None


class _Lines:
    """The lines so far: results by benchmark, unit and process, and what the headers said."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._found = Collection(path)
        self._samples: dict[tuple[str, str], dict[int, list[float]]] = {}
        self._headers: dict[str, str] = {}
        self._better: dict[str, str] = {}
        self._section = 0
        self._is_in_results = False

    def take(self, number: int, line: str) -> None:
        """One line of the file."""
        header, unit, ended = _HEADER.match(line), _UNIT.match(line), _ENDED.match(line)
        failed = _FAILED_PACKAGE.match(line)
        if header is not None:
            # The headers of a section stand before its results: after results another process begins.
            self._section += self._is_in_results
            self._is_in_results = False
            self._headers[header[1]] = header[2].strip()
        elif unit is not None:
            self._better[unit[1]] = unit[3]
        elif ended is not None:
            status = Status.FAILED if ended[1] == "FAIL" else Status.SKIPPED
            self._found.leave_out(self._name(ended[2]), status, f"go test says {ended[1]}")
        elif failed is not None:
            self._found.leave_out(failed[1], Status.FAILED, "go test says that the package failed")
        elif _RESULT.match(line):
            self._take_result(number, line)

    def _take_result(self, number: int, line: str) -> None:
        pairs = _pairs(line)
        if pairs is None:
            what = "a benchmark line without pairs of value and unit"
            raise UnusableError(what, f"{self._path}:{number}" if number else self._path, REMEDY)
        self._is_in_results = True
        name = self._name(line.split(maxsplit=1)[0])
        for value, unit in pairs:
            runs = self._samples.setdefault((name, unit), {})
            runs.setdefault(self._section, []).append(value)

    def results(self) -> Results:
        """What the lines held."""
        for (name, unit), runs in self._samples.items():
            scale = self._scale(unit)
            if scale is None:
                reason = (
                    f"{unit}: which way is better is not in the file; add a line 'Unit {unit} better=lower'"
                )
                self._found.leave_out(name, Status.NOT_READ, reason)
                continue
            metric = scale.metric(_USUAL.get(unit) or metric_name(unit))
            samples = tuple(tuple(value * scale.factor for value in run) for run in runs.values())
            self._found.add(Series(benchmark=name, metric=metric, runs=samples))
        goos, goarch = self._headers.get("goos", ""), self._headers.get("goarch", "")
        return self._found.results(
            TOOL,
            context={"cpu_model": self._headers.get("cpu", ""), "os_release": goos},
            platform="-".join(part for part in (goos, goarch) if part),
        )

    def _scale(self, unit: str) -> Scale | None:
        known, said = scale_of(unit), self._better.get(unit)
        if said is None:
            return known
        direction = Direction(said)
        if known is None:
            return Scale(unit=unit, factor=1.0, direction=direction, kind=Kind.SAMPLED)
        return Scale(unit=known.unit, factor=known.factor, direction=direction, kind=known.kind)

    def _name(self, benchmark: str) -> str:
        package = self._headers.get("pkg", "")
        return f"{package}.{benchmark}" if package else benchmark
