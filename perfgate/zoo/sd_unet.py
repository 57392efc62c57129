"""The denoising network of a text-to-image model: levels of residual blocks and attention around a middle.

Every level ends in a downsampler, so only `mid_block` lies at the lowest resolution; the last downsampler
also widens to the middle's channels. SIMULATOR section 5 has the arithmetic of the preset `poster`.
"""

from __future__ import annotations

import json
from math import gcd

import msgspec

from perfgate.core.errors import UsageError
from perfgate.zoo.blocks import Map, conv, enlarge, group_norm, layer_norm, linear, swish
from perfgate.zoo.sketch import Model, Sketch

LATENT_CHANNELS = 4
PIXELS_PER_LATENT = 8  # the image decoder enlarges by 8
GROUPS = 32


class UNet(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes of the network; `height` and `width` are those of the image in pixels.

    `multipliers`: channels of each level over `channels`; `middle` likewise for `mid_block`. `layers`:
    residual blocks per level on the way down (one more on the way up). `context`: tokens and width of the
    text. `iterations`: denoising steps of one image.
    """

    batch: int = 8
    height: int = 1088
    width: int = 768
    channels: int = 160
    multipliers: tuple[int, ...] = (1, 2, 4)
    middle: int = 8
    layers: int = 1
    heads: int = 1
    iterations: int = 28
    context: tuple[int, int] = (77, 768)

    @property
    def levels(self) -> int:
        """Resolutions above the middle."""
        return len(self.multipliers)


class _Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """What every block needs: the sketch, the sizes, the time embedding and the text."""

    sketch: Sketch
    sizes: UNet
    time: str
    text: str


def build(sizes: UNet) -> Model:
    """The model of one denoising step.

    Raises:
        UsageError: the image does not divide down to the middle.
    """
    unit = PIXELS_PER_LATENT << sizes.levels
    if sizes.height % unit or sizes.width % unit:
        raise UsageError(
            f"an image of {sizes.height} x {sizes.width} does not halve {sizes.levels} times",
            "zoo:sd_unet",
            f"use multiples of {unit} pixels",
        )
    sketch = Sketch("sd_unet")
    latent = Map(
        name=sketch.input("latent", (sizes.batch, LATENT_CHANNELS, *_latent_size(sizes))),
        batch=sizes.batch,
        channels=LATENT_CHANNELS,
        height=_latent_size(sizes)[0],
        width=_latent_size(sizes)[1],
    )
    timestep = sketch.input("timestep", (sizes.batch, 1))
    text = sketch.input("text", (sizes.batch, *sizes.context))
    drawing = _Drawing(sketch=sketch, sizes=sizes, time=_time_embedding(sketch, sizes, timestep), text=text)
    state = conv(sketch, latent, "UNet.conv_in", sizes.channels)
    skips = [state]
    for level in range(sizes.levels):
        state = _down_block(drawing, state, level, skips)
    state = _mid_block(drawing, state)
    for position, level in enumerate(reversed(range(sizes.levels))):
        if position == sizes.levels - 1:
            _note_cache(sketch, sizes, state.name)
        state = _up_block(drawing, state, (position, level), skips)
    state = _norm_act(drawing, state, "UNet.norm_out")
    noise = conv(sketch, state, "UNet.conv_out", LATENT_CHANNELS)
    sketch.output(noise.name, (noise.batch, noise.channels, noise.height, noise.width))
    sketch.note("iterations", str(sizes.iterations))
    return sketch.model()


def _latent_size(sizes: UNet) -> tuple[int, int]:
    return sizes.height // PIXELS_PER_LATENT, sizes.width // PIXELS_PER_LATENT


def _note_cache(sketch: Sketch, sizes: UNet, tensor: str) -> None:
    """Everything but the outer level may be reused between steps: its output changes slowly."""
    inner = range(1, sizes.levels)
    scopes = [f"UNet.down_blocks.{level}" for level in inner]
    scopes += ["UNet.down_blocks.0.downsampler", "UNet.mid_block"]
    scopes += [f"UNet.up_blocks.{position}" for position in range(sizes.levels - 1)]
    sketch.note("step_cache", json.dumps({"scopes": scopes, "tensor": tensor}))


def _time_embedding(sketch: Sketch, sizes: UNet, timestep: str) -> str:
    """Sines and cosines of the step, through two linear layers."""
    name, width = "UNet.time_embedding", 4 * sizes.channels
    phase = sketch.add(
        "Mul", [timestep, sketch.weight(f"{name}.frequencies", (sizes.channels // 2,))], f"{name}.phase"
    )
    waves = [sketch.add(op, [phase], f"{name}.{op.lower()}") for op in ("Sin", "Cos")]
    features = sketch.add("Concat", waves, f"{name}.features", axis=-1)
    hidden = swish(
        sketch, linear(sketch, features, f"{name}.linear_1", (sizes.channels, width)), f"{name}.act_1"
    )
    return swish(sketch, linear(sketch, hidden, f"{name}.linear_2", (width, width)), f"{name}.act_2")


def _down_block(drawing: _Drawing, state: Map, level: int, skips: list[Map]) -> Map:
    sizes, name = drawing.sizes, f"UNet.down_blocks.{level}"
    channels = sizes.channels * sizes.multipliers[level]
    for layer in range(sizes.layers):
        state = _residual(drawing, state, f"{name}.resnet.{layer}", channels)
        if level:
            state = _attention(drawing, state, f"{name}.attention.{layer}")
        skips.append(state)
    is_last = level == sizes.levels - 1
    state = conv(
        drawing.sketch,
        state,
        f"{name}.downsampler.conv",
        sizes.channels * sizes.middle if is_last else channels,
        stride=2,
    )
    if not is_last:
        skips.append(state)
    return state


def _mid_block(drawing: _Drawing, state: Map) -> Map:
    state = _residual(drawing, state, "UNet.mid_block.resnet.0", state.channels)
    state = _attention(drawing, state, "UNet.mid_block.attention.0")
    return _residual(drawing, state, "UNet.mid_block.resnet.1", state.channels)


def _up_block(drawing: _Drawing, state: Map, place: tuple[int, int], skips: list[Map]) -> Map:
    position, level = place
    sketch, sizes, name = drawing.sketch, drawing.sizes, f"UNet.up_blocks.{position}"
    larger = enlarge(sketch, state, f"{name}.upsampler.resize")
    state = conv(sketch, larger, f"{name}.upsampler.conv", larger.channels)
    channels = sizes.channels * sizes.multipliers[level]
    for layer in range(sizes.layers + 1):
        skip = skips.pop()
        joined = sketch.add("Concat", [state.name, skip.name], f"{name}.concat.{layer}", axis=1)
        state = state.named(joined, state.channels + skip.channels)
        state = _residual(drawing, state, f"{name}.resnet.{layer}", channels)
        if level:
            state = _attention(drawing, state, f"{name}.attention.{layer}")
    return state


def _norm_act(drawing: _Drawing, state: Map, name: str) -> Map:
    normed = group_norm(drawing.sketch, state, name, gcd(GROUPS, state.channels))
    return normed.named(swish(drawing.sketch, normed.name, f"{name}.act"))


def _residual(drawing: _Drawing, state: Map, name: str, channels: int) -> Map:
    """Norm, convolution, time, norm, convolution, plus the block's own input (through 1x1 if it widens)."""
    sketch = drawing.sketch
    hidden = conv(sketch, _norm_act(drawing, state, f"{name}.norm1"), f"{name}.conv1", channels)
    shift = linear(sketch, drawing.time, f"{name}.time", (4 * drawing.sizes.channels, channels))
    axes = sketch.constant(f"{name}.time.axes", [2, 3])
    shift = sketch.add("Unsqueeze", [shift, axes], f"{name}.time.unsqueeze")
    hidden = hidden.named(sketch.add("Add", [hidden.name, shift], f"{name}.time.add"))
    hidden = conv(sketch, _norm_act(drawing, hidden, f"{name}.norm2"), f"{name}.conv2", channels)
    if state.channels != channels:
        state = conv(sketch, state, f"{name}.shortcut", channels, kernel=1)
    return hidden.named(sketch.add("Add", [hidden.name, state.name], f"{name}.add"))


def _attention(drawing: _Drawing, state: Map, name: str) -> Map:
    """Tokens are pixels: entered and left by Transpose; attends to itself, then to the text."""
    sketch, channels = drawing.sketch, state.channels
    rows = sketch.add("Transpose", [state.name], f"{name}.enter", perm=[0, 2, 3, 1])
    shape = sketch.constant(f"{name}.tokens.shape", [state.batch, -1, channels])
    tokens = sketch.add("Reshape", [rows, shape], f"{name}.tokens")
    hidden = linear(sketch, tokens, f"{name}.proj_in", (channels, channels))
    for part, context in (("self", ""), ("cross", drawing.text)):
        normed = layer_norm(sketch, hidden, f"{name}.{part}.norm", channels)
        keys = (context, drawing.sizes.context[1]) if context else (normed, channels)
        attended = _attend(drawing, f"{name}.{part}", normed, keys, channels)
        hidden = sketch.add("Add", [attended, hidden], f"{name}.{part}.add")
    projected = linear(sketch, hidden, f"{name}.proj_out", (channels, channels))
    joined = sketch.add("Add", [projected, tokens], f"{name}.add")
    shape = sketch.constant(f"{name}.rows.shape", [state.batch, state.height, state.width, channels])
    rows = sketch.add("Reshape", [joined, shape], f"{name}.rows")
    return state.named(sketch.add("Transpose", [rows], f"{name}.leave", perm=[0, 3, 1, 2]))


def _attend(drawing: _Drawing, name: str, tokens: str, keys: tuple[str, int], channels: int) -> str:
    """softmax(Q K / sqrt(d)) V, then a linear layer; heads are split only if there are several."""
    sketch, heads = drawing.sketch, drawing.sizes.heads
    query = linear(sketch, tokens, f"{name}.query", (channels, channels), has_bias=False)
    key = linear(sketch, keys[0], f"{name}.key", (keys[1], channels), has_bias=False)
    value = linear(sketch, keys[0], f"{name}.value", (keys[1], channels), has_bias=False)
    order = [0, 2, 1]
    if heads > 1:
        shape = sketch.constant(f"{name}.heads", [0, -1, heads, channels // heads])
        query, value = (
            sketch.add(
                "Transpose",
                [sketch.add("Reshape", [part, shape], f"{part}.split")],
                f"{part}.heads",
                perm=[0, 2, 1, 3],
            )
            for part in (query, value)
        )
        key, order = sketch.add("Reshape", [key, shape], f"{key}.split"), [0, 2, 3, 1]
    key = sketch.add("Transpose", [key], f"{name}.key.transpose", perm=order)
    scores = sketch.add("MatMul", [query, key], f"{name}.scores")
    scale = sketch.constant(f"{name}.scale", (channels // heads) ** -0.5, "float16")
    weights = sketch.add(
        "Softmax", [sketch.add("Mul", [scores, scale], f"{name}.scaled")], f"{name}.softmax", axis=-1
    )
    mixed = sketch.add("MatMul", [weights, value], f"{name}.mixed")
    if heads > 1:
        shape = sketch.constant(f"{name}.joined.shape", [0, -1, channels])
        mixed = sketch.add("Transpose", [mixed], f"{name}.gathered", perm=[0, 2, 1, 3])
        mixed = sketch.add("Reshape", [mixed, shape], f"{name}.joined")
    return linear(sketch, mixed, f"{name}.out", (channels, channels))


PRESETS: dict[str, UNet] = {
    "poster": UNet(),
    "poster_1024": UNet(height=1024, width=1024),
    "full_width": UNet(channels=320, middle=4, layers=2),
    "tiny": UNet(
        batch=1, height=64, width=64, channels=32, multipliers=(1,), middle=2, context=(8, 32), iterations=2
    ),
}
