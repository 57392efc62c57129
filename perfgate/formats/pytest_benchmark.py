"""pytest-benchmark's `--benchmark-json` and `--benchmark-save` files: versions 3, 4 and 5.

One file is one process. `data` holds the seconds of each round, already divided by its iterations; a file
saved without `--benchmark-save-data` has statistics only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS
from perfgate.formats.series import Collection, Series

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.node import Node
    from perfgate.formats.series import Results

TOOL = "pytest-benchmark"
_MAJORS = frozenset({"3", "4", "5"})
_PROTOCOL = ("timer", "disable_gc", "warmup")  # the rest of the options is what calibration may change


def recognises(document: Document) -> bool:
    """An object with `machine_info` and `benchmarks`."""
    return document.json is not None and document.json.has("machine_info", "benchmarks")


def read(document: Document) -> Results:
    """Every benchmark of the file by its full name."""
    whole = document.rows[0]
    version = whole.member("version")
    if version.text().partition(".")[0] not in _MAJORS:
        what = f"unknown version {version.text()!r} of pytest-benchmark, known are 3, 4 and 5"
        raise version.refusal(what, "write the file with one of these, or give a newer perfgate")
    found = Collection(document.path)
    for item in whole.member("benchmarks").elements():
        found.add(_series(item))
    machine = whole.member("machine_info")
    return found.results(TOOL, context=_context(machine), platform=_platform(machine))


def _series(item: Node) -> Series:
    stats = item.member("stats")
    data = stats.get("data")
    if data is not None and data.elements():
        samples, summary = data.numbers(), ""
    else:
        rounds = int(stats.member("rounds").number())
        samples, summary = (stats.member("median").number(),), f"the median of {rounds} rounds"
    options = item.get("options")
    protocol = {} if options is None else {key: _text(options, key) for key in _PROTOCOL}
    return Series(
        benchmark=item.member("fullname").text(),
        metric=KNOWN_METRICS["latency"],
        runs=(samples,),
        summary=summary,
        protocol=protocol,
    )


def _context(machine: Node) -> dict[str, str]:
    """Version 3 has `brand` and `count` in `cpu`, later ones `brand_raw`."""
    cpu = machine.get("cpu")
    model = count = None
    if cpu is not None:
        model, count = cpu.get("brand_raw") or cpu.get("brand"), cpu.get("count")
    return {
        "cpu_model": "" if model is None else str(model.value),
        "cpu_count": "" if count is None else str(count.value),
        "os_release": f"{_text(machine, 'system')} {_text(machine, 'release')}".strip(),
        "runtime_version": (
            f"{_text(machine, 'python_implementation')} {_text(machine, 'python_version')}".strip()
        ),
        "host_name": _text(machine, "node"),
    }


def _platform(machine: Node) -> str:
    names = [_text(machine, "system"), _text(machine, "machine")]
    return "-".join(name for name in names if name)


def _text(machine: Node, key: str) -> str:
    found = machine.get(key)
    return "" if found is None else str(found.value)
