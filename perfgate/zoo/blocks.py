"""Building blocks that several models share: convolution, linear layer, norm, activation, attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from perfgate.zoo.sketch import Sketch

KERNEL_3 = 3


class Map(msgspec.Struct, frozen=True, kw_only=True):
    """A feature map as a builder passes it on: tensor name, batch, channels, height and width."""

    name: str
    batch: int
    channels: int
    height: int
    width: int

    def named(self, name: str, channels: int | None = None) -> Map:
        """The same map under another name, perhaps with other channels."""
        return msgspec.structs.replace(self, name=name, channels=channels or self.channels)


def conv(  # noqa: PLR0913 - a convolution has that many sizes
    sketch: Sketch,
    source: Map,
    name: str,
    channels: int,
    *,
    kernel: int = KERNEL_3,
    stride: int = 1,
    group: int = 1,
    has_bias: bool = True,
) -> Map:
    """A square convolution with "same" padding."""
    inputs = [
        source.name,
        sketch.weight(f"{name}.weight", (channels, source.channels // group, kernel, kernel)),
    ]
    if has_bias:
        inputs.append(sketch.weight(f"{name}.bias", (channels,)))
    pad = kernel // 2
    sketch.add(
        "Conv", inputs, name, kernel_shape=[kernel] * 2, pads=[pad] * 4, strides=[stride] * 2, group=group
    )
    return Map(
        name=name,
        batch=source.batch,
        channels=channels,
        height=(source.height + 2 * pad - kernel) // stride + 1,
        width=(source.width + 2 * pad - kernel) // stride + 1,
    )


def swish(sketch: Sketch, source: str, name: str) -> str:
    """The activation x * sigmoid(x), written as exporters write it."""
    gate = sketch.add("Sigmoid", [source], f"{name}.sigmoid")
    return sketch.add("Mul", [source, gate], name)


def group_norm(sketch: Sketch, source: Map, name: str, groups: int) -> Map:
    """GroupNormalization with scale and shift per channel."""
    inputs = [
        source.name,
        *(sketch.weight(f"{name}.{part}", (source.channels,)) for part in ("weight", "bias")),
    ]
    sketch.add("GroupNormalization", inputs, name, num_groups=groups, epsilon=1e-5)
    return source.named(name)


def layer_norm(sketch: Sketch, source: str, name: str, width: int) -> str:
    """LayerNormalization over the last axis."""
    inputs = [source, *(sketch.weight(f"{name}.{part}", (width,)) for part in ("weight", "bias"))]
    return sketch.add("LayerNormalization", inputs, name, axis=-1, epsilon=1e-5)


def linear(sketch: Sketch, source: str, name: str, widths: tuple[int, int], *, has_bias: bool = True) -> str:
    """Tokens times a matrix of `widths` (in, out), plus a bias."""
    weight = sketch.weight(f"{name}.weight", widths)
    if not has_bias:
        return sketch.add("MatMul", [source, weight], name)
    product = sketch.add("MatMul", [source, weight], f"{name}.product")
    return sketch.add("Add", [product, sketch.weight(f"{name}.bias", widths[1:])], name)


def batch_norm(sketch: Sketch, source: Map, name: str) -> Map:
    """BatchNormalization at inference."""
    parts = ("weight", "bias", "running_mean", "running_var")
    inputs = [source.name, *(sketch.weight(f"{name}.{part}", (source.channels,)) for part in parts)]
    sketch.add("BatchNormalization", inputs, name)
    return source.named(name)


def pool(sketch: Sketch, source: Map, name: str) -> Map:
    """Maximum of 3x3 windows at stride 2."""
    sketch.add("MaxPool", [source.name], name, kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2])
    height, width = (source.height - 1) // 2 + 1, (source.width - 1) // 2 + 1
    return msgspec.structs.replace(source, name=name, height=height, width=width)


def enlarge(sketch: Sketch, source: Map, name: str) -> Map:
    """A map of twice the height and width, by repetition."""
    scales = sketch.constant(f"{name}.scales", [1, 1, 2, 2], "float32")
    sketch.add("Resize", [source.name, "", scales], name, mode="nearest",
               coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip
    return msgspec.structs.replace(source, name=name, height=2 * source.height, width=2 * source.width)


def classifier(sketch: Sketch, source: Map, name: str, classes: int) -> str:
    """Mean over the map, then a linear layer."""
    sketch.add("GlobalAveragePool", [source.name], f"{name}.pool")
    flat = sketch.add("Flatten", [f"{name}.pool"], f"{name}.flat", axis=1)
    weight = sketch.weight(f"{name}.fc.weight", (classes, source.channels))
    return sketch.add(
        "Gemm", [flat, weight, sketch.weight(f"{name}.fc.bias", (classes,))], f"{name}.fc", transB=1
    )
