"""Records with drawn samples, for tests of the decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import Record, Ruler, Run, Subject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.gate.decision import RunRequest

SPREAD, RUN_SPREAD = 0.01, 0.005  # of samples inside a run, and between runs


class Workshop:
    """Draws runs of named benchmarks; `factors` slow single ones, as a change would."""

    def __init__(self, seed: int, *, samples: int = 20, metrics: Sequence[str] = ("latency",)) -> None:
        self.random = np.random.default_rng(seed)
        self.samples = samples
        self.metrics = metrics
        self.factors: dict[str, float] = {}
        self.asked: list[RunRequest] = []

    def run(self, key: str, number: int) -> Run:
        """One run; a throughput is the reciprocal of the latency."""
        shift = self.factors.get(key, 1.0) * (1 + RUN_SPREAD * self.random.standard_normal())
        latency = 1e-3 * shift * (1 + SPREAD * self.random.standard_normal(self.samples))
        samples = {"latency": tuple(latency.tolist())}
        if "throughput" in self.metrics:
            samples["throughput"] = tuple((1 / latency).tolist())
        if "latency" not in self.metrics and "p99_latency" not in self.metrics:
            samples.pop("latency")
        return Run(id=number, seed=number, samples=samples)

    def record(self, name: str, runs: int, **changes: object) -> Record:
        """A record with new runs."""
        record = Record(
            benchmark=name,
            device="d",
            backend="python",
            ruler=Ruler(
                inputs={"x": "float32[1]"},
                metrics=tuple(KNOWN_METRICS[metric] for metric in self.metrics),
                protocol={"samples": "20"},
            ),
            subject=Subject(model="m", model_digest="00"),
            runs=tuple(self.run(f"{name}[d]", number) for number in range(runs)),
            exact={},
        )
        return msgspec.structs.replace(record, **changes)

    def suite(self, size: int, runs: int) -> dict[str, Record]:
        """Records of benchmarks b00, b01 ... by key."""
        records = [self.record(f"b{number:02d}", runs) for number in range(size)]
        return {record.key: record for record in records}

    def take(self, requests: Sequence[RunRequest]) -> Mapping[str, tuple[Run, ...]]:
        """Fresh runs, as a workflow would take them."""
        self.asked = list(requests)
        return {
            request.key: tuple(self.run(request.key, 100 + number) for number in range(request.runs))
            for request in requests
        }
