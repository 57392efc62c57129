"""Planted fault: after each convolution an activation that no fusion knows: Where(x > 0, x, 0)."""

from __future__ import annotations

from typing import Literal

import msgspec

from perfgate.zoo.blocks import Map, conv
from perfgate.zoo.sketch import Model, Sketch


class CustomActivation(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes; `activation`: the hand-written form or the operator that does the same."""

    batch: int = 1
    size: int = 56
    channels: int = 64
    depth: int = 8
    activation: Literal["where", "relu"] = "where"


def build(sizes: CustomActivation) -> Model:
    """A chain of convolutions and activations."""
    sketch = Sketch("custom_activation")
    state = Map(
        name=sketch.input("image", (sizes.batch, sizes.channels, sizes.size, sizes.size)),
        batch=sizes.batch, channels=sizes.channels, height=sizes.size, width=sizes.size,
    )  # fmt: skip
    for layer in range(sizes.depth):
        name = f"Net.layers.{layer}"
        state = conv(sketch, state, f"{name}.conv", sizes.channels)
        state = state.named(_activation(sketch, sizes, state.name, f"{name}.act"))
    sketch.output(state.name, (state.batch, state.channels, state.height, state.width))
    return sketch.model()


def _activation(sketch: Sketch, sizes: CustomActivation, source: str, name: str) -> str:
    if sizes.activation == "relu":
        return sketch.add("Relu", [source], name)
    zero = sketch.constant(f"{name}.zero", 0.0, "float16")
    positive = sketch.add("Greater", [source, zero], f"{name}.positive")
    return sketch.add("Where", [positive, source, zero], name)


PRESETS: dict[str, CustomActivation] = {
    "where": CustomActivation(),
    "relu": CustomActivation(activation="relu"),
    "tiny": CustomActivation(size=8, channels=16, depth=2),
}
