"""Planted faults: work done twice, work nobody uses, constants computed late, a loop that repeats itself."""

from __future__ import annotations

import msgspec

from perfgate.zoo.blocks import Map, conv
from perfgate.zoo.sketch import Model, Sketch


class Redundant(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes; each kind of waste can be left out to compare."""

    batch: int = 1
    size: int = 32
    channels: int = 64
    layers: int = 4
    iterations: int = 10
    duplicates: bool = True
    dead: bool = True
    invariants: bool = True


def build(sizes: Redundant) -> Model:
    """Convolution layers with waste between them, then a loop over the pooled features."""
    sketch = Sketch("redundant")
    state = Map(
        name=sketch.input("image", (sizes.batch, sizes.channels, sizes.size, sizes.size)),
        batch=sizes.batch, channels=sizes.channels, height=sizes.size, width=sizes.size,
    )  # fmt: skip
    for layer in range(sizes.layers):
        state = _layer(sketch, sizes, state, f"Net.layers.{layer}")
    sketch.add("GlobalAveragePool", [state.name], "Net.pool")
    features = sketch.add("Flatten", ["Net.pool"], "Net.features", axis=1)
    result = _loop(sketch, sizes, features)
    sketch.output(result, (sizes.batch, sizes.channels))
    return sketch.model()


def _layer(sketch: Sketch, sizes: Redundant, state: Map, name: str) -> Map:
    state = conv(sketch, state, f"{name}.conv", sizes.channels)
    left = sketch.add("Sigmoid", [state.name], f"{name}.gate")
    right = sketch.add("Sigmoid", [state.name], f"{name}.gate_again") if sizes.duplicates else left
    both = sketch.add("Mul", [sketch.add("Mul", [state.name, left], f"{name}.once"), right], f"{name}.twice")
    if sizes.dead:
        unused = sketch.add("Exp", [both], f"{name}.unused")
        sketch.add("Log", [unused], f"{name}.unused.log")
    half = sketch.constant(f"{name}.half", 0.5, "float16")
    factor = sketch.add("Add", [half, half], f"{name}.factor")  # a constant that was left to the device
    same = sketch.add("Identity", [both], f"{name}.same")
    return state.named(sketch.add("Mul", [same, factor], f"{name}.scaled"))


def _loop(sketch: Sketch, sizes: Redundant, features: str) -> str:
    """Each iteration multiplies the state by a matrix; with invariants it also squares that matrix anew."""
    name = "Net.loop"
    matrix = sketch.weight(f"{name}.matrix", (sizes.channels, sizes.channels))
    body = Sketch(f"{name}.body")
    body.input(f"{name}.iteration", (), "INT64")
    body.input(f"{name}.going", (), "BOOL")
    state = body.input(f"{name}.state", (sizes.batch, sizes.channels))
    body.output(body.add("Identity", [f"{name}.going"], f"{name}.go_on"), (), "BOOL")
    square = body.add("MatMul", [matrix, matrix], f"{name}.square") if sizes.invariants else matrix
    body.output(body.add("MatMul", [state, square], f"{name}.next"), (sizes.batch, sizes.channels))
    count = sketch.constant(f"{name}.count", sizes.iterations)
    going = sketch.constant(f"{name}.start", 1, "bool")
    return sketch.add("Loop", [count, going, features], name, body=body.graph())


PRESETS: dict[str, Redundant] = {
    "wasteful": Redundant(),
    "clean": Redundant(duplicates=False, dead=False, invariants=False),
    "tiny": Redundant(size=8, channels=16, layers=1, iterations=2),
}
