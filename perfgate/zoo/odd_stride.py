"""Planted fault: a 25 x 41 map, whose channel stride of 1,025 elements no DMA block divides."""

from __future__ import annotations

import msgspec

from perfgate.zoo.blocks import Map, conv
from perfgate.zoo.sketch import Model, Sketch


class OddStride(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes; 32 x 32 is the harmless neighbour (stride 1,024)."""

    batch: int = 1
    height: int = 25
    width: int = 41
    channels: int = 64
    depth: int = 4


def build(sizes: OddStride) -> Model:
    """A chain of convolutions and rectifiers on one map."""
    sketch = Sketch("odd_stride")
    state = Map(
        name=sketch.input("image", (sizes.batch, sizes.channels, sizes.height, sizes.width)),
        batch=sizes.batch, channels=sizes.channels, height=sizes.height, width=sizes.width,
    )  # fmt: skip
    for layer in range(sizes.depth):
        state = conv(sketch, state, f"Net.layers.{layer}.conv", sizes.channels)
        state = state.named(sketch.add("Relu", [state.name], f"Net.layers.{layer}.relu"))
    sketch.output(state.name, (state.batch, state.channels, state.height, state.width))
    return sketch.model()


PRESETS: dict[str, OddStride] = {
    "odd": OddStride(),
    "even": OddStride(height=32, width=32),
    "tiny": OddStride(channels=16, depth=1),
}
