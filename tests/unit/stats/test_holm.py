from __future__ import annotations

import numpy as np
import pytest

from perfgate.stats.holm import holm


def test_worked_example_of_the_design() -> None:
    # STATISTICS section 3: .01 .02 .03 .2 = .04 .06 .06 .2
    assert holm([0.01, 0.02, 0.03, 0.2]) == pytest.approx([0.04, 0.06, 0.06, 0.2])


def test_adjusted_values_are_capped_at_one() -> None:
    assert holm([0.5, 0.6, 0.9]).tolist() == [1.0, 1.0, 1.0]


def test_the_order_of_the_suite_does_not_matter() -> None:
    p = np.array([0.04, 0.001, 0.3, 0.02])
    order = np.array([2, 0, 3, 1])
    assert holm(p[order]).tolist() == holm(p)[order].tolist()


def test_one_comparison_is_not_adjusted() -> None:
    assert holm([0.04]).tolist() == [0.04]


@pytest.mark.parametrize("value", [float("nan"), -0.1, 1.1])
def test_what_is_no_p_value_raises(value: float) -> None:
    with pytest.raises(ValueError, match="p-values"):
        holm([0.5, value])
