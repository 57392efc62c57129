"""Source places of nodes: what the exporter noted, else the node's position in the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ir import Place

if TYPE_CHECKING:
    from perfgate.graph.protobuf import Message

PLACE_PARTS = 2  # line and column


def place_of(proto: Message, position: tuple[str, int], *, has_source: bool) -> Place:
    """Metadata `source` as `file:line:column`, else the doc string if it is one, else the position.

    `has_source`: some node of the model has such metadata; asking for it costs 1 us.
    """
    text = ""
    if has_source:
        for entry in proto.metadata_props:
            if entry.key == "source":
                text = entry.value
    text = text or proto.doc_string
    if text:
        place = _parsed_place(text)
        if place is not None:
            return place
    return Place(*position)


def _parsed_place(text: str) -> Place | None:
    file, _, rest = text.partition(":")
    parts = rest.split(":")
    if not file or not 1 <= len(parts) <= PLACE_PARTS or not all(part.isdigit() for part in parts):
        return None
    return Place(file, int(parts[0]), int(parts[1]) if len(parts) > 1 else 0)
