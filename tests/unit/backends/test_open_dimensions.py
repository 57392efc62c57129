from __future__ import annotations

import pytest

from perfgate.backends.open_dimensions import Dimension, bound_shapes
from perfgate.backends.protocol import Request
from perfgate.core.errors import UsageError

INPUTS: dict[str, tuple[str, list[Dimension]]] = {
    "image": ("float32", ["N", 3, 8, 8]),
    "mask": ("int64", [None, 4]),
    "scale": ("float32", []),
}


def request(shapes: dict[str, tuple[int, ...]], bind: dict[str, int]) -> Request:
    return Request(
        benchmark="b", device="d", model_name="m.onnx", shapes=shapes, bind=bind, place="p.yaml:3:5"
    )


def test_symbols_are_bound_by_name_and_nameless_dimensions_by_a_shape() -> None:
    found = bound_shapes(INPUTS, request({"mask": (2, 4)}, {"N": 5}))
    assert found == {"image": (5, 3, 8, 8), "mask": (2, 4), "scale": ()}


@pytest.mark.parametrize(
    ("shapes", "bind", "words"),
    [
        ({}, {}, "the input 'image' is open, [N, 3, 8, 8]: p.yaml:3:5: add `bind: {N: 1}`"),
        ({}, {"N": 1}, "the input 'mask' is open, [?, 4]: p.yaml:3:5: give its shape in `inputs`"),
        ({"img": (1,)}, {"N": 1}, "m.onnx has no input 'img': p.yaml:3:5: its inputs are image, mask, scale"),
        ({"image": (1, 4, 8, 8)}, {}, "the shape [1, 4, 8, 8] of input 'image' is not one of [N, 3, 8, 8]"),
        ({"image": (1, 3, 8)}, {}, "is not one of [N, 3, 8, 8]"),
    ],
)
def test_what_does_not_fit_or_stays_open_says_what_to_write(
    shapes: dict[str, tuple[int, ...]], bind: dict[str, int], words: str
) -> None:
    with pytest.raises(UsageError) as caught:
        bound_shapes(INPUTS, request(shapes, bind))
    assert words in str(caught.value)
