"""A residual image classifier of bottleneck blocks; at the preset `imagenet` 4.09 GMAC per image."""

from __future__ import annotations

import msgspec

from perfgate.zoo.blocks import Map, batch_norm, classifier, conv, pool
from perfgate.zoo.sketch import Model, Sketch

EXPANSION = 4  # a block's output channels over its inner ones


class ResNet(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes: images of `size` x `size`, `width` channels in the first stage, blocks per stage."""

    batch: int = 1
    size: int = 224
    width: int = 64
    blocks: tuple[int, ...] = (3, 4, 6, 3)
    classes: int = 1000


def build(sizes: ResNet) -> Model:
    """The model; strides are in the 3x3 convolutions, as trained networks have them today."""
    sketch = Sketch("resnet50")
    image = Map(
        name=sketch.input("image", (sizes.batch, 3, sizes.size, sizes.size)),
        batch=sizes.batch, channels=3, height=sizes.size, width=sizes.size,
    )  # fmt: skip
    state = _conv_norm(sketch, image, "ResNet.stem", (sizes.width, 7, 2), is_active=True)
    state = pool(sketch, state, "ResNet.stem.pool")
    for stage, count in enumerate(sizes.blocks):
        for block in range(count):
            stride = 2 if stage and not block else 1
            name = f"ResNet.layer{stage + 1}.{block}"
            state = _bottleneck(sketch, state, name, (sizes.width << stage, stride))
    logits = classifier(sketch, state, "ResNet.head", sizes.classes)
    sketch.output(logits, (sizes.batch, sizes.classes))
    return sketch.model()


def _conv_norm(sketch: Sketch, state: Map, name: str, form: tuple[int, int, int], *, is_active: bool) -> Map:
    """Convolution (channels, kernel, stride), norm and, if active, rectifier."""
    channels, kernel, stride = form
    state = conv(sketch, state, f"{name}.conv", channels, kernel=kernel, stride=stride, has_bias=False)
    state = batch_norm(sketch, state, f"{name}.norm")
    return state.named(sketch.add("Relu", [state.name], f"{name}.relu")) if is_active else state


def _bottleneck(sketch: Sketch, state: Map, name: str, form: tuple[int, int]) -> Map:
    inner, stride = form
    hidden = _conv_norm(sketch, state, f"{name}.1", (inner, 1, 1), is_active=True)
    hidden = _conv_norm(sketch, hidden, f"{name}.2", (inner, 3, stride), is_active=True)
    hidden = _conv_norm(sketch, hidden, f"{name}.3", (inner * EXPANSION, 1, 1), is_active=False)
    if stride > 1 or state.channels != hidden.channels:
        state = _conv_norm(sketch, state, f"{name}.shortcut", (hidden.channels, 1, stride), is_active=False)
    total = sketch.add("Add", [hidden.name, state.name], f"{name}.add")
    return hidden.named(sketch.add("Relu", [total], f"{name}.relu"))


PRESETS: dict[str, ResNet] = {
    "imagenet": ResNet(),
    "tiny": ResNet(size=32, width=16, blocks=(1, 1), classes=10),
}
