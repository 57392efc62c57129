"""JMH's `-rf json`: each fork is a process and so a run, its iterations are the samples.

Mode `sample` keeps a histogram of calls for each iteration instead: its calls are the samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import Kind, Metric
from perfgate.formats.series import Collection, Series, Status
from perfgate.formats.unit_text import scale_of

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

TOOL = "jmh"
_ALLOCATED = "gc.alloc.rate.norm"  # of `-prof gc`; older releases write a middle dot before it
MOST_CALLS = 2_000_000  # of one fork in a histogram; beyond it every k-th of its sorted calls is taken


def recognises(document: Document) -> bool:
    """A list whose entries have `benchmark`, `mode` and `primaryMetric`."""
    whole = document.json
    if whole is None or not isinstance(whole.value, list) or not whole.value:
        return False
    return whole.elements()[0].has("benchmark", "mode", "primaryMetric")


def read(document: Document) -> Results:
    """Every benchmark by name, mode and parameters."""
    found = Collection(document.path)
    runtimes = []
    for item in document.rows[0].elements():
        version = item.get("jmhVersion")
        if version is not None and not version.text().startswith("1."):
            what = f"unknown version {version.text()!r} of JMH, known is 1"
            raise version.refusal(what, "write the file with JMH 1.x, or give a newer perfgate")
        _add(found, item)
        names = [item.get(key) for key in ("vmName", "jdkVersion", "vmVersion")]
        runtimes.append(" ".join(str(node.value) for node in names if node is not None))
    # Benchmarks of one file may run on different machines of the JVM kind: then none is that of the file.
    runtime = runtimes[0] if len(set(runtimes)) == 1 else " / ".join(sorted(set(runtimes)))
    return found.results(TOOL, context={"runtime_version": runtime})


def _add(found: Collection, item: Node) -> None:
    mode, name = item.member("mode").text(), _name(item)
    primary = item.member("primaryMetric")
    unit = primary.member("scoreUnit").text()
    scale = scale_of(unit)
    if scale is None:
        found.leave_out(name, Status.NOT_READ, f"unknown unit {unit!r}")
        return
    forks, summary = _forks(primary)
    runs = tuple(tuple(value * scale.factor for value in run) for run in forks)
    threads = item.get("threads")
    protocol = {"mode": mode, "threads": "1" if threads is None else str(threads.value)}
    metric = scale.metric()
    found.add(Series(benchmark=name, metric=metric, runs=runs, summary=summary, protocol=protocol))
    for key, node in _secondary(item).items():
        if key.lstrip("·") == _ALLOCATED:
            bytes_metric = Metric(name="allocated_bytes", unit="B", kind=Kind.EXACT)
            found.add(Series(benchmark=name, metric=bytes_metric, runs=_forks(node)[0], protocol=protocol))


def _name(item: Node) -> str:
    params = item.get("params")
    chosen = [] if params is None else [f"{key}={node.value}" for key, node in params.members().items()]
    tail = f"[{','.join(sorted(chosen))}]" if chosen else ""
    return f"{item.member('benchmark').text()}:{item.member('mode').text()}{tail}"


def _secondary(item: Node) -> dict[str, Node]:
    found = item.get("secondaryMetrics")
    return {} if found is None else found.members()


def _forks(metric: Node) -> tuple[tuple[tuple[float, ...], ...], str]:
    """Samples for each fork, and what a single value stands for where there are none."""
    raw, histogram = metric.get("rawData"), metric.get("rawDataHistogram")
    if raw is not None and raw.elements():
        return tuple(fork.numbers() for fork in raw.elements()), ""
    if histogram is not None and histogram.elements():
        return tuple(_calls(fork) for fork in histogram.elements()), ""
    percentiles = metric.get("scorePercentiles")
    median = None if percentiles is None else percentiles.get("50.0")
    if median is not None and isinstance(median.value, int | float):
        return ((median.number(),),), "the median of its samples"
    return ((metric.member("score").number(),),), "the score"


def _calls(fork: Node) -> tuple[float, ...]:
    """The calls of a fork, iteration by iteration, each value as often as it was counted."""
    counted = [_counted(pair) for iteration in fork.elements() for pair in iteration.elements()]
    step = max(1, -(-sum(count for _, count in counted) // MOST_CALLS))
    calls: list[float] = []
    skipped = 0  # of the next value's calls, until the next one that is taken
    for value, count in counted:
        taken = len(range(skipped, count, step))
        calls += [value] * taken
        skipped += taken * step - count
    return tuple(calls)


def _counted(pair: Node) -> tuple[float, int]:
    parts = pair.elements()
    if len(parts) != 2:  # noqa: PLR2004 - value and count
        raise pair.refusal("a pair of value and count was expected")
    number = parts[1].number()
    if number < 0 or not number.is_integer():
        raise parts[1].refusal(f"{number:g} is no count")
    return parts[0].number(), int(number)
