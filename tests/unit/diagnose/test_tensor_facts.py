from __future__ import annotations

from perfgate.core.execution_profile import TensorRow
from perfgate.diagnose.tensor_facts import expected_bytes, stated_layout, stated_type, strides_in

SHAPE = (2, 3, 5, 7)


def tensor(dtype: str, size: int, strides: tuple[int, ...] = ()) -> TensorRow:
    return TensorRow(name="t", shape=SHAPE, dtype=dtype, layout="NCHW", size=size, strides=strides)


def test_bytes_are_elements_times_the_type() -> None:
    assert expected_bytes(tensor("float16", 0)) == 420
    assert expected_bytes(tensor("complex256", 0)) is None


def test_strides_follow_the_order_of_the_layout() -> None:
    assert strides_in("NCHW", SHAPE) == (105, 35, 7, 1)
    assert strides_in("NHWC", SHAPE) == (105, 1, 21, 3)
    assert strides_in("NC1HWC0", SHAPE) == ()
    assert strides_in("NCHW", (2, 3)) == ()


def test_what_bytes_and_strides_fit_is_named() -> None:
    assert stated_type(tensor("float16", 840)) == "float32"
    assert stated_type(tensor("float16", 421)) == "421 bytes"
    assert stated_layout(tensor("float16", 420, (105, 1, 21, 3))) == "NHWC"
    assert stated_layout(tensor("float16", 420, (1, 1, 1, 1))) == ""
