"""The cost model against numbers that did not come from perfgate: one line per table.

    python -m tests.benchmarks.conformance [DIR]

DIR holds CSV files; each is recognised by its columns: systolic cycles (equal on every row),
multiply-accumulates of ONNX nodes (equal), measured kernels of a GPU (mean and single error). Kinds without a
file are named and skipped.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from perfgate.npu.device_file import list_devices, load_device
from tests.benchmarks.conformance_rows import (
    eager_latency_us,
    node_macs,
    scale_sim_cycles,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DEFAULT = Path(__file__).parents[3] / "shared" / "reference" / "simulator"
SYSTOLIC, MACS, KERNELS = "systolic cycles", "ONNX multiply-accumulates", "measured kernels"
COLUMNS = {
    SYSTOLIC: {"array_h", "array_w", "dataflow", "sr", "sc", "t", "compute_cycles"},
    MACS: {"model", "output", "op", "macs"},
    KERNELS: {"device", "op", "m", "n", "k", "latency_us"},
}
# Mean and single error in percent (SIMULATOR section 10); GEMM rows are also held one by one.
LIMITS = {"gemm": (4.0, 8.0), "softmax": (10.0, None), "gelu": (6.0, None), "layernorm": (12.0, None)}
Row = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result for one table, or one operator of it."""

    name: str
    rows: int
    passed: bool
    text: str


def check_folder(folder: Path) -> tuple[Outcome, ...]:
    """Check every CSV of the folder that is in a known format."""
    found: dict[str, list[tuple[str, list[Row]]]] = {kind: [] for kind in COLUMNS}
    for path in sorted(folder.glob("*.csv")):
        rows = read_rows(path)
        for kind, columns in COLUMNS.items():
            if rows and columns <= rows[0].keys():
                found[kind].append((path.name, rows))
    outcomes: list[Outcome] = []
    for kind, tables in found.items():
        if not tables:
            outcomes.append(
                Outcome(name=kind, rows=0, passed=True, text=f"skipped: no such table in {folder}")
            )
        for name, rows in tables:
            outcomes += _CHECKS[kind](name, rows)
    return tuple(outcomes)


def read_rows(path: Path) -> list[Row]:
    """Rows of a CSV with a header line."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def check_systolic(name: str, rows: list[Row]) -> list[Outcome]:
    """Cycles equal on every row."""
    answers = [(row, int(row["compute_cycles"]), scale_sim_cycles(row)) for row in rows]
    return [_equal(f"{name}: {SYSTOLIC}", answers)]


def check_macs(name: str, rows: list[Row]) -> list[Outcome]:
    """Multiply-accumulates equal on every row whose model the onnx package ships."""
    counted, absent = node_macs(rows)
    outcome = _equal(f"{name}: {MACS}", [(row, int(row["macs"]), macs) for row, macs in counted])
    missing = f"{name}: models not shipped by the onnx package"
    return [
        outcome,
        *([Outcome(name=missing, rows=0, passed=True, text=", ".join(absent))] if absent else []),
    ]


def check_kernels(name: str, rows: list[Row]) -> list[Outcome]:
    """Errors of launched kernels, by device and operator."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["device"], row["op"]), []).append(row)
    return [
        _check_group(f"{name}: {device} {op}", device, op, group) for (device, op), group in groups.items()
    ]


def _check_group(name: str, device: str, op: str, rows: list[Row]) -> Outcome:
    if f"{device}-like" not in list_devices():
        return Outcome(name=name, rows=0, passed=True, text=f"skipped: no device {device}-like")
    if op not in LIMITS:
        return Outcome(name=name, rows=0, passed=True, text=f"skipped: known are {', '.join(LIMITS)}")
    machine = load_device(f"{device}-like")
    errors = [abs(eager_latency_us(row, machine) / float(row["latency_us"]) - 1) * 100 for row in rows]
    return _bounded(name, errors, LIMITS[op])


def _equal(name: str, rows: list[tuple[Row, int, int]]) -> Outcome:
    wrong = [row for row, expected, answer in rows if answer != expected]
    text = "all equal" if not wrong else f"{len(wrong)} differ, the first is {wrong[0]}"
    return Outcome(name=name, rows=len(rows), passed=not wrong, text=text)


def _bounded(name: str, errors: list[float], limits: tuple[float, float | None]) -> Outcome:
    mean, largest = fmean(errors), max(errors)
    mean_limit, single_limit = limits
    passed = mean <= mean_limit and (single_limit is None or largest <= single_limit)
    single = "" if single_limit is None else f" (limit {single_limit:g} %)"
    text = f"mean error {mean:.1f} % (limit {mean_limit:g} %), largest {largest:.1f} %{single}"
    return Outcome(name=name, rows=len(errors), passed=passed, text=text)


_CHECKS: dict[str, Callable[[str, list[Row]], list[Outcome]]] = {
    SYSTOLIC: check_systolic,
    MACS: check_macs,
    KERNELS: check_kernels,
}


def main(arguments: Iterable[str]) -> int:
    """Print one line per table; 1 when a table misses its bound, 2 when the folder does not exist."""
    given = next((Path(argument) for argument in arguments), None)
    if given is not None and not given.is_dir():
        print(f"no such folder: {given}")  # noqa: T201 - a report for people
        return 2
    folder = given or DEFAULT
    outcomes = check_folder(folder)
    for outcome in outcomes:
        word = "ok  " if outcome.passed else "FAIL"
        print(f"{word} {outcome.name} ({outcome.rows} rows): {outcome.text}")  # noqa: T201 - a report for people
    return 0 if all(outcome.passed for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
