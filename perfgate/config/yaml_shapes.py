"""YAML files by their shape: workflow, action, compose, Kubernetes, pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.broken import broken_at
from perfgate.config.compose import is_compose, read_compose
from perfgate.config.found import Found, merged
from perfgate.config.gitlab_ci import is_pipeline, read_pipeline
from perfgate.config.kubernetes import is_kubernetes, read_kubernetes
from perfgate.config.workflow import is_action, is_workflow, read_action, read_workflow
from perfgate.config.yaml_load import load_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfgate.config.spans import Source
    from perfgate.config.yaml_load import YamlNode

    Shape = tuple[Callable[[YamlNode], bool], Callable[[Source, YamlNode], Iterator[Found]]]

SHAPES: tuple[Shape, ...] = (
    (is_kubernetes, read_kubernetes),
    (is_workflow, read_workflow),
    (is_action, read_action),
    (is_compose, read_compose),
    (is_pipeline, read_pipeline),
)


def read_yaml(source: Source) -> Found:
    """What the documents of a YAML file run and set; a file of another shape says nothing."""
    loaded = load_yaml(source.text)
    parts: list[Found] = []
    for document in loaded.documents:
        reader = next((read for fits, read in SHAPES if fits(document)), None)
        if reader is not None:
            parts.extend(reader(source, document))
    if loaded.broken is not None:
        parts.append(broken_at(source.span(loaded.broken.offset, loaded.broken.offset), loaded.broken.reason))
    return without_repeats(merged(parts))


def without_repeats(found: Found) -> Found:
    """What several aliases of one anchor say counts once."""
    return Found(
        commands=tuple(dict.fromkeys(found.commands)),
        env=tuple(dict.fromkeys(found.env)),
        notes=tuple(dict.fromkeys(found.notes)),
        incomplete=found.incomplete,
    )
