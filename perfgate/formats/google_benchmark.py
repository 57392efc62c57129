"""Google Benchmark's `--benchmark_format=json`, JSON schema 1 and the files before it had a number.

One file is one process; repetitions of a benchmark are its samples. Aggregates of repetitions are told apart
and named; a file that holds nothing else gives their median as one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS, Direction, Kind, Metric
from perfgate.formats.series import Collection, Series, Status
from perfgate.formats.unit_text import seconds

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

TOOL = "google-benchmark"
_TIMES = {"real_time": "latency", "cpu_time": "cpu_time"}
_RATES = {
    "items_per_second": KNOWN_METRICS["throughput"],
    "bytes_per_second": Metric(name="bandwidth", unit="B/s", direction=Direction.HIGHER, kind=Kind.SAMPLED),
}
_AGGREGATES = ("_mean", "_median", "_stddev", "_cv", "_min", "_max", "_BigO", "_RMS")
_OTHER_NUMBERS = frozenset(
    {
        *_TIMES,
        *_RATES,
        "iterations",
        "repetitions",
        "repetition_index",
        "threads",
        "family_index",
        "per_family_instance_index",
        "allocs_per_iter",
        "max_bytes_used",
        "total_allocated_bytes",
        "net_heap_growth",
    }
)


def recognises(document: Document) -> bool:
    """`benchmarks` beside a `context` that describes the machine as this library does."""
    whole = document.json
    if whole is None or not whole.has("context", "benchmarks"):
        return False
    context = whole.member("context") if whole.value["context"] is not None else None
    return context is not None and (context.has("num_cpus") or context.has("library_build_type"))


def read(document: Document) -> Results:
    """Every benchmark of the file by its run name."""
    whole = document.rows[0]
    context = whole.member("context")
    schema = context.get("json_schema_version")
    if schema is not None and schema.value != 1:
        what = f"unknown JSON schema version {schema.value!r} of Google Benchmark, known is 1"
        raise schema.refusal(what, "write the file with an older release, or give a newer perfgate")
    found = Collection(document.path)
    repetitions: dict[str, list[Node]] = {}
    aggregates: dict[str, list[Node]] = {}
    for item in whole.member("benchmarks").elements():
        into = aggregates if _is_aggregate(item) else repetitions
        into.setdefault(_run_name(item), []).append(item)
    for name, items in repetitions.items():
        _refuse_repeated(name, items)
        _add(found, name, items)
    for name, items in aggregates.items():
        if name in repetitions:
            words = ", ".join(_aggregate_word(item) for item in items)
            found.leave_out(name, Status.AGGREGATE, f"{words} of its repetitions")
        else:
            _add_aggregate(found, name, items)
    machine = {"cpu_count": _text(context, "num_cpus"), "host_name": _text(context, "host_name")}
    return found.results(TOOL, context=machine)


def _is_aggregate(item: Node) -> bool:
    kind = item.get("run_type")
    if kind is not None:
        return kind.text() == "aggregate"
    # Files from before version 1.4.1 know no `run_type`; their aggregates have a name with a tail.
    return item.has("big_o") or item.has("rms") or item.member("name").text().endswith(_AGGREGATES)


def _run_name(item: Node) -> str:
    name = item.get("run_name")
    if name is not None:
        return name.text()
    text = item.member("name").text()
    if item.get("run_type") is None and _is_aggregate(item):
        return text.rpartition("_")[0]
    return text


def _aggregate_word(item: Node) -> str:
    word = item.get("aggregate_name")
    return word.text() if word is not None else item.member("name").text().rpartition("_")[2]


def _refuse_repeated(name: str, items: list[Node]) -> None:
    """Two benchmarks of one name would be taken for repetitions of one."""
    families = {str(item.value.get("family_index")) for item in items}
    indices = [number.value for item in items if (number := item.get("repetition_index")) is not None]
    if len(families) > 1 or len(set(map(str, indices))) < len(indices):
        raise items[-1].refusal(f"two benchmarks are named {name!r}", "give each its own name")


def _add(found: Collection, name: str, items: list[Node]) -> None:
    flawed = [item for item in items if _flag(item, "error_occurred")]
    skipped = [item for item in items if _flag(item, "skipped")]
    if flawed:
        reason = _text(flawed[0], "error_message") or "no message"
        found.leave_out(name, Status.FAILED, f"{len(flawed)} of {len(items)} repetitions: {reason}")
        return
    if skipped:
        reason = _text(skipped[0], "skip_message") or _text(skipped[0], "error_message") or "no message"
        found.leave_out(name, Status.SKIPPED, f"{len(skipped)} of {len(items)} repetitions: {reason}")
        return
    for key, metric_name in _TIMES.items():
        samples = tuple(item.member(key).number() * _factor(item) for item in items)
        if key == "cpu_time" and not any(samples):
            continue  # nothing ran on a processor, as with manual time of a device
        metric = Metric(name=metric_name, unit="s", kind=Kind.SAMPLED)
        found.add(Series(benchmark=name, metric=metric, runs=(samples,)))
    for key, metric in _RATES.items():
        if all(item.has(key) for item in items):
            rates = tuple(item.member(key).number() for item in items)
            found.add(Series(benchmark=name, metric=metric, runs=(rates,)))
    counters = _counters(items[0])
    if counters:
        reason = f"counters of which the better direction is not in the file: {', '.join(counters)}"
        found.leave_out(name, Status.NOT_READ, reason)


def _add_aggregate(found: Collection, name: str, items: list[Node]) -> None:
    median = next((item for item in items if _aggregate_word(item) == "median"), None)
    if median is None:
        words = ", ".join(_aggregate_word(item) for item in items)
        found.leave_out(name, Status.AGGREGATE, f"neither repetitions nor their median, only {words}")
        return
    value = median.member("real_time").number() * _factor(median)
    count = median.get("repetitions")
    summary = f"the median of {'its' if count is None else count.value} repetitions"
    metric = KNOWN_METRICS["latency"]
    found.add(Series(benchmark=name, metric=metric, runs=((value,),), summary=summary))


def _factor(item: Node) -> float:
    unit = item.get("time_unit")
    if unit is None:
        return 1e-9  # the first releases wrote nanoseconds only
    factor = seconds(unit.text())
    if factor is None:
        raise unit.refusal(f"unknown time unit {unit.text()!r}")
    return factor


def _counters(item: Node) -> list[str]:
    """User counters: numbers beside those that the library itself writes."""
    return [
        name
        for name, node in item.members().items()
        if isinstance(node.value, float) and name not in _OTHER_NUMBERS
    ]


def _flag(item: Node, key: str) -> bool:
    found = item.get(key)
    return found is not None and found.value is True


def _text(item: Node, key: str) -> str:
    found = item.get(key)
    return "" if found is None else str(found.value)
