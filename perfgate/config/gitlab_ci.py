"""Pipelines of GitLab: scripts of jobs with their variables and their matrix."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import MAX_WORLDS, Decision
from perfgate.config.running import run_pieces
from perfgate.config.setting_pairs import pair_settings
from perfgate.config.words import Atom
from perfgate.config.yaml_places import scalar_text
from perfgate.config.yaml_settings import environment_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.embedded import TextPiece
    from perfgate.config.found import Found
    from perfgate.config.spans import Placed, Source
    from perfgate.config.yaml_load import YamlNode

    Variables = dict[str, tuple[Atom, ...]]

_SCRIPTS = ("before_script", "script")


def is_pipeline(node: YamlNode) -> bool:
    """The document has jobs with a script."""
    return any(job.member("script") is not None for _, job in node.pairs if job.kind == "mapping")


def read_pipeline(source: Source, node: YamlNode) -> Iterator[Found]:
    """The facts of a pipeline; a hidden job (`.name`) is run only through the jobs that extend it."""
    pairs = environment_pairs(source, node.member("variables"), _as_is)
    yield from pair_settings(pairs)
    variables = {name.text: atoms for name, atoms in pairs}
    for name, job in node.pairs:
        if name.text.startswith(".") or name.text == "default" or job.kind != "mapping":
            continue
        yield from _job(source, node, (name.text, job), variables)


def _as_is(text: Placed) -> list[TextPiece]:
    return [text]


def _job(
    source: Source, pipeline: YamlNode, job: tuple[str, YamlNode], variables: Variables
) -> Iterator[Found]:
    context, node = job
    bases = _with_bases(pipeline, node)
    if _inherited(bases, "script") is None:
        return
    own: Variables = {}
    for base in reversed(bases):
        pairs = environment_pairs(source, base.member("variables"), _as_is)
        yield from pair_settings(pairs)
        own |= {name.text: atoms for name, atoms in pairs}
    variables = variables | own | _matrix(source, _inherited(bases, "parallel"))
    default = pipeline.member("default")
    outer = [base for base in (default, pipeline) if base is not None]
    parts = [_inherited(bases, name) or _inherited(outer, name) for name in _SCRIPTS]
    yield run_pieces(_script(source, parts), variables, context=context)
    after = _inherited(bases, "after_script") or _inherited(outer, "after_script")
    yield run_pieces(_script(source, [after]), variables, context=context)


def _with_bases(pipeline: YamlNode, job: YamlNode) -> list[YamlNode]:
    """The job and what it extends, nearest first; a job that extends itself ends there."""
    found: list[YamlNode] = []
    pending = [job]
    while pending:
        current = pending.pop(0)
        if current in found:
            continue
        found.append(current)
        extended = current.member("extends")
        names = (
            [item.text for item in (extended, *extended.items) if item.text] if extended is not None else []
        )
        pending += [base for name in reversed(names) if (base := pipeline.member(name)) is not None]
    return found


def _inherited(bases: list[YamlNode], name: str) -> YamlNode | None:
    return next((found for base in bases if (found := base.member(name)) is not None), None)


def _script(source: Source, parts: list[YamlNode | None]) -> list[TextPiece]:
    """Lines of scripts, one after the other in one shell."""
    pieces: list[TextPiece] = []
    pending = [part for part in reversed(parts) if part is not None]
    while pending:
        node = pending.pop()
        if node.kind == "scalar":
            text = scalar_text(source, node)
            end = text.cut(len(text), len(text))
            pieces += [text, end.standing_for("\n")]
        pending += reversed(node.items)
    return pieces


def _matrix(source: Source, parallel: YamlNode | None) -> Variables:
    """The variables of `parallel: matrix`, each with all its values."""
    matrix = parallel.member("matrix") if parallel is not None else None
    values: dict[str, list[Placed]] = {}
    for case in matrix.items if matrix is not None else ():
        for key, value in case.pairs:
            texts = [scalar_text(source, item) for item in (value.items or (value,)) if item.kind == "scalar"]
            values.setdefault(key.text, []).extend(texts)
    return {name: _choice(name, texts) for name, texts in values.items() if len(texts) <= MAX_WORLDS}


def _choice(name: str, texts: list[Placed]) -> tuple[Atom, ...]:
    if len(texts) == 1:
        return (Atom(text=texts[0]),)
    decision = Decision(place=f"matrix.{name}", outcomes=len(texts))
    atoms = [Atom(text=text) for text in texts]
    return tuple(replace(atom, guard=frozenset({(decision, index)})) for index, atom in enumerate(atoms))
