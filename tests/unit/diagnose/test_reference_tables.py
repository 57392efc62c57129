"""docs/DIAGNOSIS_RULES.md holds the table that the rules and their limits give."""

from __future__ import annotations

from pathlib import Path

from perfgate.diagnose.reference_tables import reference_tables
from perfgate.diagnose.rules.registry import RULES

TEXT = (Path(__file__).parents[3] / "docs" / "DIAGNOSIS_RULES.md").read_text(encoding="utf-8")


def test_the_table_of_the_documentation_is_up_to_date() -> None:
    for name, table in reference_tables().items():
        assert f"<!-- table: {name} -->\n\n{table}\n" in TEXT


def test_every_rule_says_what_it_is_about_in_one_sentence() -> None:
    for rule in RULES:
        assert rule.about.endswith(".")
        assert rule.about[0].isupper()
