from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from perfgate.diagnose.limits import read_limits, shipped_limits
from perfgate.diagnose.rules.registry import RULES


def test_every_limit_is_of_a_rule_and_every_rule_has_its_entry() -> None:
    assert set(shipped_limits()) == {rule.id for rule in RULES}


def test_limits_are_read_by_rule() -> None:
    assert read_limits(b"version: 1\nrules:\n  layout: {least_share: 0.01}\n", "r.yaml") == {
        "layout": {"least_share": 0.01}
    }


@pytest.mark.parametrize(
    "text", [b"version: 1\nrules:\n  layout: {least_share: much}\n", b"rules: [", b"x: 1\n"]
)
def test_a_damaged_file_is_told_with_its_place(text: bytes) -> None:
    with pytest.raises(UnusableError) as problem:
        read_limits(text, "r.yaml")
    assert problem.value.where.startswith("r.yaml")
