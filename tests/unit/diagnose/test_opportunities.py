from __future__ import annotations

from perfgate.core.difference import DifferenceKind
from perfgate.core.setting import Setting
from perfgate.diagnose.opportunities import opportunities

FLAGS = (Setting(name="--framework", value="5"),)


def names(*settings: Setting, flags: tuple[Setting, ...] = FLAGS) -> set[str]:
    return {remedy.settings[0].name for remedy in opportunities(flags, settings)}


def test_what_is_not_set_is_worth_a_try() -> None:
    assert {"tea_cache", "pinned_memory", "streams", "--buffer_optimize"} <= names()


def test_what_is_set_already_is_not_proposed_again_and_another_value_is() -> None:
    assert "pinned_memory" not in names(Setting(name="pinned_memory", value="true"))
    assert "pinned_memory" in names(Setting(name="pinned_memory", value="false"))


def test_without_a_compile_command_there_is_no_flag_to_add() -> None:
    proposed = opportunities((), ())
    assert proposed
    assert {remedy.settings[0].kind for remedy in proposed} == {DifferenceKind.RUNTIME}


def test_every_opportunity_can_be_simulated_and_says_its_risk() -> None:
    for remedy in opportunities(FLAGS, ()):
        assert remedy.can_be_simulated
        assert remedy.risk
