"""`perfgate validate`: what a change has done, judged as `compare` judges, beside what was promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.slug import baseline_path
from perfgate.core.errors import ExitCode, UsageError
from perfgate.core.execution_profile import scope_totals
from perfgate.core.machine import SIMULATED
from perfgate.core.metric import KNOWN_METRICS, Metric
from perfgate.core.units import PS_PER_SECOND
from perfgate.core.validation import Validation, ValidationRow, ValidationTable
from perfgate.diagnose.summary_profile import profile_of_summary
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from perfgate.plan.model_files import read_outputs, read_weights
from perfgate.plan.output_difference import compare_outputs, relative_tolerance
from perfgate.plan.output_precision import precision_of
from perfgate.plan.prediction import places_of
from perfgate.plan.quantised_weights import quantise_weights
from perfgate.plan.validation_rows import (
    ALIASES,
    SPEEDUP,
    change,
    comparison_row,
    metric_rows,
    promised_values,
    speedup_row,
)
from perfgate.workflow.comparing import compare_records, read_sides
from perfgate.workflow.measuring import PROFILE_SUFFIX, read_records
from perfgate.workflow.profile_file import profile_beside

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.record import Record
    from perfgate.plan.manifest import Manifest

_QUANTITY = "latency"  # what the known percentiles are of
LEAST_GAIN = SuitePolicy().default.min_effect  # of a fix that `optimize` would have taken


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationRequest:
    """Two folders of records; `metrics` are names or aliases, scopes and operators, none for all.

    Predictions come from the manifest of a plan, else from the fixes of a diagnosis, those of `include` too.
    """

    before: Path
    after: Path
    today: dt.date
    policy: Path | None = None
    metrics: tuple[str, ...] = ()
    diagnosis: Diagnosis | None = None
    manifest: Manifest | None = None
    include: tuple[int, ...] = ()
    wants_speedup: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """NPZ files or models to compare outputs of, and a model whose weights are put into int8."""

    reference: Path | None = None
    outputs: Path | None = None
    quantised: Path | None = None
    precision: str | None = None


def validate_folders(request: ValidationRequest) -> Validation:
    """The table of each benchmark that stands in both folders.

    Raises:
        UsageError: a folder is missing, both hold the same records, or a name is nothing that they hold.
        NothingMeasuredError: no benchmark stands in both.
        UnusableError: a record, a profile or the policy cannot be used.
    """
    names = tuple(dict.fromkeys(ALIASES.get(name, name) for name in request.metrics))
    before, after = (_with_percentiles(side, names) for side in read_sides(request.before, request.after))
    known = {metric.name for record in after.values() for metric in record.ruler.metrics}
    judged = tuple(name for name in names if name in known)
    compared = compare_records(before, after, request.policy, request.today, judged)
    tables = []
    for verdict in compared.verdicts:
        if verdict.key not in before or verdict.key not in after:
            continue
        predicted = _predicted(request, verdict.key)
        rows = metric_rows(verdict, predicted)
        places = _places(request, verdict.key, names, known)
        timed = _times(request, (before[verdict.key], after[verdict.key]), places, predicted)
        speedup = speedup_row(rows) if request.wants_speedup or SPEEDUP in names else None
        every = [*rows, *([speedup] if speedup else []), *timed]
        tables.append(
            ValidationTable(
                key=verdict.key, rows=_chosen(every, names), notes=(verdict.reason,) if not rows else ()
            )
        )
    return Validation(
        exit_code=int(compared.exit_code),
        tables=tuple(tables),
        notes=tuple(compared.decision.notes),
    )


def _with_percentiles(records: Mapping[str, Record], names: tuple[str, ...]) -> dict[str, Record]:
    """The records with the percentiles that are asked for: samples of the latency tell those too."""
    wanted = [KNOWN_METRICS[name] for name in names if name in KNOWN_METRICS]
    found = {}
    for key, record in records.items():
        held = {metric.name for metric in record.ruler.metrics}
        added = [
            metric
            for metric in wanted
            if metric.quantile is not None and metric.name not in held and _QUANTITY in held
        ]
        ruler = msgspec.structs.replace(record.ruler, metrics=(*record.ruler.metrics, *added))
        found[key] = msgspec.structs.replace(record, ruler=ruler)
    return found


def with_models(found: Validation, request: ValidationRequest, files: ModelFiles) -> Validation:
    """The validation with compared outputs, which fail it when broken whatever the gain, and with weights.

    Raises:
        UsageError: a file cannot be read, or a model cannot be run.
    """
    if files.reference is not None and files.outputs is not None:
        precision = files.precision or _precision(request, files)
        sides = read_outputs(files.reference, "--reference"), read_outputs(files.outputs, "--outputs")
        check = compare_outputs(*sides, precision)
        code = int(ExitCode.FAIL) if check.is_broken else found.exit_code
        found = msgspec.structs.replace(found, outputs=check, exit_code=code)
    if files.quantised is not None:
        weights = quantise_weights(files.quantised.name, read_weights(files.quantised))
        found = msgspec.structs.replace(found, quantised=weights)
    return found


def _precision(request: ValidationRequest, files: ModelFiles) -> str:
    """That of the least precise record after the change; int8 where weights are put into it."""
    if files.quantised is not None:
        return "int8"
    found = {precision_of(record) for record in read_records(request.after).values()}
    return max(found, key=relative_tolerance)


def _chosen(rows: Sequence[ValidationRow], names: tuple[str, ...]) -> tuple[ValidationRow, ...]:
    """All rows, or those that were asked for in their order."""
    if not names:
        return tuple(rows)
    return tuple(row for name in names for row in rows if row.name == name)


def _predicted(request: ValidationRequest, key: str) -> dict[str, float]:
    manifest, diagnosis = request.manifest, request.diagnosis
    if manifest is not None and manifest.key == key and manifest.prediction.values:
        return manifest.prediction.values
    if diagnosis is not None and diagnosis.key == key:
        return promised_values(diagnosis, LEAST_GAIN, request.include)
    return {}


def _places(request: ValidationRequest, key: str, names: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    """Scopes and operators to show: those asked for, else those of the plan and the diagnosis."""
    if names:
        return tuple(name for name in names if name not in known and name != SPEEDUP)
    manifest, diagnosis = request.manifest, request.diagnosis
    planned = manifest.prediction.places if manifest is not None and manifest.key == key else ()
    diagnosed = places_of(diagnosis) if diagnosis is not None and diagnosis.key == key else ()
    return tuple(dict.fromkeys((*planned, *diagnosed)))


def _times(
    request: ValidationRequest,
    records: tuple[Record, Record],
    places: tuple[str, ...],
    predicted: Mapping[str, float],
) -> list[ValidationRow]:
    """Seconds of scopes and operators from the profiles, judged as exact where they are simulated.

    Raises:
        UsageError: a place stands in neither profile.
    """
    if not places:
        return []
    folders = (request.before, request.after)
    sides = [_seconds(folder, record) for folder, record in zip(folders, records, strict=True)]
    for name in places:
        if not any(name in side for side in sides):
            remedy = "name a metric, or a scope or operator as `perfgate record --profile` writes it"
            raise UsageError(f"no metric, scope or operator {name!r}", "--metrics", remedy)
    verdicts = _judged(records, sides, places)
    rows = (verdicts.get(name) or _unjudged(name, sides) for name in places)
    return [msgspec.structs.replace(row, predicted=predicted.get(row.name)) for row in rows]


def _unjudged(name: str, sides: Sequence[Mapping[str, float]]) -> ValidationRow:
    """A time that one traced execution took, which says nothing about its noise; or a side lacks it."""
    before, after = (side.get(name) for side in sides)
    return ValidationRow(
        name=name, label=name, unit="s", before=before, after=after, change=change(before, after)
    )


def _seconds(folder: Path, record: Record) -> dict[str, float]:
    """Seconds by scope and operator: of the profile beside the record, else of its summary."""
    path = folder / baseline_path(record.benchmark, record.device)
    profile = profile_beside(path.with_name(f"{path.stem}{PROFILE_SUFFIX}")) or profile_of_summary(record)
    if profile is None:
        return {}
    operators = {row.name: row.total_ps for row in profile.operators}
    totals = operators | {name: total for name, total in scope_totals(profile.operators).items() if name}
    return {name: total / PS_PER_SECOND for name, total in totals.items()}


def _judged(
    records: tuple[Record, Record], sides: Sequence[Mapping[str, float]], places: tuple[str, ...]
) -> dict[str, ValidationRow]:
    """The rows of places that both sides simulate, by the judge's rules for exact metrics."""
    common = [name for name in places if all(name in side for side in sides)]
    if not common or any(record.backend != SIMULATED for record in records):
        return {}
    metrics = tuple(Metric(name=name, unit="s") for name in common)
    timed = [
        msgspec.structs.replace(
            record,
            ruler=msgspec.structs.replace(record.ruler, metrics=metrics),
            exact={name: side[name] for name in common},
        )
        for record, side in zip(records, sides, strict=True)
    ]
    decision = decide_in_stages(
        {timed[0].key: timed[0]}, {timed[1].key: timed[1]}, SuitePolicy(), None, options=JudgeOptions()
    )
    return {
        item.metric.name: comparison_row(item, None)
        for verdict in decision.benchmarks
        for item in verdict.comparisons
    }
