"""Metrics: what is measured, in which unit, which way is better, and whether it has noise."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Direction(StrEnum):
    """Which way a metric should go."""

    LOWER = "lower"
    HIGHER = "higher"


class Kind(StrEnum):
    """`sampled` metrics have noise and runs of samples; `exact` ones have one value per record."""

    SAMPLED = "sampled"
    EXACT = "exact"


class Metric(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A measured quantity; `unit` is one of `core.units`, `quantile` is .99 for a P99, else None."""

    name: str
    unit: str
    direction: Direction = Direction.LOWER
    kind: Kind = Kind.EXACT
    quantile: float | None = None

    @property
    def sign(self) -> int:
        """+1 when lower is better, -1 when higher is better: cost space is `sign * log(value)`."""
        return 1 if self.direction is Direction.LOWER else -1

    @property
    def is_sampled(self) -> bool:
        """Has samples and needs a test."""
        return self.kind is Kind.SAMPLED


BRANCH_LATENCY = "branch_latency"
KNOWN_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(name="latency", unit="s", kind=Kind.SAMPLED),
        Metric(name="p50_latency", unit="s", kind=Kind.SAMPLED, quantile=0.50),
        Metric(name="p95_latency", unit="s", kind=Kind.SAMPLED, quantile=0.95),
        Metric(name="p99_latency", unit="s", kind=Kind.SAMPLED, quantile=0.99),
        Metric(name="wall_time", unit="s", kind=Kind.SAMPLED),
        Metric(name="cpu_time", unit="s", kind=Kind.SAMPLED),
        Metric(name="throughput", unit="1/s", direction=Direction.HIGHER, kind=Kind.SAMPLED),
        Metric(name="cycles", unit="cycles"),
        Metric(name="copied_bytes", unit="B"),  # implicit host-device copies
        Metric(name="io_bytes", unit="B"),  # inputs and outputs of the call itself
        Metric(name="kernel_count", unit="count"),
        Metric(name="peak_memory", unit="B"),
        Metric(name="energy_j", unit="J"),
        Metric(name="programs", unit="count"),
        Metric(name="artefact_bytes", unit="B"),  # weights and constants that the compiled program carries
        Metric(name="deadline_misses", unit="count"),  # of a pipeline, over all frames
        Metric(name="skew", unit="s"),  # of a pipeline: between its first and its last branch
        Metric(name=BRANCH_LATENCY, unit="s"),  # of a pipeline: one metric for each branch
    )
}


def branch_metric(branch: str) -> Metric:
    """The latency of one branch of a pipeline: `branch_latency.camera`."""
    return Metric(name=f"{BRANCH_LATENCY}.{branch}", unit="s")


def known_metric(name: str) -> Metric | None:
    """The metric of this name, where perfgate gives it a meaning; branches are named by the user."""
    family, _, branch = name.partition(".")
    return branch_metric(branch) if family == BRANCH_LATENCY and branch else KNOWN_METRICS.get(name)
