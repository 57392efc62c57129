"""`perfgate import`: other tools' result files become ordinary records; needs neither git nor suites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError, UsageError
from perfgate.core.machine import MUST_MATCH
from perfgate.formats.criterion import measured_files
from perfgate.formats.document import Document, read_file
from perfgate.formats.registry import AUTO, reader, recognise
from perfgate.formats.series import LeftOut, Results, Status
from perfgate.workflow.imported_record import Origin, imported_record
from perfgate.workflow.measuring import write_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from perfgate.core.record import Record
    from perfgate.formats.series import Series

UNNAMED = "imported"  # the device of files that say nothing of their machine


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """`format_name` "auto": told by what a file holds. `name`: of the benchmark of a file that names none."""

    format_name: str = AUTO
    device: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutOf:
    """An entry that became no record, and the file it is in."""

    path: str
    entry: LeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The records by key, and everything that became none."""

    records: Mapping[str, Record]
    left_out: tuple[LeftOutOf, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """One file, or one folder of files, as the user named it."""

    path: str
    results: Results


def import_files(paths: Sequence[Path], output: Path, request: ImportRequest) -> Imported:
    """Read the files and write one record for each benchmark below `output`.

    Files of one tool are runs of the same benchmarks.

    Raises:
        UsageError: a format is not recognised, files do not belong together, or nothing can be written.
        UnusableError: a file is not what its format says, or holds nothing that can be used.
    """
    sources = _sources(paths, request)
    records: dict[str, Record] = {}
    for tool in dict.fromkeys(source.results.tool for source in sources):
        of_tool = [source for source in sources if source.results.tool == tool]
        for record in _records(of_tool, request):
            if record.key in records:
                what = f"{record.key} is in files of {records[record.key].backend} and of {tool}"
                raise UsageError(what, "import", "import them apart, or with another --device")
            records[record.key] = record
    left_out = tuple(
        LeftOutOf(path=source.path, entry=entry) for source in sources for entry in source.results.left_out
    )
    if not records:
        reason = (
            f"{left_out[0].entry.benchmark}: {left_out[0].entry.reason}" if left_out else "it has no entry"
        )
        what = f"no benchmark can be used, {reason}"
        raise UnusableError(what, sources[0].path, "measure again, or name another file")
    write_records(output, records.values())
    return Imported(records=records, left_out=left_out)


def _sources(paths: Sequence[Path], request: ImportRequest) -> list[_Source]:
    seen: dict[str, str] = {}
    sources = []
    for path in paths:
        documents = _documents(path, request.name)
        content = "\0".join(document.text for document in documents)
        if content in seen:
            # Counting one process twice would make its noise look like none.
            raise UsageError(f"the same content as {seen[content]}", str(path), "name each file once")
        seen[content] = str(path)
        results = [_read(document, request.format_name) for document in documents]
        sources.append(_Source(path=str(path), results=_together(str(path), results)))
    return sources


def _documents(path: Path, name: str) -> list[Document]:
    if not path.is_dir():
        return [read_file(path, name)]
    files = measured_files(path)
    if not files:
        remedy = "name files; only folders of Criterion (target/criterion) are read as a whole"
        raise UsageError("no measurement of Criterion in this folder", str(path), remedy)
    return [read_file(file, name) for file in files]


def _read(document: Document, format_name: str) -> Results:
    chosen = recognise(document) if format_name == AUTO else format_name
    if not document.rows and not _is_text(chosen):
        remedy = "name a file of that format, or leave --format away"
        raise UnusableError(f"no JSON, so no file of {chosen}", document.path, remedy)
    return reader(chosen).read(document)


def _is_text(format_name: str) -> bool:
    return format_name in {"go-test", "msprof", "mlperf", "github-action-benchmark"}


def _together(path: str, results: Sequence[Results]) -> Results:
    """The files of one folder as if they were one."""
    if len(results) == 1:
        return results[0]
    series = tuple(item for result in results for item in result.series)
    names = [item.benchmark for item in series]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UnusableError(f"two benchmarks are named {twice!r}", path, "give each its own name")
    left_out = tuple(item for result in results for item in result.left_out)
    return Results(tool=results[0].tool, series=series, left_out=left_out)


def _records(sources: Sequence[_Source], request: ImportRequest) -> list[Record]:
    first = sources[0].results
    platform = _one_value("platform", sources, [source.results.platform for source in sources])
    label = f"{first.tool}-{platform}" if platform else UNNAMED
    origin = Origin(tool=first.tool, device=request.device or label, context=_context(sources))
    # A benchmark that failed in one file is a failed one, whatever the other files say.
    failed = {
        entry.benchmark
        for source in sources
        for entry in source.results.left_out
        if entry.status is Status.FAILED
    }
    names = dict.fromkeys(item.benchmark for source in sources for item in source.results.series)
    records = []
    for name in names:
        if name in failed:
            continue
        files = [_of_benchmark(source, name) for source in sources]
        records.append(imported_record(origin, name, [series for series in files if series]))
    return records


def _of_benchmark(source: _Source, name: str) -> list[Series]:
    return [item for item in source.results.series if item.benchmark == name]


def _context(sources: Sequence[_Source]) -> dict[str, str]:
    """What all files say; a field that must match and does not means other machines."""
    context = {}
    for key in sorted({key for source in sources for key in source.results.context}):
        values = [source.results.context.get(key, "") for source in sources]
        if key in MUST_MATCH:
            context[key] = _one_value(key, sources, values)
        elif len(set(values)) == 1:
            context[key] = values[0]
    return context


def _one_value(key: str, sources: Sequence[_Source], values: Sequence[str]) -> str:
    other = next((number for number, value in enumerate(values) if value != values[0]), None)
    if other is None:
        return values[0]
    what = f"files of different machines, {key} {values[0]!r} and {values[other]!r}"
    raise UsageError(what, f"{sources[0].path} and {sources[other].path}", "import them apart")
