"""The generated reference is what the code says now, and the code says something of everything."""

from __future__ import annotations

import click
import pytest

from perfgate.cli.main import cli
from tests.architecture.source import ROOT
from tests.documentation.cli_page import options, verbs
from tests.documentation.reference import PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_reference_is_up_to_date(name: str) -> None:
    found = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert found == PAGES[name](), "run `make docs`"


def test_the_readme_names_every_verb() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    verbs_of_all = cli.list_commands(click.Context(cli))
    named = {name for name in verbs_of_all if f"perfgate {name}" in readme or f"`{name}`" in readme}
    assert set(verbs_of_all) - named == set()


def test_every_option_of_every_verb_says_what_it_does() -> None:
    silent = [
        f"{context.command_path} {option.opts}"
        for command, context in verbs(cli, click.Context(cli, info_name="perfgate"))
        for option in options(command)
        if not option.help
    ]
    assert silent == []
