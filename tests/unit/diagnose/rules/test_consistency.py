from __future__ import annotations

import pytest

from perfgate.core.execution_profile import TensorRow
from perfgate.diagnose.rules.consistency import RULE
from tests.diagnose_sides import alone, found, side, signals_of
from tests.hand_profiles import MS, kernel, operator, profile

SHAPE = (1, 64, 112, 112)
LOGICAL, CHANNELS_LAST = (802816, 12544, 112, 1), (802816, 1, 7168, 64)


def tensor(dtype: str, layout: str, size: int, strides: tuple[int, ...]) -> TensorRow:
    return TensorRow(
        name="conv1", shape=SHAPE, dtype=dtype, layout=layout, size=size, strides=strides, owner=1
    )


def test_the_tensor_of_the_source_document_is_neither_half_precision_nor_channels_last() -> None:
    """3,211,264 B are four per element, and the strides are those of NCHW."""
    stated = tensor("float16", "NHWC", 3_211_264, LOGICAL)
    after = profile(MS, operators=(operator(1, MS),), tensors=(stated,))
    (suspect,) = found(RULE, signals_of(None, after))
    assert suspect.sentence.startswith("tensor conv1 says float16 NHWC, is float32 NCHW")
    assert suspect.operator is not None
    assert suspect.operator.number == 1
    assert found(RULE, signals_of(after, after)) == []  # an old fault explains no change


@pytest.mark.parametrize(
    "stated",
    [
        tensor("float32", "NCHW", 3_211_264, LOGICAL),
        tensor("float16", "NHWC", 1_605_632, CHANNELS_LAST),
        tensor("float16", "NC1HWC0", 1_605_632, (1, 2, 3)),  # strides of a blocked layout are not checked
        tensor("unknown", "NCHW", 1, LOGICAL),
    ],
)
def test_what_fits_or_cannot_be_known_is_silent(stated: TensorRow) -> None:
    assert found(RULE, signals_of(None, profile(MS, tensors=(stated,)))) == []


@pytest.mark.parametrize("device", ["ascend-310p-like", "ascend-910b-like", "a100-like", "orin-like"])
def test_simulated_profiles_are_consistent_on_every_device(device: str) -> None:
    assert found(RULE, alone(side("detector", "tiny", device=device, runtime={"streams": "2"}))) == []


@pytest.mark.parametrize(("missing", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_operators_may_miss_one_per_cent_of_the_time_of_their_kernels(missing: int, count: int) -> None:
    after = profile(100 * MS, operators=(operator(1, 100 * MS - missing),), kernels=(kernel(1, 100 * MS),))
    assert len(found(RULE, signals_of(None, after))) == count
