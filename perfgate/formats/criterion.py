"""Criterion.rs: the files `sample.json`, `estimates.json` and `benchmark.json` of one benchmark.

They lie together in `target/criterion/<benchmark>/new/`; only `benchmark.json` holds the name. A sample is
the time of many iterations, in nanoseconds: the time of one iteration is what is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS
from perfgate.formats.series import Collection, Series

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

TOOL = "criterion"
NANOSECOND = 1e-9


def measured_files(folder: Path) -> list[Path]:
    """The newest measurement of every benchmark below a folder; `base` and `change` hold older ones."""
    names = [path for path in sorted(folder.rglob("benchmark.json")) if path.parent.name == "new"]
    return names or sorted(folder.glob("benchmark.json"))


def recognises(document: Document) -> bool:
    """One of the three files."""
    whole = document.json
    return whole is not None and (
        whole.has("iters", "times") or whole.has("group_id", "full_id") or _is_estimates(whole)
    )


def read(document: Document) -> Results:
    """The one benchmark that the file belongs to."""
    whole = document.rows[0]
    named = whole if whole.has("group_id", "full_id") else _beside(document, "benchmark.json")
    if named is None:
        what = "the name of the benchmark is in benchmark.json, which is not beside the file"
        raise whole.refusal(what, "import the whole folder, such as target/criterion")
    sample = whole if whole.has("iters", "times") else _beside(document, "sample.json")
    estimates = whole if _is_estimates(whole) else _beside(document, "estimates.json")
    if sample is not None:
        samples, summary = per_iteration(sample.member("iters"), sample.member("times"), NANOSECOND), ""
    elif estimates is not None:
        word = "mean" if estimates.get("slope") is None else "slope"
        value = estimates.member(word).member("point_estimate").number() * NANOSECOND
        samples, summary = (value,), f"the {word} of its samples"
    else:
        raise whole.refusal("neither sample.json nor estimates.json is beside the file", "run it again")
    found = Collection(document.path)
    name = named.member("full_id").text()
    metric = KNOWN_METRICS["latency"]
    found.add(Series(benchmark=name, metric=metric, runs=(samples,), summary=summary))
    return found.results(TOOL)


def per_iteration(counts: Node, totals: Node, factor: float) -> tuple[float, ...]:
    """The time of one iteration for each sample, in seconds.

    Raises:
        UnusableError: the arrays differ in length, or a count is not above zero.
    """
    iterations, times = counts.numbers(), totals.numbers()
    if len(iterations) != len(times):
        raise totals.refusal(f"{len(times)} times for {len(iterations)} iteration counts")
    if iterations and min(iterations) <= 0:
        raise counts.refusal("an iteration count is not above zero")
    return tuple(time * factor / count for time, count in zip(times, iterations, strict=True))


def _is_estimates(whole: Node) -> bool:
    if not whole.has("mean", "median"):
        return False
    return whole.member("mean").has("point_estimate") if whole.value["mean"] is not None else False


def _beside(document: Document, name: str) -> Node | None:
    found = document.beside(name)
    return None if found is None else found.json
