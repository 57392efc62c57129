from __future__ import annotations

import pytest

from perfgate.core.pass_entry import PassEntry
from perfgate.diagnose.labels import is_needless, name_of, needless_names, op_of


def test_a_label_is_an_operator_and_a_name_that_may_hold_spaces() -> None:
    assert (op_of("Conv net.a b"), name_of("Conv net.a b")) == ("Conv", "net.a b")


LEFT_IN = [("cse", "switched-off: the same"), ("dce", "side-effect: not known")]
NEEDED = [("cse", "random-op: draws"), ("fusion", "switched-off: all")]


@pytest.mark.parametrize(("name", "reason"), [*LEFT_IN, *NEEDED])
def test_needless_is_what_a_clean_up_pass_left_in(name: str, reason: str) -> None:
    entry = PassEntry(name, "", ("Exp x",), (), reason, applied=False)
    assert is_needless(entry) is ((name, reason) in LEFT_IN)
    assert needless_names([entry]) == (frozenset({"x"}) if is_needless(entry) else frozenset())


def test_what_a_pass_took_away_does_no_work() -> None:
    assert not is_needless(PassEntry("cse", "", ("Exp x",), (), "computes the same", applied=True))


def test_an_entry_about_the_whole_program_names_no_work() -> None:
    assert not is_needless(
        PassEntry("cse", "net", (), (), "switched-off: pass cse is disabled", applied=False)
    )
