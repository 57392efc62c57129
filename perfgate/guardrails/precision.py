"""The precision a command asks for, in one vocabulary for all compilers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.guardrails.subject import Subject

FP32, FP16, BF16, MIXED = "fp32", "fp16", "bf16", "mixed"
PRECISIONS = (FP32, FP16, BF16, "int8", "int4", "fp8", MIXED)

_BY_VALUE = {  # flag -> value -> precision
    "--precision_mode": {
        "force_fp16": FP16,
        "force_fp32": FP32,
        "cube_fp16in_fp32out": MIXED,
        "allow_mix_precision": MIXED,
        "allow_mix_precision_fp16": MIXED,
        "allow_mix_precision_bf16": MIXED,
        "allow_fp32_to_fp16": FP16,
        "allow_fp32_to_bf16": BF16,
        "must_keep_origin_dtype": FP32,
    },
    "--precision_mode_v2": {
        "fp16": FP16,
        "origin": FP32,
        "cube_fp16in_fp32out": MIXED,
        "mixed_float16": MIXED,
        "mixed_bfloat16": MIXED,
        "cube_hif8": "fp8",
        "mixed_hif8": MIXED,
    },
    "--data_type": {"FP16": FP16, "half": FP16, "FP32": FP32, "float": FP32},
    "--compress_to_fp16": {"True": FP16, "true": FP16, "False": FP32, "false": FP32, "": FP16},
    "--mixed-precision-calculation-type": {"float16": FP16, "bfloat16": BF16},
}
_BY_PRESENCE = {
    "--fp16": (FP16,),
    "--bf16": (BF16,),
    "--int8": ("int8",),
    "--int4": ("int4",),
    "--fp8": ("fp8",),
    "--best": (FP16, BF16, "int8", "fp8"),
    "--half": (FP16,),
}
PRECISION_FLAGS = frozenset(_BY_VALUE) | frozenset(_BY_PRESENCE)
_DEFAULTS = {"atc": (FP16,), "aoe": (FP16,)}  # force_fp16 without a flag; the others keep the model's fp32


def precision_of(subject: Subject) -> tuple[str, ...] | None:
    """The precisions the command allows, or None when a flag that decides is not known."""
    if subject.is_incomplete:
        return None
    found: list[str] = []
    for flag in subject.flags:
        if flag.overridden or flag.name not in PRECISION_FLAGS:
            continue
        if flag.name in _BY_PRESENCE:
            found.extend(_BY_PRESENCE[flag.name])
            continue
        text = "" if flag.value.is_bare else flag.value.text
        name = None if text is None or flag.value.replaceable else _BY_VALUE[flag.name].get(text)
        if name is None:
            return None
        found.append(name)
    if found:
        return tuple(found)
    return None if subject.is_open else _DEFAULTS.get(subject.program, (FP32,))
