"""Series of other tools' files as records: runs, exact values, and notes on what the file could not give."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import UnusableError
from perfgate.core.metric import Kind, Metric
from perfgate.core.record import Record, Ruler, Run, Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.formats.series import Series

SOURCE = "imported_from"  # in a record's protocol: no simulated or measured record has it
MOST_SAMPLES = 2_000  # of one run: a baseline of ten such runs stays below the size that git may hold
EXACT_SPREAD = 0.005  # what the gate lets an exact metric move by default (STATISTICS section 9)


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where the series come from: the tool, the device label and the machine as far as the file says it."""

    tool: str
    device: str
    context: dict[str, str]


def is_imported(record: Record) -> bool:
    """Another tool measured it: no suite has its benchmark, and nobody here can measure it again."""
    return SOURCE in record.ruler.protocol


def imported_record(origin: Origin, benchmark: str, files: Sequence[Sequence[Series]]) -> Record:
    """The record of one benchmark from its series in each file; every process becomes one run.

    Raises:
        UnusableError: the files measure it in different units or with different settings.
    """
    everything = [item for series in files for item in series]
    protocol = _protocol(origin, everything)
    metrics = {name: _metric(benchmark, name, everything) for name in sorted(_names(everything))}
    notes = list(dict.fromkeys(note for item in everything for note in _notes(item)))
    exact: dict[str, float] = {}
    for name, metric in metrics.items():
        if metric.is_sampled:
            continue
        values = _values(name, everything)
        exact[name] = statistics.median_low(values)
        if min(values) != max(values):
            notes.append(
                f"{name} moved between {min(values):g} and {max(values):g}; the middle value is kept"
            )
    sampled = frozenset(name for name, metric in metrics.items() if metric.is_sampled)
    runs = [run for series in files for run in _runs(series, sampled)]
    return Record(
        benchmark=benchmark,
        device=origin.device,
        backend=origin.tool,
        ruler=Ruler(inputs={}, metrics=tuple(metrics.values()), protocol=protocol),
        subject=Subject(model=benchmark, model_digest=""),
        runs=tuple(Run(id=number, seed=0, samples=run) for number, run in enumerate(runs)),
        exact=exact,
        context=origin.context,
        notes=tuple(notes),
    )


def _names(series: Sequence[Series]) -> set[str]:
    return {item.metric.name for item in series}


def _protocol(origin: Origin, series: Sequence[Series]) -> dict[str, str]:
    """Never the number of rounds: two measurements of one suite stay comparable whatever it was."""
    protocol = {SOURCE: origin.tool}
    for item in series:
        for key, value in item.protocol.items():
            if protocol.setdefault(key, value) != value:
                what = f"measured with {key} {protocol[key]} and with {key} {value}"
                raise UnusableError(what, item.benchmark, "import files of one setting")
    return protocol


def _metric(benchmark: str, name: str, series: Sequence[Series]) -> Metric:
    """The metric as all files have it. What should repeat itself and does not is judged as noise.

    Zeros cannot be judged so: then it stays exact, and its middle value is what is compared.
    """
    found = list(dict.fromkeys(item.metric for item in series if item.metric.name == name))
    if len(found) > 1:
        units = " and ".join(f"{item.unit}, {item.direction} is better" for item in found)
        raise UnusableError(f"{name} in two units: {units}", benchmark, "import them apart")
    metric = found[0]
    values = _values(name, series)
    middle = statistics.median_low(values)
    is_steady = max(values) - min(values) <= EXACT_SPREAD * middle
    if metric.is_sampled or is_steady or min(values) == 0:
        return metric
    return msgspec.structs.replace(metric, kind=Kind.SAMPLED)


def _values(name: str, series: Sequence[Series]) -> list[float]:
    return [value for item in series if item.metric.name == name for run in item.runs for value in run]


def _runs(series: Sequence[Series], sampled: frozenset[str]) -> list[dict[str, tuple[float, ...]]]:
    """The processes of one file, each with its samples by metric."""
    kept = [item for item in series if item.metric.name in sampled]
    count = max((len(item.runs) for item in kept), default=1)
    return [
        {item.metric.name: _thinned(item.runs[number]) for item in kept if number < len(item.runs)}
        for number in range(count)
    ]


def _thinned(samples: tuple[float, ...]) -> tuple[float, ...]:
    """Every k-th sample in order of acquisition, which leaves their law as it is (a mean of k would not)."""
    return samples[:: _step(len(samples))]


def _step(count: int) -> int:
    return max(1, -(-count // MOST_SAMPLES))


def _notes(item: Series) -> list[str]:
    notes = []
    if item.summary:
        notes.append(f"{item.metric.name} is one value, {item.summary}: the file holds no samples to judge")
    longest = max(len(run) for run in item.runs)
    if item.metric.is_sampled and _step(longest) > 1:
        notes.append(f"of {longest:,} samples of {item.metric.name} one in {_step(longest)} is kept")
    return notes
