"""A language model's decoder with grouped heads: prefill of a prompt, or one step on a filled cache.

Keys and values live in caches that are inputs and outputs; `TensorScatter` writes the new ones in place.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from perfgate.core.errors import UsageError
from perfgate.zoo.blocks import linear, swish
from perfgate.zoo.sketch import Model, Sketch

OPSET = 24  # TensorScatter, Attention, RotaryEmbedding and RMSNormalization as operators


class Decoder(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes; `length`: tokens of the prompt (prefill); `cache`: places of the cache, all seen by decode."""

    batch: int = 1
    phase: Literal["prefill", "decode"] = "decode"
    length: int = 512
    cache: int = 2048
    layers: int = 16
    hidden: int = 2048
    heads: int = 32
    kv_heads: int = 8
    feed_forward: int = 5632
    vocabulary: int = 32000

    @property
    def tokens(self) -> int:
        """Tokens of one execution."""
        return self.length if self.phase == "prefill" else 1

    @property
    def head_size(self) -> int:
        """Width of one head."""
        return self.hidden // self.heads


class _Drawing(msgspec.Struct, frozen=True, kw_only=True):
    sketch: Sketch
    sizes: Decoder
    place: str  # where the new tokens go in the cache
    rotation: tuple[str, ...]  # cosines, sines and positions


def build(sizes: Decoder) -> Model:
    """The model: token numbers and caches in, scores and caches out.

    Raises:
        UsageError: heads do not divide, or the prompt is longer than the cache.
    """
    if sizes.hidden % sizes.heads or sizes.heads % sizes.kv_heads or sizes.tokens > sizes.cache:
        raise UsageError(
            f"{sizes.heads} heads over {sizes.hidden} channels, {sizes.kv_heads} kv_heads,"
            f" {sizes.tokens} tokens in a cache of {sizes.cache} do not fit",
            "zoo:llm_decoder",
            "let heads divide hidden, kv_heads divide heads, and the cache hold the tokens",
        )
    sketch = Sketch("llm_decoder", opset=OPSET)
    tokens = sketch.input("input_ids", (sizes.batch, sizes.tokens), "INT64")
    drawing = _Drawing(
        sketch=sketch,
        sizes=sizes,
        place=sketch.input("cache_position", (sizes.batch,), "INT64"),
        rotation=(
            sketch.weight("Decoder.rotary.cos", (sizes.cache, sizes.head_size // 2)),
            sketch.weight("Decoder.rotary.sin", (sizes.cache, sizes.head_size // 2)),
            sketch.input("position_ids", (sizes.batch, sizes.tokens), "INT64"),
        ),
    )
    table = sketch.weight("Decoder.embedding.weight", (sizes.vocabulary, sizes.hidden))
    state = sketch.add("Gather", [table, tokens], "Decoder.embedding")
    for layer in range(sizes.layers):
        state = _layer(drawing, state, f"Decoder.layers.{layer}")
    state = _norm(drawing, state, "Decoder.norm")
    widths = (sizes.hidden, sizes.vocabulary)
    logits = linear(sketch, state, "Decoder.lm_head", widths, has_bias=False)
    sketch.output(logits, (sizes.batch, sizes.tokens, sizes.vocabulary))
    return sketch.model()


def _norm(drawing: _Drawing, state: str, name: str) -> str:
    weight = drawing.sketch.weight(f"{name}.weight", (drawing.sizes.hidden,))
    return drawing.sketch.add("RMSNormalization", [state, weight], name, axis=-1)


def _layer(drawing: _Drawing, state: str, name: str) -> str:
    sketch, sizes = drawing.sketch, drawing.sizes
    attended = _attention(drawing, _norm(drawing, state, f"{name}.input_norm"), f"{name}.attention")
    state = sketch.add("Add", [attended, state], f"{name}.attention.add")
    normed = _norm(drawing, state, f"{name}.mlp_norm")
    wide = (sizes.hidden, sizes.feed_forward)
    gate = swish(sketch, linear(sketch, normed, f"{name}.mlp.gate", wide, has_bias=False), f"{name}.mlp.act")
    up = linear(sketch, normed, f"{name}.mlp.up", wide, has_bias=False)
    product = sketch.add("Mul", [gate, up], f"{name}.mlp.product")
    down = linear(sketch, product, f"{name}.mlp.down", wide[::-1], has_bias=False)
    return sketch.add("Add", [down, state], f"{name}.add")


def _heads(drawing: _Drawing, state: str, name: str, count: int) -> str:
    sketch, sizes = drawing.sketch, drawing.sizes
    projected = linear(sketch, state, name, (sizes.hidden, count * sizes.head_size), has_bias=False)
    shape = sketch.constant(f"{name}.shape", [0, 0, count, sizes.head_size])
    split = sketch.add("Reshape", [projected, shape], f"{name}.split")
    return sketch.add("Transpose", [split], f"{name}.heads", perm=[0, 2, 1, 3])


def _attention(drawing: _Drawing, state: str, name: str) -> str:
    sketch, sizes = drawing.sketch, drawing.sizes
    query = _heads(drawing, state, f"{name}.query", sizes.heads)
    query = sketch.add("RotaryEmbedding", [query, *drawing.rotation], f"{name}.query.rotated")
    fresh = {part: _heads(drawing, state, f"{name}.{part}", sizes.kv_heads) for part in ("key", "value")}
    fresh["key"] = sketch.add("RotaryEmbedding", [fresh["key"], *drawing.rotation], f"{name}.key.rotated")
    shape = (sizes.batch, sizes.kv_heads, sizes.cache, sizes.head_size)
    cached = {}
    for part, new in fresh.items():
        old = sketch.input(f"{name}.{part}.cache", shape)
        cached[part] = sketch.add("TensorScatter", [old, new, drawing.place], f"{name}.{part}.cached", axis=2)
        sketch.output(cached[part], shape)
    # A prompt attends to itself; one new token attends to everything the cache holds.
    seen = fresh if sizes.phase == "prefill" else cached
    mixed = sketch.add("Attention", [query, seen["key"], seen["value"]], f"{name}.mixed",
                       is_causal=int(sizes.phase == "prefill"))  # fmt: skip
    gathered = sketch.add("Transpose", [mixed], f"{name}.gathered", perm=[0, 2, 1, 3])
    joined = sketch.add("Reshape", [gathered, sketch.constant(f"{name}.shape", [0, 0, -1])], f"{name}.joined")
    return linear(sketch, joined, f"{name}.output", (sizes.hidden, sizes.hidden), has_bias=False)


_TINY = Decoder(
    length=8, cache=32, layers=1, hidden=64, heads=4, kv_heads=2, feed_forward=128, vocabulary=100
)
PRESETS: dict[str, Decoder] = {
    "decode": Decoder(),
    "prefill": Decoder(phase="prefill"),
    "tiny": _TINY,
    "tiny_prefill": msgspec.structs.replace(_TINY, phase="prefill"),
}
