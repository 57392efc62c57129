"""The pages of a gate's run: what got worse, drawn before and after, as the options ask.

A page explains a verdict and never changes it: one that cannot be drawn is a note.
"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.baseline.slug import slug
from perfgate.core.errors import PerfgateError, UsageError
from perfgate.core.verdict import Verdict
from perfgate.workflow.explaining import MOST_EXPLAINED, commit_sides
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perfgate.core.verdict import BenchmarkVerdict
    from perfgate.report.html.material import Material
    from perfgate.workflow.check import Outcome
    from perfgate.workflow.diagnosis_side import TreeSides
    from perfgate.workflow.ground import Ground
    from perfgate.workflow.options import GateOptions


def require_bokeh(where: str) -> None:
    """The library that draws the page, asked for before anything is measured.

    Raises:
        UsageError: it is not installed.
    """
    if importlib.util.find_spec("bokeh") is None:
        raise UsageError("bokeh is not installed", where, "run: pip install 'perfgate[report]'")


def write_page(path: Path, material: Material) -> None:
    """The page as a file.

    Raises:
        UsageError: it cannot be written.
    """
    from perfgate.report.html.page import page  # noqa: PLC0415 - the page's parts, for who draws one only
    from perfgate.report.html.views import page_views  # noqa: PLC0415 - the same

    write_text_file(path, page(material, page_views(material)))


def with_pages(ground: Ground, outcome: Outcome, options: GateOptions) -> Outcome:
    """Write a page for each of the worst regressions, or for the first benchmark of a run without one.

    The first page has the name that the options say, further ones that of their benchmark behind it.

    Raises:
        UsageError: a page cannot be written.
    """
    if options.html_file is None:
        return outcome
    notes: list[str] = []
    chosen = drawn_verdicts(outcome)
    try:
        materials = _materials(ground, outcome, chosen, options.seed, notes)
    except Exception as problem:  # noqa: BLE001 - a page that fails must not change a verdict
        what = problem.line if isinstance(problem, PerfgateError) else repr(problem)
        return replace(outcome, notes=(*outcome.notes, f"no page: {what}"))
    for number, material in enumerate(materials):
        path = page_path(options.html_file, material, is_first=number == 0)
        write_page(path, material)
        notes.append(f"page of {material.benchmark}[{material.device}]: {path}")
    if not materials and not notes:
        notes.append("no page: nothing was measured")
    return replace(outcome, notes=(*outcome.notes, *notes))


def drawn_verdicts(outcome: Outcome) -> Sequence[BenchmarkVerdict]:
    """The benchmarks that get a page, worst first."""
    measured = [item for item in outcome.verdicts if item.key in outcome.records]
    red = [item for item in measured if item.verdict is Verdict.REGRESSED]
    return red[:MOST_EXPLAINED] or measured[:1]


def _materials(
    ground: Ground, outcome: Outcome, chosen: Sequence[BenchmarkVerdict], seed: int, notes: list[str]
) -> list[Material]:
    """What the pages are made of; a benchmark without a profile goes to the notes.

    Raises:
        PerfgateError: the base commit or the working tree cannot be read.
    """
    from perfgate.workflow.diagnosis_side import TreeSides  # noqa: PLC0415 - compiler and simulator

    materials = []
    with commit_sides(ground.tree, ground.base.commit, seed) as base:
        now = TreeSides(ground.tree, "", seed=seed)
        for item in chosen:
            try:
                materials.append(_material(ground, outcome, item, (base, now)))
            except PerfgateError as problem:
                notes.append(f"no page of {item.key}: {problem.line}")
    return materials


def _material(
    ground: Ground, outcome: Outcome, item: BenchmarkVerdict, sides: tuple[TreeSides, TreeSides]
) -> Material:
    from perfgate.workflow.visualising import (  # noqa: PLC0415 - the diagnosis, for pages only
        material_of,
        with_history,
    )

    baseline = ground.baselines.records.get(item.key)
    explanation = outcome.explanations.get(item.key)
    material = material_of(
        None if baseline is None else sides[0].of_baseline(baseline),
        sides[1].of_record(outcome.records[item.key]),
        diagnosis=None if explanation is None else explanation.diagnosis,
        verdict=str(item.verdict),
    )
    # As of the base: what the change itself would accept is not history yet.
    return with_history(material, ground.tree, ground.baselines_folder, ground.base.commit)


def page_path(file: Path, material: Material, *, is_first: bool) -> Path:
    """Where the page of a benchmark is written."""
    if is_first:
        return file
    return file.with_name(f"{file.stem}-{slug(material.benchmark)}-{slug(material.device)}{file.suffix}")
