from __future__ import annotations

import pytest

from perfgate.core.diagnosis import Focus
from perfgate.diagnose.amounts import ALIASES, METRICS, UNITS, amount_of, attribute_amount
from perfgate.diagnose.matched import match_operators
from tests.hand_profiles import MIB, MS, memory, operator, profile

FULL = profile(
    5 * MS,
    copied_bytes=700,
    energy_j={"matrix": 1.5, "dram": 0.25},
    memory=memory(peak=10 * MIB, weights=4 * MIB, activations=3 * MIB, workspace=MIB),
)


@pytest.mark.parametrize(
    ("focus", "amount"),
    [
        (Focus.LATENCY, 5 * MS),
        (Focus.TAIL, 5 * MS),
        (Focus.MEMORY, 10 * MIB),
        (Focus.ENERGY, 1_750_000_000),  # 1.75 J in nanojoules
        (Focus.COPIES, 700),
    ],
)
def test_the_amount_of_a_focus_is_a_whole_number_in_its_unit(focus: Focus, amount: int) -> None:
    assert amount_of(FULL, focus) == amount


def test_every_focus_has_a_unit_and_a_metric_and_aliases_name_one() -> None:
    assert set(UNITS) == set(METRICS) == set(Focus)
    assert set(ALIASES.values()) <= set(Focus)


def test_energy_is_split_over_engines_the_one_that_grew_most_first() -> None:
    after = profile(5 * MS, energy_j={"matrix": 1.0, "dram": 0.5, "host": 1.0})
    found = attribute_amount(FULL, after, (), Focus.ENERGY)
    assert [(row.label, row.delta) for row in found.rows] == [
        ("host", 1_000_000_000),
        ("dram", 250_000_000),
        ("matrix", -500_000_000),
    ]
    assert (found.unit, found.total, found.residual) == ("nJ", 750_000_000, 0)


def test_peak_memory_is_split_over_pools_and_what_no_plan_knows() -> None:
    after = profile(5 * MS, memory=memory(peak=14 * MIB, weights=4 * MIB, activations=6 * MIB, workspace=MIB))
    found = attribute_amount(FULL, after, (), Focus.MEMORY)
    assert {row.label: row.delta // MIB for row in found.rows} == {
        "activations": 3,
        "not planned": 1,
        "weights": 0,
        "workspace": 0,
    }


def test_copies_are_split_over_operators_and_beyond_five_the_rest_is_one_row() -> None:
    before = profile(5 * MS, operators=tuple(operator(n, MS) for n in range(8)))
    rows = tuple(operator(n, MS, copies=2, copied_bytes=100 * (n + 1)) for n in range(8))
    after = profile(5 * MS, operators=rows, copied_bytes=3600)
    found = attribute_amount(before, after, match_operators(before, after)[0], Focus.COPIES)
    assert [(row.label, row.delta, row.count) for row in found.rows] == [
        ("net.op7", 800, 2),
        ("net.op6", 700, 2),
        ("net.op5", 600, 2),
        ("net.op4", 500, 2),
        ("net.op3", 400, 2),
        ("3 other operators", 600, 6),
    ]
    assert found.total == 3600


def test_parts_that_miss_the_total_are_a_fault() -> None:
    with pytest.raises(ArithmeticError, match="parts of copies do not sum to"):
        attribute_amount(profile(1), profile(1, copied_bytes=5), (), Focus.COPIES)
