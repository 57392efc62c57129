"""The passes by name, in the order they run."""

from __future__ import annotations

CONSTANT_FOLDING = "constant_folding"
IDENTITY = "identity"
CSE = "cse"
DCE = "dce"
LOOP_INVARIANT = "loop_invariant"
FUSION = "fusion"
PRECISION = "precision"
QUANTISE = "quantise"
LAYOUT = "layout"
TILING = "tiling"
MEMORY = "memory"
LOWER = "lower"

PASS_NAMES = (
    CONSTANT_FOLDING, IDENTITY, CSE, DCE, LOOP_INVARIANT, FUSION,
    PRECISION, QUANTISE, LAYOUT, TILING, MEMORY, LOWER,
)  # fmt: skip
