"""docs/reference/PYTEST.md: options, ini keys, marks and fixture of the plugin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from perfgate.pytest_plugin.entry import MARKS, pytest_addoption
from tests.documentation.tables import code, page, table

if TYPE_CHECKING:
    from collections.abc import Iterator

INTRODUCTION = """\
Without `--perfgate` the plugin does nothing but register these. How tests measure:
[TESTS.md](../TESTS.md). Exit codes are those of the command line ([CLI.md](CLI.md)) where the gate
decides, else pytest's own 1 to 5. In CI, options of the working tree's own files (`addopts`, ini keys) can
tighten the gate and never loosen it ([THREATS.md](../THREATS.md))."""


def pytest_page() -> str:
    """The page."""
    parser = pytest.Parser(_ispytest=True)
    pytest_addoption(parser)
    (group,) = (item for item in parser._groups if item.name == "perfgate")  # noqa: SLF001 - pytest shows them by --help only
    marks = "\n".join(f"- `@pytest.mark.{name}`: {text}" for name, text in _marks())
    return page(
        "The pytest plugin",
        INTRODUCTION,
        "## Options",
        table(
            ("option", "meaning"), ((_option(item.attrs()), _help(item.attrs())) for item in group.options)
        ),
        "## Ini keys",
        "They stand under `[tool.pytest]`, or in `pytest.ini` under `[pytest]`; an option wins over its key.",
        table(("key", "type", "meaning"), _ini(parser)),
        "## Marks",
        marks,
    )


def _option(attributes: dict[str, object]) -> str:
    choices = attributes.get("choices")
    value = "|".join(map(str, choices)) if isinstance(choices, tuple) else attributes.get("metavar")
    name = "--" + str(attributes["dest"]).replace("_", "-")
    return code(f"{name}={value}" if value else name)


def _help(attributes: dict[str, object]) -> str:
    return str(attributes["help"]).replace("%%", "%")


def _ini(parser: pytest.Parser) -> Iterator[tuple[str, str, str]]:
    for name, (text, kind, *_) in parser._inidict.items():  # noqa: SLF001 - as above
        if name.startswith("perfgate_"):
            yield code(name), str(kind), text


def _marks() -> Iterator[tuple[str, str]]:
    for line in MARKS:
        name, text = re.split(r":\s+", line, maxsplit=1)
        yield name, text
