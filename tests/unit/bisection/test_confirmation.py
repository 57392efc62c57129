from __future__ import annotations

import pytest

from perfgate.bisection.confirmation import confirmation_size


@pytest.mark.parametrize(
    ("signal", "samples"),
    [
        (1.67, 10),  # 1.07 x (3 / 1.67)^2 = 3.5: the least batch
        (0.667, 22),  # 1.07 x (3 / .667)^2 = 21.6
        (-0.667, 22),  # a step back after a culprit
    ],
)
def test_fresh_launches_are_as_long_as_the_step_needs(signal: float, samples: int) -> None:
    assert confirmation_size(signal) == samples
