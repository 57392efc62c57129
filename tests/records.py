"""Records made by hand, for tests of everything that reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import ProfileSummary, Record, Ruler, Run, Subject
from perfgate.measure.benchmark import Benchmark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.setting import Setting


def make_record(  # noqa: PLR0913 - keywords only, each with a default
    name: str,
    *,
    device: str = "dev",
    latencies: Sequence[Sequence[float]] = ((1.0, 1.01, 0.99, 1.02, 1.0),) * 5,
    exact: dict[str, float] | None = None,
    settings: tuple[Setting, ...] = (),
    profile: ProfileSummary | None = None,
) -> Record:
    """A record with one sampled metric, and the exact ones that are given."""
    values = {"peak_memory": 1000.0} if exact is None else exact
    metrics = (KNOWN_METRICS["latency"], *(KNOWN_METRICS[key] for key in values))
    return Record(
        benchmark=name,
        device=device,
        backend="simulated",
        ruler=Ruler(inputs={"x": "float32[1,3]"}, metrics=metrics, protocol={"samples": "5"}),
        subject=Subject(model="zoo:x", model_digest="00", compile=settings),
        runs=tuple(
            Run(id=index, seed=0, samples={"latency": tuple(samples)})
            for index, samples in enumerate(latencies)
        ),
        exact=values,
        profile=profile,
    )


def make_benchmark(name: str, device: str = "dev") -> Benchmark:
    """A benchmark that nobody measures."""
    return Benchmark(
        name=name,
        device=device,
        backend="simulated",
        model="zoo:x",
        place="perf_models.yaml:3:5",
        runs=5,
        samples=5,
        noise="quiet",
        metrics=(KNOWN_METRICS["latency"],),
    )
