from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.diagnosis import Attribution, RowKind
from perfgate.core.execution_profile import Parts
from perfgate.diagnose.attribute import LISTED_SHARE, MOST_LISTED, attribute_latency
from perfgate.diagnose.matched import match_operators
from tests.hand_profiles import MS, kernel, operator, profile

if TYPE_CHECKING:
    from perfgate.core.execution_profile import OperatorRow, Profile


def attributed(before: Profile, after: Profile, gate: tuple[int, int] | None = None) -> Attribution:
    matched, _ = match_operators(before, after)
    totals = before.application.total_ps, after.application.total_ps
    return attribute_latency(before, after, matched, gate or totals)


def of_rows(*rows: OperatorRow, wait: int = 0) -> Profile:
    return profile(sum(row.total_ps for row in rows) + wait, operators=rows)


def milliseconds(found: Attribution) -> dict[str, int]:
    return {row.label: row.delta // MS for row in found.rows}


def test_the_operator_that_grew_most_has_a_row_and_the_rest_is_one() -> None:
    before = of_rows(operator(0, 5 * MS), operator(1, 5 * MS), operator(2, 5 * MS))
    after = of_rows(operator(0, 5 * MS), operator(1, 25 * MS), operator(2, 6 * MS))
    found = attributed(before, after)
    assert milliseconds(found) == {"net.op1": 20, "other operators (2 paired)": 1}
    assert (found.total, found.residual, found.paired) == (21 * MS, 0, 3)


def test_of_a_speed_up_the_operator_that_shrank_most_is_listed() -> None:
    before = of_rows(operator(0, 5 * MS), operator(1, 25 * MS))
    after = of_rows(operator(0, 6 * MS), operator(1, 5 * MS))
    found = attributed(before, after)
    assert milliseconds(found) == {"net.op1": -20, "other operators (1 paired)": 1}


def test_from_a_tenth_of_the_delta_on_an_operator_is_listed_and_at_most_five_are() -> None:
    assert LISTED_SHARE == 0.1
    before = of_rows(*(operator(n, 5 * MS) for n in range(9)))
    grown = (50, 11, 10, 9, 4, 4, 4, 4, 4)  # of 100 ms
    after = of_rows(*(operator(n, (5 + more) * MS) for n, more in enumerate(grown)))
    assert [row.delta // MS for row in attributed(before, after).rows] == [50, 11, 10, 29]
    even = of_rows(*(operator(n, 15 * MS) for n in range(9)))  # a ninth each
    listed = [row for row in attributed(before, even).rows if row.kind is RowKind.OPERATOR]
    assert [row.label for row in listed] == [f"net.op{n}" for n in range(MOST_LISTED)]


def test_copies_and_conversions_of_a_listed_operator_are_its_parts_and_the_rest_has_rows_of_its_own() -> None:
    before = of_rows(operator(0, 5 * MS), operator(1, 5 * MS), operator(2, 5 * MS))
    after = of_rows(
        operator(0, 45 * MS, copies=6, copies_ps=38 * MS, conversions=1, conversions_ps=1 * MS),
        operator(1, 35 * MS, copies=4, copies_ps=30 * MS),
        operator(2, 7 * MS, conversions=2, conversions_ps=2 * MS),
    )
    found = attributed(before, after)
    assert [(row.kind, row.delta // MS, row.count) for row in found.rows] == [
        (RowKind.OPERATOR, 40, 0),
        (RowKind.COPIES, 30, 4),
        (RowKind.CONVERSIONS, 2, 2),
        (RowKind.OTHER, 0, 2),
    ]
    parts = [(part.kind, part.delta // MS, part.count) for part in found.rows[0].parts]
    assert parts == [(RowKind.COPIES, 38, 6), (RowKind.CONVERSIONS, 1, 1)]


def test_added_and_removed_operators_count_with_all_their_time() -> None:
    before = of_rows(operator(0, 5 * MS), operator(1, 10 * MS, name="net.gone", op="Erf", scope="net.gone"))
    after = of_rows(operator(0, 5 * MS), operator(2, 30 * MS, name="net.new", op="Softplus", scope="net.new"))
    found = attributed(before, after)
    assert milliseconds(found) == {"net.new": 30, "other operators (1 paired)": -10}
    assert found.paired == 1


def test_waits_have_a_row_and_what_the_traces_do_not_explain_is_the_residual() -> None:
    before, after = of_rows(operator(0, 5 * MS), wait=1 * MS), of_rows(operator(0, 5 * MS), wait=8 * MS)
    found = attributed(before, after, (20 * MS, 30 * MS))
    assert milliseconds(found) == {"other operators (1 paired)": 0, "waits": 7}
    assert (found.total, found.residual) == (10 * MS, 3 * MS)
    assert found.residual_share == pytest.approx(0.3)


def test_growth_beside_the_critical_path_is_hidden_and_adds_nothing() -> None:
    def two_streams(beside: int) -> Profile:
        rows = operator(0, 10 * MS), operator(1, beside)
        kernels = kernel(0, 10 * MS), kernel(1, beside, stream=1, critical=False)
        return profile(10 * MS, streams=2, operators=rows, kernels=kernels)

    found = attributed(two_streams(1 * MS), two_streams(9 * MS))
    assert found.total == sum(row.delta for row in found.rows) == 0
    assert [(row.label, row.delta // MS) for row in found.hidden] == [("net.op1", 8)]
    assert attributed(two_streams(1 * MS), two_streams(1 * MS + MS // 10)).hidden == ()  # 1 % is the least


def test_nothing_changed_is_one_row_of_nought() -> None:
    same = of_rows(operator(0, 5 * MS), operator(1, 5 * MS))
    found = attributed(same, same)
    assert [(row.label, row.delta) for row in found.rows] == [("other operators (2 paired)", 0)]
    assert (found.total, found.residual, found.residual_share) == (0, 0, 0.0)


def test_parts_of_the_critical_stream_are_compared_one_by_one() -> None:
    before = profile(5 * MS, parts=Parts(dispatch_ps=1, transfer_ps=2, compute_ps=3, sync_ps=4, wait_ps=5))
    after = profile(5 * MS, parts=Parts(dispatch_ps=2, transfer_ps=2, compute_ps=9, sync_ps=3, wait_ps=5))
    assert attributed(before, after).four_parts == {
        "dispatch": 1,
        "transfer": 0,
        "compute": 6,
        "sync": -1,
        "wait": 0,
    }


def test_an_operator_that_no_match_names_is_a_fault_and_not_a_silent_rest() -> None:
    before, after = of_rows(operator(0, 5 * MS)), of_rows(operator(0, 9 * MS))
    with pytest.raises(ArithmeticError, match="explained of"):
        attribute_latency(before, after, (), (5 * MS, 9 * MS))
