"""The precision that a record was compiled in, as far as its flags say."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.core.record import Record

# Least precise first: one int8 operator among fp16 ones decides what outputs may differ by.
_WORDS = (
    ("int8", ("int8",)),
    ("bf16", ("bf16", "bfloat16")),
    ("fp16", ("fp16", "float16", "half")),
)
DEFAULT = "fp32"


def precision_of(record: Record) -> str:
    """`fp32`, `fp16`, `bf16` or `int8`, by the values of its flags and keys, else its inputs."""
    settings = (*record.subject.compile, *record.subject.runtime)
    texts = [item.value.lower() for item in settings if item.value]
    for found in (texts, list(record.ruler.inputs.values())):
        for precision, words in _WORDS:
            if any(word in text for text in found for word in words):
                return precision
    return DEFAULT
