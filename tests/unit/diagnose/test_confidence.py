from __future__ import annotations

import math

import msgspec
import pytest

from perfgate.diagnose.confidence import (
    LEAST,
    MOST,
    WITH_RESIDUAL,
    WITHOUT_PROOF,
    Bin,
    Calibration,
    Features,
    confidence,
    shipped_calibration,
)

SURE = Features(recovered=1.0, gap=1.0, residual=0.0, steps=0.5, coverage=1.0, is_proven=True)
TABLE = Calibration(
    intercept=-2.0,
    weights=(4.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    bins=(
        Bin(low=0.0, stated=0.01, right=1, cases=100),
        Bin(low=0.5, stated=0.7, right=70, cases=100),
        Bin(low=0.8, stated=0.9, right=90, cases=100),
        Bin(low=0.88, stated=1.0, right=100, cases=100),
    ),
)


def features(**changed: float) -> Features:
    return msgspec.structs.replace(SURE, **changed)


def test_the_score_is_the_logistic_of_the_weighted_features() -> None:
    assert TABLE.score(SURE) == pytest.approx(1 / (1 + math.exp(-2)))  # 0.88
    assert TABLE.score(features(recovered=0.5)) == pytest.approx(0.5)


def test_features_count_from_nought_to_one() -> None:
    assert features(recovered=7.0).named()["recovered"] == 1.0
    assert features(gap=-1.0).named()["gap"] == 0.0


def test_the_stated_frequency_is_that_of_its_bin() -> None:
    assert confidence(features(recovered=0.85), TABLE) == (0.9, (90, 100))  # score 0.80
    assert confidence(features(recovered=0.6), TABLE) == (0.7, (70, 100))  # score 0.60


def test_no_finite_number_of_faults_shows_certainty() -> None:
    assert confidence(features(recovered=1.0), TABLE)[0] == MOST
    assert confidence(features(recovered=0.0), TABLE)[0] == LEAST


def test_without_a_re_simulation_confidence_is_capped_and_claims_no_frequency() -> None:
    assert confidence(features(is_proven=False), TABLE) == (WITHOUT_PROOF, (0, 0))
    assert confidence(features(is_proven=False, recovered=0.0), TABLE) == (LEAST, (1, 100))


def test_much_unexplained_is_a_cap_and_the_lower_one_holds() -> None:
    assert confidence(features(residual=0.11), TABLE) == (WITH_RESIDUAL, (0, 0))
    assert confidence(features(residual=0.10), TABLE)[0] == MOST
    assert confidence(features(residual=0.5, is_proven=False), TABLE)[0] == WITHOUT_PROOF


def test_an_absurd_weight_does_not_overflow() -> None:
    huge = msgspec.structs.replace(TABLE, weights=(1e9, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert huge.score(SURE) == pytest.approx(1.0)


def test_the_shipped_table_rises_with_the_score_and_fits_the_features() -> None:
    table = shipped_calibration()
    assert len(table.weights) == len(SURE.named())
    lows, stated = ([getattr(item, name) for item in table.bins] for name in ("low", "stated"))
    assert lows == sorted(lows)
    assert lows[0] == 0.0
    assert stated == sorted(stated)  # isotonic: a higher score is never stated lower
