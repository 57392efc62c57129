"""`perfgate validate`: what a change has done, beside what was promised of it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import answer, json_option
from perfgate.core.errors import ExitCode, UsageError
from perfgate.plan.output_difference import PRECISIONS
from perfgate.report.validation_table import validation_lines
from perfgate.workflow.diagnosis_file import read_diagnosis
from perfgate.workflow.optimising import read_folder
from perfgate.workflow.validating import (
    ModelFiles,
    ValidationRequest,
    validate_folders,
    with_models,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_PATH = click.Path(path_type=Path)


@click.command()
@click.option("--before", type=_PATH, required=True, help="Folder of records before the change.")
@click.option("--after", type=_PATH, required=True, help="Folder of records after it.")
@click.option(
    "--diagnosis", "diagnosis_file", type=_PATH, default=None, help="Promises the gains of its fixes."
)
@click.option(
    "-k", "expression", default="", metavar="TEXT", help="The benchmark, where the file has several."
)
@click.option("--plan", type=_PATH, default=None, help="Folder of a plan, which promises more exactly.")
@click.option(
    "--include", multiple=True, type=click.IntRange(1), metavar="N", help="Fix N was taken as well."
)
@click.option(
    "--metrics",
    default="",
    metavar="NAMES",
    help="Only these, with commas: metrics, p99, mem_copy, scopes, operators, speedup_ratio.",
)
@click.option(
    "--reference", type=_PATH, default=None, help="NPZ of right outputs, or the ONNX model of them."
)
@click.option("--outputs", type=_PATH, default=None, help="NPZ or ONNX model to hold against --reference.")
@click.option(
    "--precision",
    type=click.Choice(PRECISIONS),
    default=None,
    help="What outputs may differ by (default: flags).",
)
@click.option("--quantized", type=_PATH, default=None, help="ONNX model whose weights are put into int8.")
@click.option("--policy", type=_PATH, default=None, help="Thresholds (default: those of the product).")
@json_option
@click.pass_context
def validate(ctx: click.Context, /, before: Path, after: Path, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Show metrics, scopes and operators before and after, judged as by `compare`, and what was promised.

    Exit: as compare (0 pass, 1 regression, 2 usage, 10 inconclusive, 11 nothing in common, 12 unusable), and
    1 when outputs differ more than their precision explains, whatever the gain.
    """
    models = ModelFiles(
        reference=asked["reference"],
        outputs=asked["outputs"] or asked["quantized"],
        quantised=asked["quantized"],
        precision=asked["precision"],
    )
    if (models.reference is None) != (models.outputs is None) and models.quantised is None:
        raise UsageError("one side is missing", "--reference, --outputs", "name both, or neither")
    file = asked["diagnosis_file"]
    request = ValidationRequest(
        before=before,
        after=after,
        today=dt.datetime.now(dt.UTC).date(),
        policy=asked["policy"],
        metrics=tuple(name.strip() for name in asked["metrics"].split(",") if name.strip()),
        diagnosis=None if file is None else read_diagnosis(file, asked["expression"]).diagnosis,
        manifest=None if asked["plan"] is None else read_folder(asked["plan"]),
        include=asked["include"],
        wants_speedup=models.quantised is not None,
    )
    found = with_models(validate_folders(request), request, models)
    is_mute = ctx.obj["quiet"] and found.exit_code == ExitCode.PASS
    lines: Iterable[str] = () if is_mute else validation_lines(found)
    answer(asked["json_file"], lines, lambda: found)
    ctx.exit(found.exit_code)
