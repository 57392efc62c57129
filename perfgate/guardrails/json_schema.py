"""The JSON Schema of rule files, for editors; made from the same field tables as the validator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from perfgate.guardrails.metric_names import METRIC_NAMES
from perfgate.guardrails.schema import RESERVED
from perfgate.guardrails.shape import Either, ListOf, MapOf, Scalar, Self, Table
from perfgate.guardrails.targets import builtin_targets

if TYPE_CHECKING:
    from perfgate.guardrails.shape import Field, Shape

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LINE = r"^\s*((warn|note)\s+)?(require|forbid)\s+\S"
_BUDGET = r"^\s*(<=|>=|<|>|max\s|min\s)\s*\S"
_NAMES_A_TARGET = frozenset({"target", "extends"})

Json = dict[str, Any]  # a JSON object


def json_schema() -> Json:
    """The schema of a whole rule file (draft 2020-12)."""
    definitions: Json = {}
    properties: Json = {field.name: _described(field, definitions) for field in RESERVED}
    for name in builtin_targets():
        properties[name] = {"$ref": "#/$defs/lines", "description": f"short lines on the target {name}"}
    for name in METRIC_NAMES:
        properties[name] = {"$ref": "#/$defs/budget_lines", "description": f"budget on the metric {name}"}
    definitions["lines"] = _one_or_many({"type": "string", "pattern": _LINE})
    definitions["budget_lines"] = _one_or_many({"type": "string", "pattern": _BUDGET})
    return {
        "$schema": DIALECT,
        "title": "perfgate guardrails",
        "type": "object",
        "properties": properties,
        "additionalProperties": {
            "$ref": "#/$defs/lines",
            "description": "short lines on a target of this file",
        },
        "$defs": dict(sorted(definitions.items())),
    }


def _one_or_many(item: Json) -> Json:
    return {"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]}


def _described(field: Field, definitions: Json) -> Json:
    schema = _schema(field.shape, definitions)
    if field.name in _NAMES_A_TARGET:
        schema = {"anyOf": [{"enum": list(builtin_targets())}, schema]}
    return {**schema, "description": field.text}


def _schema(shape: Shape, definitions: Json) -> Json:
    match shape:
        case Scalar():
            return _scalar(shape)
        case ListOf():
            items = _schema(shape.item, definitions)
            array: Json = {"type": "array", "items": items, "minItems": shape.min_items}
            return {"anyOf": [items, array]} if shape.allows_one else array
        case MapOf():
            values = _schema(shape.value, definitions)
            return {"type": "object", "additionalProperties": values, "minProperties": shape.min_items}
        case Table():
            _define(shape, definitions)
            return {"$ref": f"#/$defs/{shape.name}"}
        case Either():
            return {"anyOf": [_schema(choice, definitions) for choice in shape.choices]}
        case Self():
            return {"$ref": f"#/$defs/{shape.name}"}
        case _:
            assert_never(shape)


def _scalar(shape: Scalar) -> Json:
    types = list(shape.json_types) + (["null"] if shape.allows_null else [])
    schema: Json = {"type": types[0] if len(types) == 1 else types}
    if "integer" in types:
        return {"type": "integer", "minimum": 0} | (
            {"enum": list(map(int, shape.choices))} if shape.choices else {}
        )
    if types == ["boolean"]:
        return schema
    if shape.choices:
        schema["enum"] = list(shape.choices)
    if shape.pattern:
        schema["pattern"] = f"^(?:{shape.pattern})$"
    if shape.min_length:
        schema["minLength"] = shape.min_length
    return schema


def _define(table: Table, definitions: Json) -> None:
    if table.name in definitions:
        return
    schema: Json = {"type": "object", "additionalProperties": False}
    definitions[table.name] = schema
    schema["properties"] = {field.name: _described(field, definitions) for field in table.fields}
    required = [field.name for field in table.fields if field.is_required]
    if required:
        schema["required"] = required
    if table.one_of:
        schema["oneOf"] = [{"required": [name]} for name in table.one_of]
