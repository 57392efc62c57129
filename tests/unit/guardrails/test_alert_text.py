"""The grammar of alert conditions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from perfgate.core.errors import UnusableError
from perfgate.guardrails.rule import Alert
from tests.guard_facts import only_rule

MB = 1024**2


@pytest.mark.parametrize(
    ("text", "metric", "condition"),
    [
        ("latency>40ms for 3s", "latency", ("now", ">", Fraction(40, 1000), 3)),
        ("latency.p99 >= 40ms", "p99_latency", ("now", ">=", Fraction(40, 1000), 0)),
        ("peak_memory.rate>100MB/min", "peak_memory", ("rate", ">", Fraction(100 * MB, 60), 0)),
        ("power.rate<2W/s", "power", ("rate", "<", Fraction(2), 0)),
        ("gpu_utilisation.swing>30%", "gpu_utilisation", ("swing", ">", Fraction(30), 0)),
        ("fps<25 for 2min", "throughput", ("now", "<", Fraction(25), 120)),
        ("time_to_oom<5min", "peak_memory", ("time_to_oom", "<", Fraction(300), 0)),
    ],
)
def test_condition(text: str, metric: str, condition: tuple[str, str, Fraction, int]) -> None:
    reading, sign, limit, seconds = condition
    body = only_rule(f"rules: [{{id: a, alert: {{all: ['{text}'], action: x}}}}]").body
    assert isinstance(body, Alert)
    (read,) = body.conditions
    assert (read.metric, read.reading, read.sign) == (metric, reading, sign)
    assert (read.limit.value, read.for_seconds) == (limit, Fraction(seconds))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("latency", "write latency>40ms for 3s"),
        ("latncy>40ms", "did you mean 'latency'?"),
        ("whatever>40ms", "known:"),
        ("latency>40", "such as 33ms"),
        ("latency>40ms for long", "for 3s"),
        ("latency>40ms for -1s", "for 3s"),
        ("latency>40ms/min", "peak_memory.rate"),
        ("peak_memory.rate>100MB", "peak_memory.rate>100MB/min"),
        ("time_to_oom<5min for 3s", "leave out `for 3s`"),
        ("peak_memory.rate>100MB/min for 3s", "leave out `for 3s`"),
        ("gpu_utilisation.swing>30% for 3s", "leave out `for 3s`"),
        ("time_to_oom<5MB", "time_to_oom<5min"),
    ],
)
def test_mistake_says_what_to_write(text: str, part: str) -> None:
    with pytest.raises(UnusableError, match=r"guardrails\.yaml:1:") as caught:
        only_rule(f"rules: [{{id: a, alert: {{all: ['{text}'], action: x}}}}]")
    assert part in str(caught.value)
