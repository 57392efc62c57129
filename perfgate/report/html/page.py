"""The page: one file that needs no network, with every view in it, unpacked when it is first opened."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.report.html.payload import inline_json, table_payload, view_payload
from perfgate.report.html.policy import content_policy, normalised
from perfgate.report.html.summary import page_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.report.html.material import Material
    from perfgate.report.html.summary import Head
    from perfgate.report.html.view import Swatch, View

_ASSETS = Path(__file__).parent / "assets"


def page(material: Material, views: Sequence[View]) -> str:
    """The page as HTML; equal input gives equal text."""
    scripts = (_bokeh(), normalised((_ASSETS / "report.js").read_text(encoding="utf-8")))
    head = page_head(material)
    title = escape(f"perfgate: {head.title} {head.change}".strip())
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(content_policy(scripts))}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>{(_ASSETS / 'report.css').read_text(encoding='utf-8')}</style>",
        "</head><body>",
        _header(head, views),
        _tabs(views),
        "<main>",
        *(_panel(view, is_first=view is views[0]) for view in views),
        "</main>",
        '<footer><span id="selected" role="status" aria-live="polite">nothing selected</span></footer>',
        '<div id="tip" hidden></div>',
        _data("page", "application/json", inline_json({"views": [_facts(view) for view in views]})),
        *(_data(f"view-{view.name}", "text/plain", view_payload(view)) for view in views),
        *(_data(f"table-{view.name}", "text/plain", table_payload(view.tables)) for view in views),
        *(f"<script>{script}</script>" for script in scripts),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _bokeh() -> str:
    from bokeh.resources import Resources  # noqa: PLC0415 - 400 ms

    # The one component: our views need neither Bokeh's widgets nor its tables.
    resources = Resources(mode="inline", minified=True, log_level="warn", components=["bokeh"])
    return normalised("\n".join(resources.js_raw))


def _data(name: str, kind: str, text: str) -> str:
    """A block that no browser runs."""
    return f'<script type="{kind}" id="{name}">{text}</script>'


def _facts(view: View) -> dict[str, object]:
    """What the script must know before a view is opened."""
    return {
        "name": view.name,
        "title": view.title,
        "choices": view.choices,
        "buttons": view.buttons,
        "brushes": view.brushes,
    }


def _header(head: Head, views: Sequence[View]) -> str:
    change = f'<strong id="change">{escape(head.change)}</strong>'
    lines = [f"<header><h1>perfgate <span>{escape(head.title)}</span> {change}</h1>"]
    for line in head.causes:
        text = escape(line.text)
        links = _links(line.operator, views) if line.operator >= 0 else ""
        lines.append(f'<p class="cause">{text}{links}</p>')
    lines += _folded("fixes", head.fixes) + _folded("notes", head.notes)
    figures = " ".join(f"<span>{escape(name)} <b>{escape(value)}</b></span>" for name, value in head.figures)
    lines.append(
        f'<p class="figures">{figures} <label>search <input id="search" type="search" autocomplete="off">'
        '</label> <span id="found" role="status"></span></p></header>'
    )
    return "\n".join(lines)


def _links(operator: int, views: Sequence[View]) -> str:
    """Into every view that knows the operator."""
    found = [view for view in views if operator in view.walk["op"]]
    return "".join(f' <a href="#{view.name}/{operator}">{escape(view.title)}</a>' for view in found)


def _folded(title: str, items: Sequence[str]) -> list[str]:
    if not items:
        return []
    rows = "".join(f"<li>{escape(item)}</li>" for item in items)
    return [f"<details><summary>{title} ({len(items)})</summary><ol>{rows}</ol></details>"]


def _tabs(views: Sequence[View]) -> str:
    tabs = "".join(
        f'<a role="tab" id="tab-{view.name}" href="#{view.name}" aria-controls="panel-{view.name}" '
        f'aria-selected="{str(number == 0).lower()}" tabindex="{0 if number == 0 else -1}">'
        f"{escape(view.title)}</a>"
        for number, view in enumerate(views)
    )
    return f'<nav aria-label="views"><div role="tablist">{tabs}</div></nav>'


def _panel(view: View, *, is_first: bool) -> str:
    hidden = "" if is_first else " hidden"
    notes = "".join(f"<p>{escape(note)}</p>" for note in view.notes)
    return (
        f'<section role="tabpanel" id="panel-{view.name}" aria-labelledby="tab-{view.name}"{hidden}>'
        f'<p class="hint">{escape(view.hint)}</p>{notes}'
        '<div class="bar"></div><nav class="path" aria-label="where"></nav>'
        f'<div class="drawing" tabindex="0" role="application" aria-label="{escape(view.title)} drawing">'
        f'</div>{_legend(view.legend)}<div class="tables" hidden></div></section>'
    )


def _legend(swatches: Sequence[Swatch]) -> str:
    if not swatches:
        return ""
    items = "".join(
        f'<li><i class="{"hatched" if swatch.is_hatched else "plain"}"'
        f' style="background-color:{swatch.colour}"></i>{escape(swatch.text)}</li>'
        for swatch in swatches
    )
    return f'<ul class="legend">{items}</ul>'
