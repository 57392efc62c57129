"""An object detector: backbone, feature pyramid, heads on three levels, suppression of double boxes."""

from __future__ import annotations

import json
from typing import Literal

import msgspec

from perfgate.core.errors import UsageError
from perfgate.zoo.blocks import Map, conv, enlarge, swish
from perfgate.zoo.sketch import Model, Sketch

STRIDE = 32  # of the deepest level
BOX_NUMBERS = 4


class Detector(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes; `width` channels after the stem; `depth` residual blocks per stage; `most` boxes per class.

    `suppression`: `device` costs it on the vector engine, `host` marks it for the host (graph metadata
    `host_scopes`), `none` leaves it to the caller.
    """

    batch: int = 1
    size: int = 640
    classes: int = 80
    width: int = 32
    depth: int = 2
    most: int = 100
    suppression: Literal["device", "host", "none"] = "device"


def build(sizes: Detector) -> Model:
    """The model: images in, selected boxes (or all boxes and scores) out.

    Raises:
        UsageError: the image does not divide down to the deepest level.
    """
    if sizes.size % STRIDE:
        raise UsageError(
            f"an image of {sizes.size} does not divide by {STRIDE}",
            "zoo:detector",
            f"use multiples of {STRIDE}",
        )
    sketch = Sketch("detector")
    image = Map(
        name=sketch.input("image", (sizes.batch, 3, sizes.size, sizes.size)),
        batch=sizes.batch, channels=3, height=sizes.size, width=sizes.size,
    )  # fmt: skip
    levels = _pyramid(sketch, sizes, _backbone(sketch, sizes, image))
    boxes, scores = _heads(sketch, sizes, levels)
    count = sum(level.height * level.width for level in levels)
    if sizes.suppression == "none":
        sketch.output(boxes, (sizes.batch, count, BOX_NUMBERS))
        sketch.output(scores, (sizes.batch, sizes.classes, count))
        return sketch.model()
    _suppress(sketch, sizes, boxes, scores)
    if sizes.suppression == "host":
        sketch.note("host_scopes", json.dumps(["Detector.suppression"]))
    return sketch.model()


def _active(sketch: Sketch, state: Map, name: str, channels: int, stride: int = 1) -> Map:
    state = conv(sketch, state, f"{name}.conv", channels, stride=stride)
    return state.named(swish(sketch, state.name, f"{name}.act"))


def _backbone(sketch: Sketch, sizes: Detector, state: Map) -> list[Map]:
    """Maps at strides 8, 16 and 32."""
    state = _active(sketch, state, "Detector.backbone.stem", sizes.width, 2)
    levels = []
    for stage in range(4):
        name, channels = f"Detector.backbone.stage{stage}", sizes.width << (stage + 1)
        state = _active(sketch, state, f"{name}.down", channels, 2)
        for block in range(sizes.depth):
            inner = _active(sketch, state, f"{name}.{block}.1", channels // 2)
            inner = _active(sketch, inner, f"{name}.{block}.2", channels)
            state = state.named(sketch.add("Add", [state.name, inner.name], f"{name}.{block}.add"))
        if stage:
            levels.append(state)
    return levels


def _pyramid(sketch: Sketch, sizes: Detector, levels: list[Map]) -> list[Map]:
    """Every level gets the enlarged deeper ones added."""
    channels = sizes.width * 4
    sides = [
        conv(sketch, level, f"Detector.neck.lateral.{i}", channels, kernel=1)
        for i, level in enumerate(levels)
    ]
    merged = [sides[-1]]
    for index in reversed(range(len(sides) - 1)):
        larger = enlarge(sketch, merged[0], f"Detector.neck.enlarge.{index}")
        total = sketch.add("Add", [sides[index].name, larger.name], f"Detector.neck.add.{index}")
        merged.insert(0, sides[index].named(total))
    return [_active(sketch, level, f"Detector.neck.smooth.{i}", channels) for i, level in enumerate(merged)]


def _heads(sketch: Sketch, sizes: Detector, levels: list[Map]) -> tuple[str, str]:
    """Boxes (batch, n, 4) and scores (batch, classes, n) of all levels."""
    found: dict[str, list[str]] = {"boxes": [], "scores": []}
    for index, level in enumerate(levels):
        for part, numbers in (("boxes", BOX_NUMBERS), ("scores", sizes.classes)):
            name = f"Detector.head.{part}.{index}"
            hidden = _active(sketch, level, f"{name}.hidden", level.channels)
            values = conv(sketch, hidden, f"{name}.out", numbers, kernel=1)
            shape = sketch.constant(f"{name}.shape", [sizes.batch, numbers, -1])
            found[part].append(sketch.add("Reshape", [values.name, shape], f"{name}.flat"))
    boxes = sketch.add("Concat", found["boxes"], "Detector.head.boxes.all", axis=2)
    scores = sketch.add("Concat", found["scores"], "Detector.head.scores.all", axis=2)
    return (
        sketch.add("Transpose", [boxes], "Detector.head.boxes.rows", perm=[0, 2, 1]),
        sketch.add("Sigmoid", [scores], "Detector.head.scores.sigmoid"),
    )


def _suppress(sketch: Sketch, sizes: Detector, boxes: str, scores: str) -> None:
    name = "Detector.suppression"
    boxes, scores = (
        sketch.add("Cast", [part], f"{name}.{label}", to=1)
        for part, label in ((boxes, "boxes"), (scores, "scores"))
    )
    limits = [
        sketch.constant(f"{name}.most", [sizes.most]),
        sketch.constant(f"{name}.overlap", [0.5], "float32"),
        sketch.constant(f"{name}.least", [0.25], "float32"),
    ]
    chosen = sketch.add("NonMaxSuppression", [boxes, scores, *limits], name)
    sketch.output(chosen, (sizes.batch * sizes.classes * sizes.most, 3), "INT64")


PRESETS: dict[str, Detector] = {
    "full": Detector(),
    "host_suppression": Detector(suppression="host"),
    "tiny": Detector(size=64, classes=4, width=8, depth=0, most=10),
}
