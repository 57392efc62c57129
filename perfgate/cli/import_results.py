"""`perfgate import`: other tools' results become records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import answer, json_option
from perfgate.formats.registry import AUTO, NAMES
from perfgate.report.import_report import ImportedRecord, ImportReport, LeftOutEntry
from perfgate.report.import_table import import_lines
from perfgate.workflow.importing import ImportRequest, import_files

if TYPE_CHECKING:
    from perfgate.workflow.importing import Imported


@click.command(name="import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--format",
    "format_name",
    type=click.Choice([AUTO, *NAMES]),
    default=AUTO,
    show_default=True,
    metavar="NAME",
    help=f"Format of all files: {', '.join(NAMES)}; auto tells it by what a file holds.",
)
@click.option("--device", default="", metavar="NAME", help="Device of the records (default: from the files).")
@click.option("--name", default="", metavar="NAME", help="Name for the benchmark of files that have none.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path(".perfgate/records"),
    show_default=True,
    help="Folder of the records.",
)
@json_option
def import_results(files: tuple[Path, ...], output: Path, json_file: str | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Turn result files of other benchmark tools into records, one for each benchmark.

    Several FILEs of one tool are several runs of the same benchmarks; give one for each process that
    measured.

    Exit: 0 imported, 2 usage or an unknown format, 12 a file cannot be used.
    """
    request = ImportRequest(format_name=asked["format_name"], device=asked["device"], name=asked["name"])
    result = import_files(files, output, request)
    left_out = [
        (item.path, item.entry.benchmark, str(item.entry.status), item.entry.reason)
        for item in result.left_out
    ]
    answer(json_file, import_lines(result.records.values(), left_out), lambda: _report(result))


def _report(result: Imported) -> ImportReport:
    return ImportReport(
        records=tuple(
            ImportedRecord(
                benchmark=record.benchmark,
                device=record.device,
                tool=record.backend,
                metrics=record.ruler.metrics,
                runs=len(record.runs),
                samples=tuple(sum(map(len, run.samples.values())) for run in record.runs),
                notes=record.notes,
            )
            for record in result.records.values()
        ),
        left_out=tuple(
            LeftOutEntry(
                file=item.path,
                benchmark=item.entry.benchmark,
                status=str(item.entry.status),
                reason=item.entry.reason,
            )
            for item in result.left_out
        ),
    )
