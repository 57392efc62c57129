from __future__ import annotations

import pytest

from perfgate.core.errors import UsageError
from perfgate.measure.suite import is_suite_file, load_suite

SUITE = """\
version: 1
defaults:
  devices: [ascend-310p-like, ascend-910b-like]
  samples: 10
  compile: {from: ../deploy/convert.sh, command: atc}
thresholds: {latency: 2%}
benchmarks:
  - {name: a, model: "zoo:resnet50", preset: tiny}
  - name: b
    model: models/b.onnx
    devices: [orin-like]
    runs: 7
    inputs: {image: {shape: [N, 3, 224, 224], dtype: float16}}
    bind: {N: 4}
    metrics: [latency, cycles]
    compile: {flags: {--optypelayout: NHWC}}
"""


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        load_suite(text.encode(), "perf/perf_a.yaml")
    return str(caught.value)


def one(entry: str) -> str:
    return f"version: 1\nbenchmarks:\n  - {{name: a, model: m.onnx, devices: [d], {entry}}}\n"


def test_entries_take_defaults_and_replace_lists() -> None:
    first, second, third = load_suite(SUITE.encode(), "perf/perf_a.yaml")
    assert [item.key for item in (first, second, third)] == [
        "a[ascend-310p-like]",
        "a[ascend-910b-like]",
        "b[orin-like]",
    ]
    assert (first.runs, first.samples, third.runs, third.samples) == (5, 10, 7, 10)
    assert first.compile.path == "deploy/convert.sh"
    assert third.compile.flags == {"--optypelayout": "NHWC"}
    assert third.compile.path is None
    assert third.inputs == {"image": (4, 3, 224, 224)}
    assert third.model == "perf/models/b.onnx"
    assert [metric.name for metric in third.metrics] == ["latency", "cycles"]
    assert third.place == "perf/perf_a.yaml:9:5"
    assert third.suite == "perf/perf_a.yaml"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("backend: gpu", "unknown backend 'gpu'"),
        ("metrics: [latncy]", "did you mean 'latency'?"),
        ("metrics: []", "an empty list of metrics"),
        ("devices: []", "duplicate"),
        ("inputs: {x: {shape: [N]}}", "the dimension 'N' of input 'x' is not bound: perf/perf_a.yaml:3:"),
        ("compile: {from: c.sh, flags: {--a: b}}", "both `from` and `flags`"),
        ("compile: {from: ../../c.sh}", "leaves the repository"),
        ("compile: {from: /c.sh}", "leaves the repository"),
        ("runtime: {from: c.yaml, values: {a: b}}", "both `from` and `values`"),
        ("runs: 0", "expected 'int' >= 1"),
        ("modle: x", "unknown key 'modle'"),
    ],
)
def test_a_mistake_names_its_place_and_remedy(entry: str, message: str) -> None:
    if message == "duplicate":
        text = "version: 1\nbenchmarks:\n  - {name: a, model: m.onnx}\n"
        assert "names no device" in refusal(text)
        return
    assert message in refusal(one(entry))


def test_one_name_twice_is_refused_with_both_places() -> None:
    entry = "  - {name: a, model: m, devices: [d]}\n"
    text = f"version: 1\nbenchmarks:\n{entry}{entry}"
    assert "a[d] is defined twice: perf/perf_a.yaml:3:5 and perf/perf_a.yaml:4:5" in refusal(text)


def test_suite_files_are_known_by_name() -> None:
    names = ["perf_a.yaml", "perf_b.yml", "a.yaml", "perf.yaml", "perf_a.yaml.bak"]
    assert [is_suite_file(name) for name in names] == [True, True, False, False, False]
