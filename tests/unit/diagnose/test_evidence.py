from __future__ import annotations

from perfgate.core.diagnosis import Focus
from perfgate.diagnose.evidence import (
    amount_text,
    and_more,
    bytes_text,
    from_to,
    share_text,
    time_text,
    worst_first,
)
from perfgate.diagnose.signals import operator_ref
from perfgate.diagnose.suspect import Suspect
from tests.diagnose_sides import signals_of
from tests.hand_profiles import MS, operator, profile


def suspect(cost: int) -> Suspect:
    return Suspect(rule="r", sentence="s", cost=cost)


def test_suspects_come_worst_first_and_cost_no_more_than_the_delta() -> None:
    signals = signals_of(profile(90 * MS), profile(100 * MS))
    kept = worst_first(
        signals, [suspect(0), suspect(MS // 2), suspect(3 * MS), suspect(50 * MS)], {"least_share": 0.01}
    )
    assert [item.cost for item in kept] == [10 * MS, 3 * MS]


def test_without_a_baseline_the_usual_may_cost_more() -> None:
    signals = signals_of(None, profile(100 * MS))
    limits = {"least_share": 0.01, "least_share_alone": 0.2}
    assert [item.cost for item in worst_first(signals, [suspect(10 * MS), suspect(30 * MS)], limits)] == [
        30 * MS
    ]
    assert len(worst_first(signals, [suspect(10 * MS)], {"least_share": 0.01})) == 1


def test_amounts_read_in_the_unit_of_the_focus() -> None:
    after = profile(MS)
    assert amount_text(signals_of(None, after), 2 * MS) == "2.00 ms"
    assert amount_text(signals_of(None, after, Focus.ENERGY), 1_500_000) == "1.50 mJ"
    assert amount_text(signals_of(None, after, Focus.COPIES), 2_000_000) == "2.00 MB"
    assert (time_text(0), bytes_text(1024), share_text(0.375)) == ("0 s", "1.02 kB", "38 %")


def test_words_leave_out_what_is_not_there() -> None:
    assert (from_to("a", "b"), from_to("", "b"), from_to("b", "b")) == ("a -> b", "b", "b")
    ref = operator_ref(operator(1, 1))
    assert (and_more(ref, [1]), and_more(ref, [1, 2, 3])) == ("net.op1", "net.op1 and 2 more")


def test_time_counts_by_focus() -> None:
    """1 ms at 20 W are 20 mJ."""
    after = profile(MS, average_w=20.0)
    costs = {focus: signals_of(None, after, focus).cost(MS, 7) for focus in Focus}
    assert costs == {
        Focus.LATENCY: MS, Focus.TAIL: MS, Focus.MEMORY: 0, Focus.COPIES: 7, Focus.ENERGY: 20_000_000,
    }  # fmt: skip
