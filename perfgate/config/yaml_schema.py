"""The JSON Schema of our own YAML files, for editors: as `typed_yaml` reads them, not as YAML types them."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Meta

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Json = dict[str, Any]  # a JSON object


def means(text: str) -> Meta:
    """What a key is for: editors show it, and the reference of the documentation is made from it."""
    return Meta(description=text)


def yaml_json_schema(target: type[Any], title: str) -> Json:
    """The schema of a file that `read_typed` reads as the type.

    A text may be written without quotes, so an editor sees `8` or `true` where the type says text.
    """
    return {"$schema": DIALECT, "title": title, **_loosened(msgspec.json.schema(target))}


def _loosened(schema: Any) -> Any:  # noqa: ANN401 - JSON in, JSON out
    if isinstance(schema, list):
        return [_loosened(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    loosened = {key: value if key == "default" else _loosened(value) for key, value in schema.items()}
    if schema.get("type") == "string" and not {"enum", "const", "pattern", "format"} & schema.keys():
        loosened["type"] = ["string", "number", "boolean"]
    return loosened
