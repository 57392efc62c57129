"""Planted faults of `tests/scenarios/faults`: the diagnosis names each by its rule, operator and flag.

`make scenarios` runs all of them and prints the measured table; here are those on small models.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from perfgate.core.errors import UsageError
from tests.planted.answer import answer
from tests.planted.scenario import KINDS, NamedScenario, read_scenarios

ALL = read_scenarios(Path(__file__).parent / "faults")
SMALL = frozenset({"tiny", "tiny_prefill", "relu", "even", None})
INCIDENT = "layout_flag"


def small(named: NamedScenario) -> bool:
    return named.name == INCIDENT or named.scenario.preset in SMALL


@pytest.mark.parametrize("named", [item for item in ALL if small(item)], ids=lambda named: named.name)
def test_the_cause_of_a_planted_fault_comes_first(named: NamedScenario) -> None:
    assert answer(named).wrong == ""


def test_there_are_faults_of_every_kind_on_every_device() -> None:
    assert len(ALL) >= 60
    kinds = {plant.kind for named in ALL for plant in named.scenario.plants}
    assert kinds == set(KINDS)
    devices = {named.scenario.device for named in ALL}
    assert devices == {"ascend-310p-like", "ascend-910b-like", "a100-like", "orin-like"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model: zoo:resnet50\n", "missing"),
        (
            "model: m\ndevice: d\nplant: {flag: --a, runtime: b}\nexpect: {rule: none}\n",
            "this one flag, runtime",
        ),
        ("model: m\ndevice: d\nplant: {}\nexpect: {rule: none}\n", "this one none"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "odd.yaml").write_text(text)
    with pytest.raises(UsageError, match=r"odd\.yaml") as caught:
        read_scenarios(tmp_path)
    assert message in str(caught.value)


def test_a_folder_without_scenarios_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no scenario files"):
        read_scenarios(tmp_path)
