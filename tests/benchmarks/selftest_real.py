"""False alarms and power on this machine's clock, beside pytest-benchmark's rules on the same data.

`python -m tests.benchmarks.selftest_real [SETS]` measures ordinary Python functions in fresh, interleaved
processes: one baseline of five runs, SETS unchanged candidate sets, then sets in which one function really
does 10 % more work. pytest-benchmark compares one run with one run, so its rules get the first run of a side.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import TYPE_CHECKING

import msgspec

from perfgate.backends.registry import timed_device
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.verdict import Verdict
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from perfgate.measure.benchmark import Benchmark
from perfgate.stats.proportion import clopper_pearson
from perfgate.workflow.measuring import Measurer
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfgate.core.record import Record, Run
    from perfgate.gate.decision import RunRequest

SUITE = Path(__file__).parent / "timed_suite"
FUNCTIONS = ("add", "parse", "search", "count", "order", "digest", "squeeze", "build")
SLOWED = ("add", "search", "digest")  # interpreter, regular expressions, C
RUNS = 5
EXTRA = 1.10
ALPHA = 0.05  # of the policy
RULES: dict[str, tuple[Callable[[Sequence[float]], float], float]] = {
    "mean:5%": (fmean, 0.05),
    "median:5%": (median, 0.05),
    "min:5%": (min, 0.05),
    "mean:10%": (fmean, 0.10),
}


class Bench:
    """The suite of functions, with run numbers that are never used twice."""

    def __init__(self) -> None:
        self.measurer = Measurer(WorkTree(SUITE, None), seed=Random().randrange(2**31), runs=RUNS)  # noqa: S311 - fresh seeds
        self.by_key = {item.key: item for item in map(_benchmark, FUNCTIONS)}
        self.spent = 0

    def record(self) -> dict[str, Record]:
        """Five new interleaved runs of every function."""
        runs = self._take(dict.fromkeys(self.by_key, RUNS))
        return {
            key: msgspec.structs.replace(self.measurer.measure_first(self.by_key[key]), runs=found)
            for key, found in runs.items()
        }

    def fresh(self, requests: Sequence[RunRequest]) -> Mapping[str, tuple[Run, ...]]:
        """Fresh runs of suspects and controls."""
        return self._take({request.key: request.runs for request in requests})

    def _take(self, counts: Mapping[str, int]) -> dict[str, tuple[Run, ...]]:
        first = self.spent
        self.spent += max(counts.values())
        taken, failed = self.measurer.take(
            self.by_key, {key: range(first, first + count) for key, count in counts.items()}
        )
        if failed:
            raise RuntimeError(f"a function failed: {failed}")
        return taken


def main(sets: int) -> int:
    """Print the table; 1 when the gate's own false alarms are surely above its level, as in `selftest`."""
    bench = Bench()
    baseline = bench.record()
    say(f"{len(FUNCTIONS)} functions, {RUNS} runs of up to 20 rounds, load {os.getloadavg()[0]:.1f}")
    red = _Counts()
    for _ in range(sets):
        red.add(baseline, bench.record(), bench, None)
    say(f"\nfalse alarms of unchanged suites, {sets} sets\n{red.table(sets)}")
    found = _Counts()
    trials = 0
    for name in SLOWED:
        os.environ[f"WORK_{name}"] = str(EXTRA)
        for _ in range(max(sets // 4, 1)):
            found.add(baseline, bench.record(), bench, _benchmark(name).key)
            trials += 1
        del os.environ[f"WORK_{name}"]
    say(f"\npower for {EXTRA - 1:.0%} more work in one function, {trials} sets\n{found.table(trials)}")
    return int(clopper_pearson(red.counts["perfgate"], sets).low > ALPHA)


def say(text: str) -> None:
    """One line now, since the next takes minutes."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class _Counts:
    """How often each rule called a benchmark slower: any of a suite, or the one that is."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(("perfgate", *RULES), 0)

    def add(
        self,
        baseline: Mapping[str, Record],
        candidate: Mapping[str, Record],
        bench: Bench,
        slowed: str | None,
    ) -> None:
        decision = decide_in_stages(baseline, candidate, SuitePolicy(), bench.fresh, options=JudgeOptions())
        keys = set(baseline) if slowed is None else {slowed}
        self.counts["perfgate"] += any(
            item.verdict is Verdict.REGRESSED and item.key in keys for item in decision.benchmarks
        )
        for rule, (location, limit) in RULES.items():
            self.counts[rule] += any(
                location(_first(candidate[key])) > (1 + limit) * location(_first(baseline[key]))
                for key in keys
            )

    def table(self, trials: int) -> str:
        rows = []
        for rule, count in self.counts.items():
            interval = clopper_pearson(count, trials)
            rows.append(f"  {rule:<10} {count:>3} of {trials}   {interval.low:.1%} to {interval.high:.1%}")
        return "\n".join(rows)


def _first(record: Record) -> Sequence[float]:
    return record.runs[0].samples["wall_time"]  # what that tool's clock shows


def _benchmark(name: str) -> Benchmark:
    return Benchmark(
        name=name,
        device=timed_device("python"),
        backend="python",
        place=f"work.py:{name}:1",
        runs=RUNS,
        samples=20,
        noise="",
        metrics=(KNOWN_METRICS["latency"],),
        call=f"work:{name}",
    )


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
