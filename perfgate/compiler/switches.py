"""Which fusions exist, and the switch file that turns them off."""

from __future__ import annotations

import json
from enum import StrEnum

import msgspec

from perfgate.compiler.program import Unhandled
from perfgate.core.errors import UsageError


class Fusion(StrEnum):
    """The fusions by the names a switch file uses."""

    CONV_BATCH_NORM = "ConvBatchNorm"
    CONV_ADD = "ConvAddResidual"
    CONV_ACTIVATION = "ConvActivation"
    MATMUL_BIAS = "MatMulBias"
    MATMUL_ADD = "MatMulAddResidual"
    MATMUL_ACTIVATION = "MatMulActivation"
    MATMUL_TRANSPOSE = "MatMulTranspose"
    ATTENTION = "Attention"
    NORM_ACTIVATION = "NormActivation"
    ELEMENTWISE = "ElementwiseChain"
    SWISH = "Swish"
    GELU = "Gelu"
    LAYER_NORM = "LayerNorm"


GRAPH, BUFFER = "GraphFusion", "UBFusion"
SECTION_OF: dict[Fusion, str] = {
    Fusion.CONV_BATCH_NORM: GRAPH,
    Fusion.MATMUL_TRANSPOSE: GRAPH,
    Fusion.ATTENTION: GRAPH,
    Fusion.SWISH: GRAPH,
    Fusion.GELU: GRAPH,
    Fusion.LAYER_NORM: GRAPH,
    Fusion.CONV_ADD: BUFFER,
    Fusion.CONV_ACTIVATION: BUFFER,
    Fusion.MATMUL_BIAS: BUFFER,
    Fusion.MATMUL_ADD: BUFFER,
    Fusion.MATMUL_ACTIVATION: BUFFER,
    Fusion.NORM_ACTIVATION: BUFFER,
    Fusion.ELEMENTWISE: BUFFER,
}
_ENDINGS = ("pass", "fusion", "ub")
_EXPECTED = '{"Switch": {"GraphFusion": {NAME: "on" or "off"}, "UBFusion": {...}}}'


class FusionSwitches(msgspec.Struct, frozen=True):
    """The fusions that are off, and the names of the file that mean nothing here."""

    off: frozenset[Fusion] = frozenset()
    unhandled: tuple[Unhandled, ...] = ()


def _plain(name: str) -> str:
    """A name without case, separators and the words `Fusion` and `Pass` that toolkits append."""
    plain = name.lower().replace("_", "").replace("-", "")
    shortened = True
    while shortened:
        shortened = False
        for ending in _ENDINGS:
            if plain.endswith(ending) and len(plain) > len(ending):
                plain, shortened = plain.removesuffix(ending), True
    return plain


_BY_NAME = {_plain(fusion): fusion for fusion in Fusion}


def parse_switches(text: str, where: str, flag_place: str) -> FusionSwitches:
    """Read a switch file; `where` names it. A single entry beats `ALL`, whatever the order.

    Raises:
        UsageError: the file is no JSON of the expected form, or a state is neither on nor off.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise UsageError(
            f"the fusion switch file is no JSON ({error})",
            f"{where}, named at {flag_place}",
            f"write {_EXPECTED}",
        ) from error
    sections = document.get("Switch") if isinstance(document, dict) else None
    if not isinstance(sections, dict):
        raise UsageError(
            "the fusion switch file has no object 'Switch'",
            f"{where}, named at {flag_place}",
            f"write {_EXPECTED}",
        )
    states: dict[Fusion, bool] = {}
    unhandled: list[Unhandled] = []
    for section, entries in sections.items():
        if section not in {GRAPH, BUFFER} or not isinstance(entries, dict):
            unhandled.append(
                Unhandled(f"fusion section '{section}'", where, f"sections are {GRAPH} and {BUFFER}")
            )
            continue
        unhandled += [
            Unhandled(f"fusion '{name}'", where, "no fusion of this compiler has that name")
            for name in _read_section(section, _states(entries, where), states)
        ]
    off = frozenset(fusion for fusion, is_on in states.items() if not is_on)
    return FusionSwitches(off, tuple(unhandled))


def _states(entries: dict[str, object], where: str) -> dict[str, bool]:
    states = {}
    for name, state in entries.items():
        if not isinstance(state, str) or state not in {"on", "off"}:
            raise UsageError(f"fusion '{name}' is {state!r}", where, "write 'on' or 'off'")
        states[name] = state == "on"
    return states


def _read_section(section: str, entries: dict[str, bool], states: dict[Fusion, bool]) -> list[str]:
    """Take a section's entries into the states; the answer lists names that no fusion has."""
    for_all = next((is_on for name, is_on in entries.items() if name.upper() == "ALL"), None)
    if for_all is not None:
        for fusion, home in SECTION_OF.items():
            if home == section:
                states.setdefault(fusion, for_all)
    unknown = []
    for name, is_on in entries.items():
        if name.upper() == "ALL":
            continue
        known = _BY_NAME.get(_plain(name))
        if known is None:
            unknown.append(name)
        else:
            states[known] = is_on
    return unknown
