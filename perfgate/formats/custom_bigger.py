"""A custom list of github-action-benchmark of which the user says that bigger is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import Direction
from perfgate.formats.github_action import read_list

if TYPE_CHECKING:
    from perfgate.formats.document import Document
    from perfgate.formats.series import Results


def recognises(document: Document) -> bool:  # noqa: ARG001 - the signature of every format
    """Never by itself: the file does not say it."""
    return False


def read(document: Document) -> Results:
    """Every entry of the list."""
    return read_list(document, Direction.HIGHER)
