from __future__ import annotations

import pytest

from perfgate.backends.ort_options import session_options
from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting


def setting(name: str, value: str | None) -> Setting:
    return Setting(name=name, value=value, place="p.yaml:7:3")


def test_one_thread_and_all_optimisations_are_the_default() -> None:
    found = session_options(())
    assert found.values == {
        "graph_optimization_level": "ORT_ENABLE_ALL",
        "execution_mode": "ORT_SEQUENTIAL",
        "intra_op_num_threads": 1,
        "inter_op_num_threads": 1,
    }
    assert found.providers == ("CPUExecutionProvider",)
    assert found.is_cpu


def test_options_are_read_with_and_without_dashes_and_the_last_one_counts() -> None:
    found = session_options(
        [
            setting("graph_optimization_level", "basic"),
            setting("--graph_optimization_level", "disable"),
            setting("intra_op_num_threads", "4"),
            setting("enable_mem_pattern", "false"),
            setting("providers", "CUDAExecutionProvider, CPUExecutionProvider"),
        ]
    )
    assert found.values["graph_optimization_level"] == "ORT_DISABLE_ALL"
    assert found.values["intra_op_num_threads"] == 4
    assert found.values["enable_mem_pattern"] is False
    assert found.providers == ("CUDAExecutionProvider", "CPUExecutionProvider")
    assert not found.is_cpu


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("graph_optimisation_level", "all", "did you mean 'graph_optimization_level'?"),
        ("graph_optimization_level", "none", "want disable or basic or extended or all"),
        ("execution_mode", None, "execution_mode is ''"),
        ("intra_op_num_threads", "-1", "want a whole number"),
        ("intra_op_num_threads", "1e9", "want a whole number"),
        ("inter_op_num_threads", "99999", "want a whole number"),
        ("enable_mem_pattern", "yes", "want true or false"),
        ("providers", " , ", "no provider"),
        ("--optypelayout", "NHWC", "no session option 'optypelayout'"),
    ],
)
def test_an_unknown_option_or_value_is_refused_with_its_place(
    name: str, value: str | None, words: str
) -> None:
    with pytest.raises(UsageError) as caught:
        session_options([setting(name, value)])
    assert words in str(caught.value)
    assert caught.value.where == "p.yaml:7:3"
