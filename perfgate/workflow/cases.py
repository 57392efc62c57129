"""The cases of a repository, and which of them a diagnosis is like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import PerfgateError
from perfgate.plan.case_file import cases_like, is_case_file, read_case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.case import Case
    from perfgate.core.diagnosis import Diagnosis
    from perfgate.workflow.worktree import Tree


def read_cases(tree: Tree) -> tuple[Case, ...]:
    """All cases of the tree, newest first.

    Raises:
        UsageError: a case file is not what a post-mortem writes.
    """
    found = [read_case(tree.read(path, what="case"), path) for path in tree.files if is_case_file(path)]
    return tuple(sorted(found, key=lambda case: (case.date, case.incident), reverse=True))


def with_cases(diagnoses: Iterable[Diagnosis], tree: Tree) -> list[Diagnosis]:
    """The diagnoses with the titles of earlier cases like them: `2026-11-10 sd3 layout`.

    A case that cannot be read is a note: it must not stop the explanation of a red gate.
    """
    try:
        cases = read_cases(tree)
    except PerfgateError as problem:
        note = f"earlier cases are not compared: {problem.line}"
        return [msgspec.structs.replace(item, notes=(*item.notes, note)) for item in diagnoses]
    return [msgspec.structs.replace(item, seen_before=cases_like(item, cases)) for item in diagnoses]
