"""Convolutions and what they share with pools: windows that slide over spatial axes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from perfgate.graph.ops.matrix import matrix_facts
from perfgate.graph.ops.rows import OpFacts, Result, Row, Shape, Site, product
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

WINDOW = ("strides", "dilations", "pads", "auto_pad", "ceil_mode")  # attributes that place a window
SPATIAL_START = 2  # N, C, then the spatial axes


def per_axis(attributes: dict[str, Any], name: str, count: int, default: int) -> Shape:
    """Attribute with `count` integers, or the default for each."""
    given = attributes.get(name)
    if given is None:
        return (default,) * count
    if len(given) != count:
        raise mismatch(f"{name} {list(given)} needs {count} entries", f"give one {name} for each (axis) end")
    sizes: Shape = given
    return sizes


def window_sizes(spatial: Shape, kernel: Shape, attributes: dict[str, Any]) -> Shape:
    """Output size of each spatial axis when a window of `kernel` slides over it.

    floor((size + pads - dilated kernel) / stride) + 1, or ceil in ceil mode; a window that would start in
    the padding after the data is dropped. `auto_pad` SAME gives ceil(size / stride).
    """
    rank = len(spatial)
    if len(kernel) != rank:
        raise mismatch(f"kernel {list(kernel)} has {len(kernel)} axes, the data has {rank} spatial axes")
    get = attributes.get
    return _sizes(spatial, kernel, tuple([get(name) for name in WINDOW]))


@lru_cache(maxsize=4096)  # networks repeat the same few windows hundreds of times; 6 us otherwise
def _sizes(spatial: Shape, kernel: Shape, window: tuple[Any, ...]) -> Shape:
    attributes = {name: value for name, value in zip(WINDOW, window, strict=True) if value is not None}
    rank = len(spatial)
    strides = per_axis(attributes, "strides", rank, 1)
    dilations = per_axis(attributes, "dilations", rank, 1)
    auto_pad = attributes.get("auto_pad", "NOTSET")
    pads = (0,) * (2 * rank) if auto_pad == "VALID" else per_axis(attributes, "pads", 2 * rank, 0)
    if min(strides + dilations + kernel, default=1) < 1:
        raise mismatch("kernel, strides and dilations must be positive", "correct the attribute")
    if auto_pad in {"SAME_UPPER", "SAME_LOWER"}:
        return tuple(-(-size // stride) for size, stride in zip(spatial, strides, strict=True))
    is_ceil = attributes.get("ceil_mode", 0)
    sizes = []
    for axis in range(rank):
        stride = strides[axis]
        room = spatial[axis] + pads[axis] + pads[axis + rank] - (kernel[axis] - 1) * dilations[axis] - 1
        if room < 0:
            raise mismatch(
                f"a window of {kernel[axis]} (dilation {dilations[axis]}) does not fit in spatial axis {axis}"
                f" of size {spatial[axis]} with pads {pads[axis]}, {pads[axis + rank]}"
            )
        size = (-(-room // stride) if is_ceil else room // stride) + 1
        if is_ceil and (size - 1) * stride >= spatial[axis] + pads[axis]:
            size -= 1
        sizes.append(size)
    return tuple(sizes)


def conv_shape(data: Tensor, weight: Tensor, attributes: dict[str, Any]) -> Shape:
    """Output shape of a convolution; checks channels against group."""
    shape, filters = data.shape, weight.shape
    if len(shape) <= SPATIAL_START or len(filters) != len(shape):
        raise mismatch(f"data {list(shape)} and weight {list(filters)} must have one rank, 3 or more")
    group = attributes.get("group", 1)
    if group < 1 or filters[1] * group != shape[1] or filters[0] % group:
        raise mismatch(
            f"data {list(shape)} has {shape[1]} channels (axis 1), weight {list(filters)} in {group} group(s)"
            f" takes {filters[1] * group}"
        )
    kernel = filters[SPATIAL_START:]
    declared = attributes.get("kernel_shape")
    if declared is not None and tuple(declared) != kernel:
        raise mismatch(f"kernel_shape {list(declared)} differs from the weight {list(filters)}")
    return (shape[0], filters[0], *window_sizes(shape[SPATIAL_START:], kernel, attributes))


def _conv(site: Site) -> list[Result]:
    data, weight = site.tensor(0), site.tensor(1)
    return [(conv_shape(data, weight, site.attributes), data.dtype)]


def _conv_integer(site: Site) -> list[Result]:
    return [(conv_shape(site.tensor(0), site.tensor(1), site.attributes), "int32")]


def _qlinear_conv(site: Site) -> list[Result]:
    zero = site.optional(7)
    dtype = zero.dtype if zero is not None else site.tensor(0).dtype
    return [(conv_shape(site.tensor(0), site.tensor(3), site.attributes), dtype)]


def _deform_conv(site: Site) -> list[Result]:
    data, weight = site.tensor(0), site.tensor(1)
    return [(conv_shape(data, weight, site.attributes), data.dtype)]


def _facts(
    node: Node, inputs: list[Tensor | None], outputs: list[Tensor], weight: Tensor | None, bias: int
) -> OpFacts:
    if weight is None:
        return matrix_facts(inputs, outputs, (0, 0, 0, 0))
    group = node.attributes.get("group", 1)
    shape, filters = outputs[0].shape, weight.shape
    pixels = shape[0] * product(shape[SPATIAL_START:])
    size = (pixels, filters[0] // group, product(filters[1:]), group)
    has_bias = len(inputs) > bias and inputs[bias] is not None
    return matrix_facts(inputs, outputs, size, extra=outputs[0].elements if has_bias else 0)


def _conv_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    return _facts(node, inputs, outputs, inputs[1], 2)


def _qlinear_conv_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    return _facts(node, inputs, outputs, inputs[3], 8)


def _conv_transpose(site: Site) -> list[Result]:
    data, weight = site.tensor(0), site.tensor(1)
    shape, filters, attributes = data.shape, weight.shape, site.attributes
    if len(shape) <= SPATIAL_START or len(filters) != len(shape):
        raise mismatch(f"data {list(shape)} and weight {list(filters)} must have one rank, 3 or more")
    if filters[0] != shape[1]:
        raise mismatch(
            f"data {list(shape)} has {shape[1]} channels (axis 1), weight {list(filters)} {filters[0]}"
        )
    channels = filters[1] * attributes.get("group", 1)
    return [((shape[0], channels, *_transposed_sizes(shape, filters, attributes)), data.dtype)]


def _transposed_sizes(shape: Shape, filters: Shape, attributes: dict[str, Any]) -> Shape:
    rank = len(shape) - SPATIAL_START
    declared = attributes.get("output_shape")
    if declared is not None:
        return tuple(declared[-rank:])  # some exporters also name N and C
    spatial, kernel = shape[SPATIAL_START:], filters[SPATIAL_START:]
    strides = per_axis(attributes, "strides", rank, 1)
    dilations = per_axis(attributes, "dilations", rank, 1)
    extra = per_axis(attributes, "output_padding", rank, 0)
    auto_pad = attributes.get("auto_pad", "NOTSET")
    if auto_pad in {"SAME_UPPER", "SAME_LOWER"}:
        return tuple(size * stride for size, stride in zip(spatial, strides, strict=True))
    pads = (0,) * (2 * rank) if auto_pad == "VALID" else per_axis(attributes, "pads", 2 * rank, 0)
    sizes = tuple(
        strides[i] * (spatial[i] - 1)
        + extra[i]
        + (kernel[i] - 1) * dilations[i]
        + 1
        - pads[i]
        - pads[i + rank]
        for i in range(rank)
    )
    if min(sizes) < 0:
        raise mismatch(f"pads {list(pads)} are larger than the transposed output {list(sizes)}")
    return sizes


def _conv_transpose_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    data, weight = inputs[0], inputs[1]
    if data is None or weight is None:
        return matrix_facts(inputs, outputs, (0, 0, 0, 0))
    group = node.attributes.get("group", 1)
    pixels = data.shape[0] * product(data.shape[SPATIAL_START:])
    # Every input pixel is multiplied into a whole window of the output: col2im of an (m, n, k) product.
    size = (pixels, product(weight.shape[1:]), weight.shape[0] // group, group)
    return matrix_facts(
        inputs, outputs, size, extra=outputs[0].elements if len(inputs) > SPATIAL_START else 0
    )


ROWS: dict[str, Row] = {
    "Conv": Row(shape=_conv, cost=_conv_cost),
    "ConvInteger": Row(shape=_conv_integer, cost=_conv_cost),
    "QLinearConv": Row(shape=_qlinear_conv, cost=_qlinear_conv_cost),
    "ConvTranspose": Row(shape=_conv_transpose, cost=_conv_transpose_cost),
    "DeformConv": Row(shape=_deform_conv, cost=_conv_cost),
}
