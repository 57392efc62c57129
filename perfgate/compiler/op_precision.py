"""`--op_precision_mode`: which operators compute with fp32 internals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.compiler.flag_values import refuse, text_of
from perfgate.compiler.program import Unhandled
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from perfgate.compiler.flag_values import FileReader
    from perfgate.core.setting import Setting

HIGH, FAST = "high_precision", "high_performance"
_BY_TYPE, _BY_NAME = "[ByOpType]", "[ByNodeName]"
_EXPECTED = f"Op:{HIGH} or Op:{FAST}, by comma, or a file of Op={HIGH} lines"


class OpPrecision(msgspec.Struct, frozen=True):
    """Operators and nodes of high precision, and lines that mean nothing here."""

    ops: frozenset[str] = frozenset()
    nodes: frozenset[str] = frozenset()
    unhandled: tuple[Unhandled, ...] = ()


def parse_op_precision(setting: Setting, read: FileReader) -> OpPrecision:
    """Pairs written in the command, or a file with `[ByOpType]` and `[ByNodeName]` sections.

    Raises:
        UsageError: a pair or the file cannot be used.
    """
    text = text_of(setting, _EXPECTED)
    if f":{HIGH}" in text or f":{FAST}" in text:
        pairs = [part.partition(":")[::2] for part in text.split(",") if part.strip()]
        for _, mode in pairs:
            if mode.strip() not in {HIGH, FAST}:
                refuse(setting, _EXPECTED)
        return OpPrecision(frozenset(op.strip() for op, mode in pairs if mode.strip() == HIGH))
    return _parse_file(read(text, setting.place), text)


def _parse_file(content: str, name: str) -> OpPrecision:
    found: dict[str, set[str]] = {_BY_TYPE: set(), _BY_NAME: set()}
    unhandled: list[Unhandled] = []
    section = _BY_TYPE
    for number, line in enumerate(content.splitlines(), 1):
        entry = line.split("#")[0].strip()
        place = f"{name}:{number}"
        if not entry:
            continue
        if entry.startswith("["):
            if entry not in found:
                unhandled.append(Unhandled(entry, place, f"sections are {_BY_TYPE} and {_BY_NAME}"))
            section = entry
            continue
        separator = "=" if "=" in entry else ":"
        key, _, mode = entry.partition(separator)
        if mode.strip() in {HIGH, FAST}:
            if mode.strip() == HIGH and section in found:
                found[section].add(key.strip())
        elif mode.strip().startswith(("enable_", "support_")):
            unhandled.append(Unhandled(entry, place, f"only {HIGH} and {FAST} change a cost"))
        else:
            raise UsageError(f"'{entry}' gives no precision", place, f"write {key.strip()}={HIGH} or {FAST}")
    return OpPrecision(frozenset(found[_BY_TYPE]), frozenset(found[_BY_NAME]), tuple(unhandled))
