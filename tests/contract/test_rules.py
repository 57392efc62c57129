"""What every rule of a diagnosis promises, tried on pairs that have little or nothing in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.compiler.compile_flags import acts
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.core.diagnosis import Focus
from perfgate.core.difference import DifferenceKind
from perfgate.core.setting import Setting
from perfgate.diagnose.evidence import Step
from perfgate.diagnose.limits import shipped_limits
from perfgate.diagnose.rules.registry import RULES
from tests.diagnose_sides import profile_of, side, signals_of
from tests.hand_profiles import MS, kernel, operator, profile

if TYPE_CHECKING:
    from perfgate.diagnose.signals import Signals
    from perfgate.diagnose.suspect import Rule, Suspect

STREAMS = {"streams": "2", "memory_pool": "4kB", "background.load": "0.5"}
SIDES = (
    side("resnet50", "tiny"),
    side(
        "resnet50",
        "tiny",
        sizes={"batch": 4},
        flags={"--optypelayout": "NCHW", "--precision_mode": "force_fp32"},
    ),
    side("sd_unet", "tiny", flags={"--disable_pass": "fusion,cse,dce"}, runtime=STREAMS),
    side("detector", "host_suppression", device="orin-like"),
    side("redundant", "tiny", device="a100-like", flags={"quantize": "int8"}),
    side("odd_stride", "odd", flags={"--optypelayout": "NCHW"}),
)
PAIRS = [(before, after) for before in (None, *SIDES) for after in SIDES if before is not after]


def answers(signals: Signals) -> list[tuple[Rule, list[Suspect]]]:
    """What all applicable rules say."""
    limits = shipped_limits()
    return [
        (rule, list(rule.match(signals, limits[rule.id]))) for rule in RULES if rule.needs <= signals.present
    ]


@pytest.mark.parametrize("focus", [Focus.LATENCY, Focus.MEMORY, Focus.ENERGY, Focus.COPIES])
def test_a_suspect_costs_no_more_than_the_delta_and_carries_evidence_and_a_remedy(focus: Focus) -> None:
    for before, after in PAIRS:
        old = None if before is None else profile_of(before)
        signals = signals_of(old, profile_of(after), focus)
        for rule, suspects in answers(signals):
            for item in suspects:
                assert item.rule == rule.id
                assert "\n" not in item.sentence
                assert 0 <= item.cost <= (signals.amount if old is None else max(0, signals.delta))
                assert all(piece.step in set(Step) and piece.text for piece in item.evidence)
                assert item.evidence
                assert item.remedies
                assert all(remedy.can_be_simulated or remedy.advice for remedy in item.remedies)
            assert [item.cost for item in suspects] == sorted((item.cost for item in suspects), reverse=True)


def test_settings_of_remedies_are_flags_and_keys_that_act() -> None:
    put = {
        setting
        for before, after in PAIRS
        for _, suspects in answers(
            signals_of(None if before is None else profile_of(before), profile_of(after))
        )
        for item in suspects
        for remedy in item.remedies
        for setting in remedy.settings
    }
    assert {setting.name for setting in put} >= {"--optypelayout", "streams", "memory_pool", "pinned_memory"}
    for setting in put:
        if setting.kind is DifferenceKind.FLAG:
            assert acts(setting.name), setting
        else:
            config = RuntimeConfig.from_settings([Setting(name=setting.name, value=setting.value)])
            assert config.unhandled == (), setting


def test_nothing_is_said_of_a_pair_without_a_difference() -> None:
    for each in SIDES:
        same = profile_of(each)
        assert [item for _, suspects in answers(signals_of(same, same)) for item in suspects] == []


def test_the_same_pair_is_told_in_the_same_words() -> None:
    before, after = profile_of(SIDES[0]), profile_of(SIDES[1])
    assert answers(signals_of(before, after)) == answers(signals_of(before, after))


def test_a_profile_of_another_tool_without_machine_pass_log_and_flows_is_no_obstacle() -> None:
    old = profile(
        50 * MS, machine=None, operators=(operator(1, 50 * MS),), kernels=(kernel(1, 50 * MS, engine="cpu"),)
    )
    new = profile(
        90 * MS, machine=None, operators=(operator(1, 90 * MS),), kernels=(kernel(1, 90 * MS, engine="cpu"),)
    )
    for focus in Focus:
        assert [item for _, found in answers(signals_of(old, new, focus)) for item in found] == []
    empty = profile(0, machine=None)
    assert [item for _, found in answers(signals_of(empty, empty)) for item in found] == []
