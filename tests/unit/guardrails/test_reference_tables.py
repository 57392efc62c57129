"""docs/RULES.md holds the tables that the validator's declarations give, and its examples load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perfgate.guardrails.reference_tables import reference_tables
from perfgate.guardrails.rule import Kind
from tests.guard_facts import rules

TEXT = (Path(__file__).parents[3] / "docs" / "RULES.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("name", reference_tables())
def test_table_of_the_documentation_is_up_to_date(name: str) -> None:
    assert f"<!-- table: {name} -->\n\n{reference_tables()[name]}\n" in TEXT


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_example_of_the_documentation_loads(number: int) -> None:
    rules(BLOCKS[number])


def test_every_kind_is_named() -> None:
    assert all(f"`{kind}`" in TEXT for kind in Kind)
