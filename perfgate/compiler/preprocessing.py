"""`--insert_op_conf`: image preprocessing that moves into the load of an input."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXPECTED = "blocks of the form aipp_op { aipp_mode: static input_format: RGB888_U8 csc_switch: true ... }"
# One step each: fields that switch it on. Means and variances are one multiply-add, so one step together.
_STEPS: dict[str, tuple[str, ...]] = {
    "colour": ("csc_switch",),
    "swap": ("rbuv_swap_switch", "ax_swap_switch"),
    "crop": ("crop",),
    "resize": ("resize",),
    "pad": ("padding",),
    "normalise": ("mean_chn_", "min_chn_", "var_reci_chn_"),
}


class Preprocessing(msgspec.Struct, frozen=True):
    """One input's preprocessing: position of the input, and the active steps in order."""

    position: int
    steps: tuple[str, ...]


def parse_preprocessing(content: str, where: str) -> tuple[Preprocessing, ...]:
    """The text form of AIPP configurations; several fields may share a line.

    Raises:
        UsageError: no block, or one that does not end.
    """
    blocks = list(_blocks(content, where))
    if not blocks:
        raise UsageError("the preprocessing file holds no aipp_op block", where, f"write {_EXPECTED}")
    return tuple(_parse_block(block) for block in blocks)


def _blocks(content: str, where: str) -> Iterator[str]:
    text = "\n".join(line.split("#")[0] for line in content.splitlines())
    position = 0
    while (start := text.find("aipp_op", position)) >= 0:
        opening = text.find("{", start)
        depth, end = 0, opening
        while 0 <= end < len(text):
            depth += (text[end] == "{") - (text[end] == "}")
            if depth == 0:
                break
            end += 1
        if opening < 0 or depth:
            raise UsageError("an aipp_op block does not end", where, "close it with }")
        yield text[opening + 1 : end]
        position = end


def _parse_block(block: str) -> Preprocessing:
    fields = re.findall(r"([A-Za-z_]\w*)\s*:\s*(\S+)", block)
    position = next(
        (int(value) for name, value in fields if name == "related_input_rank" and value.isdigit()), 0
    )
    steps = tuple(step for step, names in _STEPS.items() if any(_is_active(field, names) for field in fields))
    return Preprocessing(position, steps)


def _is_active(field: tuple[str, str], names: tuple[str, ...]) -> bool:
    name, value = field
    value = value.strip("\"',;").lower()
    if not any(name == wanted or (wanted.endswith("_") and name.startswith(wanted)) for wanted in names):
        return False
    if name.startswith("var_reci_chn_"):
        return _number(value) not in {None, 1.0}
    if name.startswith(("mean_chn_", "min_chn_")):
        return _number(value) not in {None, 0.0}
    return value in {"true", "1"}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
