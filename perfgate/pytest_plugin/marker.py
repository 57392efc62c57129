"""The `perfgate` marker and the name under which a test's measurement is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfgate.config.typed_yaml import did_you_mean
from perfgate.core.errors import PerfgateError, UsageError
from perfgate.core.metric import KNOWN_METRICS, Metric
from perfgate.gate.policy_file import suite_rules

if TYPE_CHECKING:
    import pytest

MARKER = "perfgate"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the marker of a test says; empty fields leave it to the suite's defaults and the policy."""

    name: str = ""
    metrics: tuple[str, ...] = ()
    min_effect: str = ""
    limit: dict[str, str] = field(default_factory=dict)
    owner: str = ""
    group: str = ""

    def metrics_of(self, defaults: tuple[str, ...]) -> tuple[Metric, ...]:
        """The metrics by name."""
        return tuple(KNOWN_METRICS[name] for name in self.metrics or defaults)

    def thresholds(self, metrics: tuple[Metric, ...]) -> dict[str, str]:
        """The smallest effect for each metric, as a suite file would give it."""
        return {metric.name: self.min_effect for metric in metrics} if self.min_effect else {}


def read_marker(item: pytest.Item) -> Wishes:
    """The wishes of all `perfgate` marks on a test; the nearest one wins.

    Raises:
        UsageError: positional arguments, an unknown keyword, or a value that cannot be taken; names the test.
    """
    values: dict[str, Any] = {}
    for mark in reversed(list(item.iter_markers(MARKER))):
        if mark.args:
            raise UsageError(
                "the marker `perfgate` takes keywords only", item.nodeid, "write name=..., metrics=[...]"
            )
        for key, value in mark.kwargs.items():
            if key not in Wishes.__slots__:
                what = f"unknown keyword {key!r} of the marker `perfgate`"
                raise UsageError(what, item.nodeid, did_you_mean(key, Wishes.__slots__))
            if value is not None:
                values[key] = value
    return _checked(values, item.nodeid)


def _checked(values: dict[str, Any], where: str) -> Wishes:
    for key in ("name", "min_effect", "owner", "group"):
        if not isinstance(values.get(key, ""), str):
            raise UsageError(f"{key} of the marker is no text: {values[key]!r}", where, f'write {key}="..."')
    metrics = values.get("metrics", ())
    if isinstance(metrics, str) or not all(isinstance(name, str) for name in metrics):
        raise UsageError(f"metrics {metrics!r} is no list of names", where, 'write metrics=["latency"]')
    unknown = next((name for name in metrics if name not in KNOWN_METRICS), None)
    if unknown is not None:
        raise UsageError(f"unknown metric {unknown!r}", where, did_you_mean(unknown, KNOWN_METRICS))
    limit = values.get("limit", {})
    if not isinstance(limit, dict) or not all(
        isinstance(text, str) for pair in limit.items() for text in pair
    ):
        raise UsageError(f"limit {limit!r} is no mapping", where, 'write limit={"latency": "<=40ms"}')
    wishes = Wishes(**{**values, "metrics": tuple(metrics), "limit": dict(limit)})
    check_limits(wishes.min_effect, wishes.limit, where)
    return wishes


def check_limits(min_effect: str, limit: dict[str, str], where: str) -> None:
    """Refuse thresholds and limits now that the decision could not read.

    Raises:
        UsageError: with the test's name.
    """
    effects = {"latency": min_effect} if min_effect else {}
    try:
        suite_rules(["*"], effects, limit, where)
    except PerfgateError as problem:
        raise UsageError(problem.what, where, problem.remedy) from None


def benchmark_name(item: pytest.Item, wishes: Wishes, device: str = "") -> str:
    """`file::test[ids]`, or the marker's name with the ids; ids that only repeat the device are dropped.

    Raises:
        UsageError: an id holds a memory address, which is another one in the next run.
    """
    plain, bracket, ids = item.nodeid.partition("[")
    ids = ids.removesuffix("]")
    if _ADDRESS.search(ids):
        what = f"the parameter id {ids!r} holds a memory address"
        raise UsageError(what, item.nodeid, "give the parameters `ids=`, so that the name stays the same")
    base = wishes.name or plain
    if not bracket or (device and ids == device):
        return base
    if device:
        ids = ids.removesuffix(f"-{device}").removeprefix(f"{device}-")
    return f"{base}[{ids}]"


def place_of(item: pytest.Item) -> str:
    """`file:line:column` of the test, as places of suites are written."""
    path, line, _ = item.location
    return f"{path}:{(line or 0) + 1}:1"
