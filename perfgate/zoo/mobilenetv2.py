"""An image classifier of inverted residuals: depthwise convolutions, which matrix engines like least."""

from __future__ import annotations

import msgspec

from perfgate.zoo.blocks import Map, batch_norm, classifier, conv
from perfgate.zoo.sketch import Model, Sketch

CHANNEL_UNIT = 8  # channel counts are rounded to this
# (expansion, channels, blocks, stride of the first) of each stage
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
STEM, LAST = 32, 1280


class MobileNet(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes: images of `size` x `size`; `width` scales all channels; `stages` cuts the network short."""

    batch: int = 1
    size: int = 224
    width: float = 1.0
    stages: int = len(STAGES)
    classes: int = 1000


def build(sizes: MobileNet) -> Model:
    """The model."""
    sketch = Sketch("mobilenetv2")
    image = Map(
        name=sketch.input("image", (sizes.batch, 3, sizes.size, sizes.size)),
        batch=sizes.batch, channels=3, height=sizes.size, width=sizes.size,
    )  # fmt: skip
    state = _conv_norm(sketch, image, "MobileNet.stem", (_scaled(STEM, sizes.width), 3, 2), group=1)
    for stage, (expansion, channels, count, stride) in enumerate(STAGES[: sizes.stages]):
        for block in range(count):
            form = (expansion, _scaled(channels, sizes.width), 1 if block else stride)
            state = _inverted(sketch, state, f"MobileNet.stage{stage}.{block}", form)
    last = _scaled(LAST, max(1.0, sizes.width))
    state = _conv_norm(sketch, state, "MobileNet.last", (last, 1, 1), group=1)
    logits = classifier(sketch, state, "MobileNet.head", sizes.classes)
    sketch.output(logits, (sizes.batch, sizes.classes))
    return sketch.model()


def _scaled(channels: int, width: float) -> int:
    """Nearest multiple of 8, never less than 90 % of the scaled count (the paper's rule)."""
    wanted = channels * width
    rounded = max(CHANNEL_UNIT, int(wanted + CHANNEL_UNIT / 2) // CHANNEL_UNIT * CHANNEL_UNIT)
    return rounded if rounded >= 0.9 * wanted else rounded + CHANNEL_UNIT


def _conv_norm(sketch: Sketch, state: Map, name: str, form: tuple[int, int, int], *, group: int) -> Map:
    channels, kernel, stride = form
    state = conv(
        sketch, state, f"{name}.conv", channels, kernel=kernel, stride=stride, group=group, has_bias=False
    )
    state = batch_norm(sketch, state, f"{name}.norm")
    limits = [
        sketch.constant(f"{name}.{part}", value, "float16") for part, value in (("low", 0.0), ("high", 6.0))
    ]
    return state.named(sketch.add("Clip", [state.name, *limits], f"{name}.relu6"))


def _inverted(sketch: Sketch, state: Map, name: str, form: tuple[int, int, int]) -> Map:
    expansion, channels, stride = form
    hidden, wide = state, state.channels * expansion
    if expansion > 1:
        hidden = _conv_norm(sketch, hidden, f"{name}.expand", (wide, 1, 1), group=1)
    hidden = _conv_norm(sketch, hidden, f"{name}.depthwise", (wide, 3, stride), group=wide)
    hidden = conv(sketch, hidden, f"{name}.project.conv", channels, kernel=1, has_bias=False)
    hidden = batch_norm(sketch, hidden, f"{name}.project.norm")
    if stride > 1 or state.channels != channels:
        return hidden
    return hidden.named(sketch.add("Add", [hidden.name, state.name], f"{name}.add"))


PRESETS: dict[str, MobileNet] = {
    "imagenet": MobileNet(),
    "tiny": MobileNet(size=32, width=0.25, stages=3, classes=10),
}
