"""Suite entries of timed backends: commands with their metrics, functions, ONNX models."""

from __future__ import annotations

import pytest

from perfgate.backends.launch import Launch, Reading
from perfgate.backends.machine_facts import python_label, system_label
from perfgate.core.errors import UsageError
from perfgate.core.metric import KNOWN_METRICS, Direction, Kind, Metric
from perfgate.measure.suite import load_suite

MIXED = """\
version: 1
defaults:
  devices: [ascend-310p-like, ascend-910b-like]
  samples: 50
  metrics: [latency, cycles]
  compile: {flags: {--optypelayout: NHWC}}
  runtime: {values: {streams: 2}}
  noise: quiet
  runs: 7
  timeout: 9 s
  owner: ada
benchmarks:
  - {name: a, model: "zoo:resnet50"}
  - {name: f, backend: python, call: "app.work:run"}
  - {name: c, backend: command, command: [python, -m, app.preprocess, --bench]}
  - {name: o, backend: onnxruntime, model: m.onnx, bind: {N: 4}, reference: {rtol: 1e-2}}
"""


def one(entry: str) -> str:
    return f"version: 1\nbenchmarks:\n  - {{name: a, {entry}}}\n"


def refusal(entry: str) -> str:
    with pytest.raises(UsageError) as caught:
        load_suite(one(entry).encode(), "perf/perf_a.yaml")
    assert "perf/perf_a.yaml:3:" in str(caught.value)
    return str(caught.value)


def command(more: str) -> str:
    return f"backend: command, command: [bench], {more}"


def test_the_simulators_defaults_do_not_leak_into_timed_benchmarks() -> None:
    *simulated, function, program, model = load_suite(MIXED.encode(), "perf_a.yaml")
    assert [item.device for item in simulated] == ["ascend-310p-like", "ascend-910b-like"]
    assert [item.device for item in (function, program, model)] == [
        f"python-{python_label()}",
        f"command-{system_label()}",
        f"onnxruntime-{system_label()}",
    ]
    for item in (function, program, model):
        assert [metric.name for metric in item.metrics] == ["latency"]
        assert (item.compile.flags, item.runtime.values) == ({}, {})
        assert (item.runs, item.timeout, item.owner) == (7, 9.0, "ada")  # these hold for all
    assert (function.samples, program.samples, model.samples) == (20, 5, 20)


def test_a_timed_backends_own_defaults_hold_for_it() -> None:
    text = "version: 1\ndefaults: {backend: command, devices: [board-7], samples: 9, warmup: 2}\n"
    text += "benchmarks:\n  - {name: a, command: [bench]}\n  - {name: b, backend: python, call: 'm:f'}\n"
    program, function = load_suite(text.encode(), "perf_a.yaml")
    assert (program.device, program.samples, program.warmup) == ("board-7", 9, 2)
    assert (function.device, function.samples, function.warmup) == (f"python-{python_label()}", 20, None)


def test_a_command_is_an_argument_list_with_folder_environment_and_exit_code() -> None:
    entry = command("folder: ../build, environment: {OMP_NUM_THREADS: 1}, exit_code: 3")
    (found,) = load_suite(one(entry).encode(), "perf/perf_a.yaml")
    assert found.launch == Launch(
        argv=("bench",), folder="build", environment={"OMP_NUM_THREADS": "1"}, exit_code=3
    )
    assert found.work == "bench"


def test_metrics_of_a_command_have_sources_units_and_directions() -> None:
    entry = command(
        "metrics: {latency: {regex: 'took (\\S+) ms', unit: ms}, cpu_time: {}, p99_latency: {}, "
        "memory: {pointer: /peak, file: out.json, unit: MiB}, rate: {regex: '(\\S+) FPS', unit: frames/s}, "
        "score: {regex: 'score (\\d+)', unit: points, direction: higher}}"
    )
    (found,) = load_suite(one(entry).encode(), "perf_a.yaml")
    sampled = Kind.SAMPLED
    assert found.metrics == (
        Metric(name="latency", unit="s", kind=sampled),
        KNOWN_METRICS["cpu_time"],
        KNOWN_METRICS["p99_latency"],
        Metric(name="memory", unit="B", kind=sampled),
        Metric(name="rate", unit="1/s", direction=Direction.HIGHER, kind=sampled),
        Metric(name="score", unit="points", direction=Direction.HIGHER, kind=sampled),
    )
    assert found.launch is not None
    assert found.launch.readings == (
        Reading(metric="latency", unit="s", factor=1e-3, regex=r"took (\S+) ms"),
        Reading(metric="memory", unit="B", factor=2.0**20, pointer="/peak", file="out.json"),
        Reading(metric="rate", unit="1/s", regex=r"(\S+) FPS"),
        Reading(metric="score", unit="points", regex=r"score (\d+)"),
    )


def test_a_known_format_brings_the_unit_of_a_known_metric() -> None:
    entry = command(
        "metrics: {latency: {format: hyperfine, name: 'sleep 1', file: h.json}, "
        "compute_time: {format: trtexec, unit: ms}}"
    )
    (found,) = load_suite(one(entry).encode(), "perf_a.yaml")
    assert [(metric.name, metric.unit) for metric in found.metrics] == [
        ("latency", "s"),
        ("compute_time", "s"),
    ]
    assert found.launch is not None
    assert found.launch.readings == (
        Reading(metric="latency", unit="s", format="hyperfine", name="sleep 1", file="h.json"),
        Reading(metric="compute_time", unit="s", format="trtexec"),
    )


def test_a_percentile_that_a_command_reports_is_a_value_and_no_sample_of_the_latency() -> None:
    entry = command("metrics: {p99_latency: {regex: 'p99 (\\S+) us', unit: us}}")
    (found,) = load_suite(one(entry).encode(), "perf_a.yaml")
    assert found.metrics[0].quantile is None


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("backend: command", "a benchmark on backend command needs `command`"),
        ("backend: command, command: [a], call: 'm:f'", "a benchmark on backend command has no `call`"),
        ("backend: python, call: 'm:f', command: [a]", "a benchmark on backend python has no `command`"),
        ("backend: python, call: 'm:f', folder: x", "has no `folder`"),
        ("backend: python, call: 'm:f', bind: {N: 1}", "has no `bind`"),
        ("backend: python, call: 'm:f', compile: {flags: {a: b}}", "has no `compile`"),
        ("backend: onnxruntime, model: m, runtime: {values: {a: b}}", "it belongs to simulated"),
        ("backend: onnxruntime, model: m, iterations: 2", "has no `iterations`"),
        ("backend: onnxruntime, model: m, metrics: [cycles]", "does not measure 'cycles': "),
        ("backend: onnxruntime, model: m, metrics: {latency: {}}", "sources of metrics on backend"),
        ("backend: onnxruntime, model: m, reference: {rtol: -1}", "'rtol' is '-1'"),
        ("model: m, devices: [d], reference: {}", "has no `reference`"),
        ("model: m, devices: [d], environment: {A: b}", "has no `environment`"),
        (command("folder: ../../x"), "leaves the repository"),
        (command("exit_code: 256"), "'exit_code' is '256'"),
        (command("metrics: [peak_memory]"), "does not measure 'peak_memory'"),
        (command("metrics: {}"), "no metrics"),
        (command("metrics: {latency: {regex: '(a)'}}"), "the metric 'latency' has no unit"),
        (command("metrics: {latency: {regex: '(a)', unit: MiB}}"), "latency is in s, lower is better"),
        (command("metrics: {latency: {regex: '(a)', unit: s, direction: higher}}"), "latency is in s"),
        (command("metrics: {a: {regex: '(a)', unit: parsec}}"), "unknown unit 'parsec'"),
        (command("metrics: {a: {regex: '(a)', unit: s, direction: up}}"), "'up'"),
        (command("metrics: {a: {regex: '(a', unit: s}}"), "is broken"),
        (command("metrics: {a: {regex: 'a', unit: s}}"), "has 0 groups"),
        (command("metrics: {a: {regex: '(a)(b)', unit: s}}"), "has 2 groups"),
        (command("metrics: {a: {regex: '(a)', pointer: /a, unit: s}}"), "both `regex` and `pointer`"),
        (command("metrics: {a: {pointer: a/b, unit: s}}"), "a JSON pointer starts with `/`"),
        (command("metrics: {latency: {format: hyperfin}}"), "did you mean 'hyperfine'?"),
        (command("metrics: {a: {format: trtexec}}"), "the metric 'a' has no unit"),
        (command("metrics: {a: {format: trtexec, regex: '(a)', unit: s}}"), "both `regex` and `format`"),
        (command("metrics: {a: {regex: '(a)', name: b, unit: s}}"), "`name` without `format`"),
        (command("metrics: {a: {unit: s}}"), "the metric 'a' has no source"),
        (command("metrics: {latency: {unit: s}}"), "the metric 'latency' has no source"),
        (command("metrics: {'a b': {regex: '(a)', unit: s}}"), "the metric 'a b'"),
        (command("metrics: {latency: {regx: '(a)', unit: s}}"), "unknown key 'regx'"),
    ],
)
def test_a_mistake_names_its_place_and_remedy(entry: str, words: str) -> None:
    assert words in refusal(entry)


def test_an_unknown_key_of_a_metric_has_its_place_and_the_nearest_name() -> None:
    message = refusal(command("metrics: {latency: {regx: '(a)', unit: s}}"))
    assert "did you mean 'regex'?" in message
    assert message.startswith("unknown key 'regx': perf/perf_a.yaml:3:")


def test_a_memory_limit_is_a_size_of_a_measured_process() -> None:
    (found,) = load_suite(one(command("memory_limit: 512 MiB")).encode(), "perf/perf_a.yaml")
    assert found.memory_limit == 512 * 1024**2
    for text in ("lots", "0 GB", "2", "90 s"):
        assert "write it like `2 GB`" in refusal(command(f"memory_limit: {text}"))
    assert "it belongs to python and command and onnxruntime" in refusal(
        'model: "zoo:resnet50", memory_limit: 1 GB'
    )
