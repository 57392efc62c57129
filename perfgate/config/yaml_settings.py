"""Environment blocks of YAML files: mappings, and lists of `NAME=value`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.embedded import TextPiece, atoms_of
from perfgate.config.yaml_places import scalar_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from perfgate.config.setting_pairs import Pair
    from perfgate.config.spans import Placed, Source
    from perfgate.config.yaml_load import YamlNode

    PiecesOf = Callable[[Placed], Sequence[TextPiece]]


def environment_pairs(source: Source, node: YamlNode | None, pieces: PiecesOf) -> list[Pair]:
    """Names and values of a block; a name without a value is passed through and left out.

    `pieces` splits a value into text and what the file's own language puts into it.
    """
    if node is None:
        return []
    pairs = list(_mapping_pairs(source, node, pieces))
    for item in node.items:
        text = scalar_text(source, item)
        name, sign, _ = text.text.partition("=")
        if item.kind == "scalar" and sign:
            value = text.cut(len(name) + 1, len(text))
            pairs.append((text.cut(0, len(name)), atoms_of(pieces(value))))
    return pairs


def _mapping_pairs(source: Source, node: YamlNode, pieces: PiecesOf) -> Iterator[Pair]:
    for key, value in node.pairs:
        if key.kind == "scalar" and value.kind == "scalar" and value.scalar_type != "null":
            yield scalar_text(source, key), atoms_of(pieces(scalar_text(source, value)))
