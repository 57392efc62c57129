"""What symmetric int8 does to a model's own weights: scale = largest magnitude / 127, one per tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfgate.core.validation import QuantisedTensor, QuantisedWeights

if TYPE_CHECKING:
    from collections.abc import Mapping

SHARES = (0.5, 0.9, 0.99, 1.0)  # points of the error curve
SCALE_SIZE = 4  # bytes of a float32 scale, one for each tensor
_MATRIX = 2  # dimensions from which on a tensor is a weight; biases and scales stay as they are


def quantise_weights(model: str, weights: Mapping[str, Any]) -> QuantisedWeights:
    """The round trip of every floating tensor with two dimensions or more, worst first.

    The error of each value is at most half a scale, because the largest magnitude is 127 scales exactly.
    """
    import numpy as np  # noqa: PLC0415 - 100 ms, only where weights are quantised

    from perfgate.compiler.quantise import quantised_weights  # noqa: PLC0415 - the same

    tensors, errors, sizes = [], [], []
    for name, values in weights.items():
        if values.ndim < _MATRIX or not np.issubdtype(values.dtype, np.floating) or not values.size:
            continue
        flat = values.astype(np.float64).reshape(1, -1)
        whole, scales = quantised_weights(flat)
        scale = float(scales.max())
        error = np.abs(whole * scale - flat).ravel()
        errors.append(error / scale)
        sizes.append(values.size * values.dtype.itemsize)
        tensors.append(
            QuantisedTensor(
                name=name, elements=int(values.size), scale=scale, largest_error=float(error.max())
            )
        )
    every = np.concatenate(errors) if errors else np.zeros(0)
    return QuantisedWeights(
        model=model,
        tensors=tuple(sorted(tensors, key=lambda item: (-item.largest_error / item.scale, item.name))),
        curve=tuple((share, float(np.quantile(every, share))) for share in SHARES) if every.size else (),
        bytes_before=sum(sizes),
        bytes_after=sum(item.elements + SCALE_SIZE for item in tensors),
    )
