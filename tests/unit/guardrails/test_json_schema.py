"""The JSON Schema says what the validator says; one wrong letter in a key gets the right word."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from perfgate.core.errors import UnusableError
from perfgate.guardrails.json_schema import json_schema
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from perfgate.guardrails.schema import RESERVED
from perfgate.guardrails.shape import Either, ListOf, MapOf, Shape, Table

EXAMPLE = """\
version: 1
settings:
  fail_on: error
  unresolved: warn
  unknown_flag: note
  weakening: warn
  waiver_max_days: 90
  paths: {include: ["**"], exclude: ["third_party/**"]}
  max_file_size: 1MiB
  alerts: all
targets:
  seg_convert: {extends: atc_convert, paths: ["deploy/seg/**"], flags_known: [--optypelayout]}
  mine: {programs: [atc], dialect: gflags, applies: {not: {has: [--om]}}}
  plans: {files: ["**/serve.yaml"], flags_key: flags}
  xla_all: {env: XLA_FLAGS}
rules:
  - id: layout-nhwc
    target: atc_convert
    require: {--optypelayout: NHWC, --output: null, --soc_version: [Ascend310, Ascend310P3]}
    severity: error
    message: "Wrong layout made segmentation four times slower."
    link: docs/incidents/2026-11-10.md
    fix: {set: {--optypelayout: NHWC}}
    expect: {min_matches: 1}
    unresolved: warn
    paths: [deploy/**]
    when:
      flag: {--framework: "5"}
      has: [--model]
      lacks: [--om]
      shows: [--model]
      device: "Ascend310P*"
      model: "seg_*"
      precision: fp16
      path: "deploy/**"
      any: [{open: true}, {has: --x}]
    examples: {valid: ["atc --framework=5 --model=m --optypelayout=NHWC"], invalid: ["atc --model=m"]}
  - {id: f, target: trtexec, forbid: [--best, "--sparsity=force", "--builderOptimizationLevel>3"]}
  - {id: v, target: atc, values: {--a: [x], --b: {each: [a, b], sep: ","}, --c: {glob: "fp16:*"}}}
  - {id: r, target: atc, range: {--d: {min: 1, max: 4, type: int}}}
  - {id: o, target: atc, at_most_one: [--precision_mode, --precision_mode_v2]}
  - {id: n, target: trtexec, all_or_none: [--minShapes, --optShapes, --maxShapes]}
  - id: k
    target: runtime
    keys: {memory_pool: {min: 2GB, type: size, required: true}, tea: {equals: true, values: [true]}}
  - id: c
    consistent: [{target: atc, flag: --soc_version}, {target: runtime, key: soc}, {target: xla, env: F}]
  - {id: b, budget: {metric: latency, max: 33ms, benchmark: "seg*", device: "*", op: "Conv*", warn_band: 5%}}
  - {id: m, targets_matrix: [{metric: latency.p99, max: 50ms}, {metric: throughput, min: 30, warn_band: 8%}]}
  - {id: a, alert: {all: ["latency>40ms for 3s"], action: safe mode}}
  - {id: a2, alert: {any: ["time_to_oom<5min"], action: free caches}}
waivers:
  - {rule: layout-nhwc, path: legacy/convert_v1.sh, fingerprint: 5b0c9e1fa27d4466, owner: "@alice",
     reason: "v1 models end in March", expires: 2027-02-15, ticket: PERF-77}
atc_convert: require --optypelayout=NHWC
trtexec: [forbid --best, require --memPoolSize]
atc: "forbid --op_debug_level>0"
runtime: require tea_cache=true stream.priority=high memory_pool>=2GB
latency: <=33ms
fps: ">=30"
power: max 75W warn 8%
"""


class _Loader(yaml.CSafeLoader):
    """YAML as an editor sees it, dates as texts."""


_Loader.yaml_implicit_resolvers = {
    sign: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
    for sign, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def value(text: str) -> Any:  # noqa: ANN401 - YAML holds any value
    return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader


VALIDATOR = Draft202012Validator(json_schema())


def load(text: str) -> None:
    load_rules([RuleSource(path="guardrails.yaml", text=text.encode())])


def test_schema_is_valid_and_accepts_what_the_validator_accepts() -> None:
    Draft202012Validator.check_schema(json_schema())
    load(EXAMPLE)
    assert [error.message for error in VALIDATOR.iter_errors(value(EXAMPLE))] == []
    assert json.loads(json.dumps(json_schema())) == json_schema()


def _fields(shape: Shape) -> set[str]:
    if isinstance(shape, Table):
        return {field.name for field in shape.fields} | {n for f in shape.fields for n in _fields(f.shape)}
    if isinstance(shape, ListOf):
        return _fields(shape.item)
    if isinstance(shape, MapOf):
        return _fields(shape.value)
    if isinstance(shape, Either):
        return {name for choice in shape.choices for name in _fields(choice)}
    return set()


KEYS = sorted({field.name for field in RESERVED}.union(*(_fields(field.shape) for field in RESERVED)))


def test_the_example_uses_every_key_there_is() -> None:
    used: set[str] = set()

    def walk(item: object) -> None:
        if isinstance(item, dict):
            used.update(item)
            for child in item.values():
                walk(child)
        if isinstance(item, list):
            for child in item:
                walk(child)

    walk(value(EXAMPLE))
    assert set(KEYS) - used == set()


def mutations(key: str) -> list[str]:
    """One letter missing, doubled, replaced, and two exchanged."""
    middle = len(key) // 2
    changed = {
        key[:middle] + key[middle + 1 :],
        key[:middle] + key[middle] + key[middle:],
        key[:middle] + ("q" if key[middle] != "q" else "x") + key[middle + 1 :],
        key[: middle - 1] + key[middle] + key[middle - 1] + key[middle + 1 :],
    }
    return sorted(changed - {key, ""} - set(KEYS))


PLACES = [(key, wrong) for key in KEYS for wrong in mutations(key) if wrong[0] in string.ascii_letters]


@pytest.mark.parametrize(("key", "wrong"), PLACES)
def test_one_wrong_letter_in_a_key_is_refused_with_the_right_word(key: str, wrong: str) -> None:
    at = next(
        index
        for index in range(len(EXAMPLE))
        if EXAMPLE.startswith(f"{key}:", index) and (index == 0 or EXAMPLE[index - 1] in "\n {,[")
    )
    text = EXAMPLE[:at] + wrong + EXAMPLE[at + len(key) :]
    with pytest.raises(UnusableError) as caught:
        load(text)
    assert f"did you mean '{key}'?" in str(caught.value)
    if (
        key != "alert"
    ):  # the shipped names are not in the schema: `alerts` and `alert` are both right somewhere
        assert list(VALIDATOR.iter_errors(value(text))), text[at - 10 : at + 30]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fail_on: error", "fail_on: eror"),
        ("type: size", "type: sizes"),
        ("metric: latency,", "metric: latencies,"),
        ("warn_band: 5%", "warn_band: five"),
        ("waiver_max_days: 90", "waiver_max_days: ninety"),
        ("required: true", "required: maybe"),
        ("version: 1", "version: 2"),
        ("id: f,", "id: F,"),
        ("5b0c9e1fa27d4466", "5b0c"),
        ("forbid: [--best,", "forbid: [--best], require: [--best,"),
        ("require --optypelayout=NHWC", "requires --optypelayout=NHWC"),
        ("<=33ms", "about 33ms"),
        ('forbid: [--best, "--sparsity=force", "--builderOptimizationLevel>3"]', "forbid: []"),
    ],
)
def test_both_refuse_the_same_values(old: str, new: str) -> None:
    text = EXAMPLE.replace(old, new, 1)
    assert text != EXAMPLE
    with pytest.raises(UnusableError):
        load(text)
    assert list(VALIDATOR.iter_errors(value(text)))
