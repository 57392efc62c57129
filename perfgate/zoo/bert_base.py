"""A text encoder: embeddings, attention layers and a pooler; norms and Gelu as operators or as primitives."""

from __future__ import annotations

from typing import Literal

import msgspec

from perfgate.zoo.blocks import layer_norm, linear
from perfgate.zoo.sketch import Model, Sketch

FEED_FORWARD = 4  # inner width of the feed-forward part over the hidden width
POSITIONS = 512


class Bert(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes; `form`: Gelu and LayerNorm as one operator each (`ops`) or spelled out (`primitives`)."""

    batch: int = 1
    length: int = 128
    layers: int = 12
    hidden: int = 768
    heads: int = 12
    vocabulary: int = 30522
    form: Literal["ops", "primitives"] = "primitives"


def build(sizes: Bert) -> Model:
    """The model: token numbers in, token features and a pooled feature out."""
    sketch = Sketch("bert_base")
    state = _embeddings(sketch, sizes)
    for layer in range(sizes.layers):
        state = _layer(sketch, sizes, state, f"Bert.encoder.layer.{layer}")
    sketch.output(state, (sizes.batch, sizes.length, sizes.hidden))
    first = sketch.add(
        "Gather", [state, sketch.constant("Bert.pooler.position", 0)], "Bert.pooler.first", axis=1
    )
    pooled = linear(sketch, first, "Bert.pooler.dense", (sizes.hidden, sizes.hidden))
    sketch.output(sketch.add("Tanh", [pooled], "Bert.pooler.tanh"), (sizes.batch, sizes.hidden))
    return sketch.model()


def _embeddings(sketch: Sketch, sizes: Bert) -> str:
    name, hidden = "Bert.embeddings", sizes.hidden
    words = sketch.input("input_ids", (sizes.batch, sizes.length), "INT64")
    kinds = sketch.input("token_type_ids", (sizes.batch, sizes.length), "INT64")
    word = sketch.add(
        "Gather", [sketch.weight(f"{name}.word.weight", (sizes.vocabulary, hidden)), words], f"{name}.word"
    )
    kind = sketch.add("Gather", [sketch.weight(f"{name}.type.weight", (2, hidden)), kinds], f"{name}.type")
    place = sketch.weight(f"{name}.position.weight", (1, max(sizes.length, POSITIONS), hidden))
    ends = [sketch.constant(f"{name}.position.{part}", [value]) for part, value in
            (("start", 0), ("end", sizes.length), ("axis", 1))]  # fmt: skip
    place = sketch.add("Slice", [place, *ends], f"{name}.position")
    total = sketch.add("Add", [sketch.add("Add", [word, kind], f"{name}.sum"), place], f"{name}.total")
    return _norm(sketch, sizes, total, f"{name}.norm")


def _layer(sketch: Sketch, sizes: Bert, state: str, name: str) -> str:
    attended = _attention(sketch, sizes, state, f"{name}.attention")
    state = sketch.add("Add", [attended, state], f"{name}.attention.add")
    state = _norm(sketch, sizes, state, f"{name}.attention.norm")
    wide = (sizes.hidden, sizes.hidden * FEED_FORWARD)
    inner = _gelu(sketch, sizes, linear(sketch, state, f"{name}.intermediate", wide), f"{name}.gelu")
    outer = linear(sketch, inner, f"{name}.output", wide[::-1])
    state = sketch.add("Add", [outer, state], f"{name}.add")
    return _norm(sketch, sizes, state, f"{name}.norm")


def _attention(sketch: Sketch, sizes: Bert, state: str, name: str) -> str:
    size = sizes.hidden // sizes.heads
    split = sketch.constant(f"{name}.split", [0, 0, sizes.heads, size])
    parts = {}
    for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
        projected = linear(sketch, state, f"{name}.{part}", (sizes.hidden, sizes.hidden))
        heads = sketch.add("Reshape", [projected, split], f"{name}.{part}.split")
        parts[part] = sketch.add("Transpose", [heads], f"{name}.{part}.heads", perm=order)
    scores = sketch.add("MatMul", [parts["query"], parts["key"]], f"{name}.scores")
    scaled = sketch.add(
        "Mul", [scores, sketch.constant(f"{name}.scale", size**-0.5, "float16")], f"{name}.scaled"
    )
    weights = sketch.add("Softmax", [scaled], f"{name}.softmax", axis=-1)
    mixed = sketch.add("MatMul", [weights, parts["value"]], f"{name}.mixed")
    gathered = sketch.add("Transpose", [mixed], f"{name}.gathered", perm=[0, 2, 1, 3])
    joined = sketch.add("Reshape", [gathered, sketch.constant(f"{name}.shape", [0, 0, -1])], f"{name}.joined")
    return linear(sketch, joined, f"{name}.dense", (sizes.hidden, sizes.hidden))


def _gelu(sketch: Sketch, sizes: Bert, source: str, name: str) -> str:
    if sizes.form == "ops":
        return sketch.add("Gelu", [source], name)
    root, one, half = (
        sketch.constant(f"{name}.{part}", value, "float16")
        for part, value in (("root_two", 2**0.5), ("one", 1.0), ("half", 0.5))
    )
    error = sketch.add("Erf", [sketch.add("Div", [source, root], f"{name}.div")], f"{name}.erf")
    gate = sketch.add("Mul", [source, sketch.add("Add", [error, one], f"{name}.shift")], f"{name}.gate")
    return sketch.add("Mul", [gate, half], name)


def _norm(sketch: Sketch, sizes: Bert, source: str, name: str) -> str:
    if sizes.form == "ops":
        return layer_norm(sketch, source, name, sizes.hidden)
    axes = sketch.constant(f"{name}.axes", [-1])
    mean = sketch.add("ReduceMean", [source, axes], f"{name}.mean")
    centred = sketch.add("Sub", [source, mean], f"{name}.centred")
    two, small = (
        sketch.constant(f"{name}.two", 2.0, "float16"),
        sketch.constant(f"{name}.epsilon", 1e-5, "float16"),
    )
    square = sketch.add("Pow", [centred, two], f"{name}.square")
    variance = sketch.add("ReduceMean", [square, axes], f"{name}.variance")
    deviation = sketch.add(
        "Sqrt", [sketch.add("Add", [variance, small], f"{name}.safe")], f"{name}.deviation"
    )
    scaled = sketch.add("Div", [centred, deviation], f"{name}.normal")
    scaled = sketch.add("Mul", [scaled, sketch.weight(f"{name}.weight", (sizes.hidden,))], f"{name}.scaled")
    return sketch.add("Add", [scaled, sketch.weight(f"{name}.bias", (sizes.hidden,))], name)


PRESETS: dict[str, Bert] = {
    "base": Bert(),
    "ops": Bert(form="ops"),
    "tiny": Bert(length=16, layers=1, hidden=64, heads=2, vocabulary=100),
}
