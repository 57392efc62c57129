"""Records that somebody gives instead of measuring: also those of benchmarks that no suite has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import NothingMeasuredError
from perfgate.gate.evidence import Side, sample_flaw
from perfgate.workflow.suites import select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from perfgate.core.record import Record
    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.options import GateOptions


def outside_suites(
    records: Mapping[str, Record], benchmarks: Iterable[Benchmark], expression: str, options: GateOptions
) -> dict[str, Record]:
    """The given records of no benchmark of the tree, as far as `-k` and `--device` select them."""
    known = {item.key for item in benchmarks}
    return {
        key: record
        for key, record in records.items()
        if key not in known
        and expression.lower() in key.lower()
        and (not options.devices or record.device in options.devices)
    }


def select_beside(
    benchmarks: Sequence[Benchmark], outside: Mapping[str, Record], expression: str, options: GateOptions
) -> tuple[Benchmark, ...]:
    """`select`, but no benchmark of a suite has to be left where records of others are given.

    Raises:
        NothingMeasuredError: neither is left.
    """
    try:
        return select(benchmarks, expression=expression, devices=options.devices)
    except NothingMeasuredError:
        if not outside:
            raise
        return ()


def refuse_unusable(records: Mapping[str, Record], folder: Path) -> None:
    """No given record may become a baseline against which nothing can ever be judged.

    Raises:
        NothingMeasuredError: there is none, or one has too few samples, or values that are no measurements.
    """
    if not records:
        raise NothingMeasuredError("no record is of a selected benchmark", str(folder), "check -k")
    for record in records.values():
        for metric in record.ruler.metrics:
            flaw = sample_flaw(record, metric, Side.CANDIDATE) if metric.is_sampled else None
            if flaw is not None:
                what = f"{record.key} cannot be a baseline, {flaw.reason}"
                remedy = "measure it with more samples, or remove its file from the folder"
                raise NothingMeasuredError(what, str(folder), remedy)
