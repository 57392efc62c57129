"""Names of metrics that budgets and alerts may use, with the unit their limits are written in."""

from __future__ import annotations

from perfgate.core.metric import KNOWN_METRICS
from perfgate.guardrails.quantity import NumberType

PLAIN = frozenset({NumberType.INT, NumberType.FLOAT})
_TYPES_OF_UNIT = {
    "s": frozenset({NumberType.TIME}),
    "B": frozenset({NumberType.SIZE, NumberType.INT}),
    "%": frozenset({NumberType.PERCENT}) | PLAIN,
}
_COUNTERS = {"gpu_utilisation": "%", "cpu_utilisation": "%", "power": "W", "temperature": "C"}
_ALIASES = {
    "latency.p50": "p50_latency",
    "latency.p95": "p95_latency",
    "latency.p99": "p99_latency",
    "fps": "throughput",
    "gpu_utilization": "gpu_utilisation",
    "cpu_utilization": "cpu_utilisation",
    "energy": "energy_j",
}
_SUFFIXES = {
    "W": ("W",),
    "1/s": ("fps", "/s", "Hz"),
    "J": ("J",),
    "C": ("C",),
}  # units without a scale of their own

UNITS: dict[str, str] = {metric.name: metric.unit for metric in KNOWN_METRICS.values()} | _COUNTERS
METRIC_NAMES: tuple[str, ...] = (*UNITS, *_ALIASES)


def canonical_metric(name: str) -> str | None:
    """The metric's own name for a name or alias, or None."""
    name = _ALIASES.get(name, name)
    return name if name in UNITS else None


def number_types(metric: str) -> frozenset[NumberType]:
    """The kinds of number a limit on this metric may be."""
    return _TYPES_OF_UNIT.get(UNITS[metric], PLAIN)


def without_unit(metric: str, text: str) -> str:
    """A limit without a unit that only names the metric's own: `75W` is `75` for power, `30fps` is `30`."""
    for suffix in _SUFFIXES.get(UNITS[metric], ()):
        if text.endswith(suffix):
            return text.removesuffix(suffix).strip()
    return text


def unit_hint(metric: str) -> str:
    """How a limit on this metric is written, for messages."""
    examples = {"s": "33ms", "B": "4GB", "%": "80%", "W": "75W", "1/s": "30fps", "J": "2.5J"}
    return f"such as {examples.get(UNITS[metric], '1000')}"
