"""docs/reference/FILES.md: the keys of suite and policy files, from the types that read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from perfgate.gate.policy_file import PolicyEntry, PolicyFile, WaiverEntry
from perfgate.measure import config_schema, pipeline_schema, suite_schema
from perfgate.workflow.json_schemas import NAMES
from tests.documentation.tables import code, page, table

if TYPE_CHECKING:
    from collections.abc import Sequence

INTRODUCTION = """\
Editors complete and check these files with the JSON Schemas that `perfgate doctor --schema suite`,
`policy` and `guardrails` print. Both kinds of file are strict: an unknown or repeated key, an anchor, a
tag or a second document is an error with file, line and column."""
SUITE = "Files `perf_*.yaml` anywhere in the repository. How they are written: [TIMED.md](../TIMED.md), \
[howto/ADD_BENCHMARK.md](../howto/ADD_BENCHMARK.md)."
POLICY = "`perfgate.yaml` at the root. What its keys do together: [POLICY.md](../POLICY.md)."
GUARDRAILS = "`guardrails.yaml`: its tables, made from the code too, stand in [RULES.md](../RULES.md)."


def files_page() -> str:
    """The page."""
    entry, defaults = fields(suite_schema.BenchmarkEntry), fields(suite_schema.Defaults)
    shared = {item.encode_name for item in defaults}
    return page(
        "Files: suite, policy, guardrails, records",
        INTRODUCTION,
        "## Suite",
        SUITE,
        _keys(fields(suite_schema.SuiteFile)),
        "### A benchmark",
        _keys([item for item in entry if item.encode_name not in shared]),
        "### Defaults, and keys of a benchmark too",
        _keys(defaults),
        *_suite_parts(),
        "## Policy",
        POLICY,
        _keys(fields(PolicyFile)),
        "### A rule of `policy`",
        _keys(fields(PolicyEntry)),
        "### A waiver",
        _keys(fields(WaiverEntry)),
        "## Guardrails",
        GUARDRAILS,
        "## What perfgate writes",
        f"`perfgate doctor --schema NAME` prints the schema of each: {', '.join(map(code, NAMES))}.",
    )


def fields(target: type[msgspec.Struct]) -> Sequence[inspect.Field]:
    """The keys of one mapping."""
    found = inspect.type_info(target)
    assert isinstance(found, inspect.StructType)
    return found.fields


def _suite_parts() -> tuple[str, ...]:
    return (
        "### `compile`",
        _keys(fields(config_schema.CompileEntry)),
        "### `runtime`",
        _keys(fields(config_schema.RuntimeEntry)),
        "### One metric of `metrics`",
        _keys(fields(suite_schema.MetricEntry)),
        "### `reference`",
        _keys(fields(suite_schema.ReferenceEntry)),
        "### One input of `inputs`",
        _keys(fields(config_schema.InputEntry)),
        "### `pipeline`, in a suite or in a file of its own",
        _keys(fields(pipeline_schema.PipelineEntry)),
        "### One stage of `stages`",
        _keys(fields(pipeline_schema.StageEntry)),
    )


def _keys(found: Sequence[inspect.Field]) -> str:
    return table(("key", "value", "meaning"), (_row(item) for item in found))


def _row(field: inspect.Field) -> tuple[str, str, str]:
    assert isinstance(field.type, inspect.Metadata), f"{field.name} has no meaning: see `means`"
    meaning = str((field.type.extra_json_schema or {})["description"])
    if field.required:
        meaning += " (required)"
    elif isinstance(field.default, str | float | int) and field.default != "":
        meaning += f"; `{getattr(field.default, 'value', field.default)}` without it"
    return code(field.encode_name), value_words(field.type), meaning


def value_words(found: Any) -> str:  # noqa: ANN401, PLR0911 - msgspec's types have no common name; one line each
    """A type in words of a YAML file."""
    match found:
        case inspect.Metadata():
            return value_words(found.type)
        case inspect.UnionType():
            inner = [value_words(item) for item in found.types if not isinstance(item, inspect.NoneType)]
            return " or ".join(inner)
        case inspect.ListType():
            return f"list of {value_words(found.item_type)}"
        case inspect.DictType():
            return f"mapping to {value_words(found.value_type)}"
        case inspect.EnumType():
            return ", ".join(code(item.value) for item in found.cls)
        case inspect.LiteralType():
            return ", ".join(map(code, map(str, found.values)))
        case inspect.StructType():
            return "mapping"
        case inspect.IntType() | inspect.FloatType():
            return "number" + _bounds(found)
        case inspect.BoolType():
            return "`true`, `false`"
        case _:
            return "text"


def _bounds(found: inspect.IntType | inspect.FloatType) -> str:
    words = [
        f"{word} {value:,g}"
        for word, value in (("from", found.ge), ("above", found.gt), ("to", found.le), ("below", found.lt))
        if value is not None
    ]
    return f" {' '.join(words)}" if words else ""
