"""What a view carries inside the page: its drawing, walk and tables as packed JSON with fixed ids."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM

    from perfgate.report.html.view import Table, View

_BOKEH_ID = re.compile(r"p\d+")
_COMPRESSION = 6  # 9 takes five times as long for 2 % less


def view_payload(view: View) -> str:
    """The drawing and what the script needs to drive it, packed."""
    return packed(
        {
            "document": document(view.draw()),
            "walk": {name: [_short(value) for value in values] for name, values in view.walk.items()},
            "actions": view.actions,
        }
    )


def _short(value: float | str) -> float | str:
    """Seven digits are a hundredth of a pixel in the nearest view, and half the length of all seventeen."""
    return float(f"{value:.7g}") if isinstance(value, float) else value


def table_payload(tables: tuple[Table, ...]) -> str:
    """The tables of a view, packed; the script makes them when they are first asked for."""
    return packed(tables)


def document(root: LayoutDOM) -> dict[str, Any]:
    """A drawing as Bokeh's own JSON whose ids depend on nothing but the drawing.

    Bokeh numbers the models of a process; the same drawing made twice would differ.
    """
    from bokeh.document import Document  # noqa: PLC0415 - 400 ms

    made = Document()
    made.add_root(root)
    content = made.to_json(deferred=False)
    renamed: dict[str, Any] = _with_own_ids(content, {})
    return renamed | {"title": ""}


def _with_own_ids(value: Any, known: dict[str, str]) -> Any:  # noqa: ANN401 - JSON
    """The same JSON with Bokeh's ids numbered in the order in which they appear."""
    if isinstance(value, dict):
        made = {key: _with_own_ids(item, known) for key, item in value.items() if key != "id"}
        found = value.get("id")
        if isinstance(found, str) and _BOKEH_ID.fullmatch(found):
            made["id"] = known.setdefault(found, f"p{len(known) + 1}")
        elif found is not None:
            made["id"] = found
        return made
    if isinstance(value, list | tuple):
        return [_with_own_ids(item, known) for item in value]
    return value


def packed(value: object) -> str:
    """JSON, compressed and in base64: nothing in it can end a script block. The browser unpacks it itself."""
    text = json.dumps(msgspec.to_builtins(value), separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(text.encode("utf-8"), _COMPRESSION, mtime=0)).decode("ascii")


def inline_json(value: object) -> str:
    """JSON that is safe inside a script block: no sign in it can end the block or a line of script."""
    text = json.dumps(msgspec.to_builtins(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
