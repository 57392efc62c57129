"""`perfgate cases`: the incidents that the repository remembers."""

from __future__ import annotations

from pathlib import Path

import click

from perfgate.cli.options import answer, json_option
from perfgate.core.case import CaseList
from perfgate.report.case_table import case_lines
from perfgate.workflow.cases import read_cases
from perfgate.workflow.recording import open_tree
from perfgate.workflow.worktree import find_root


@click.command()
@json_option
def cases(json_file: str | None) -> None:
    """List the cases in perf-cases/, newest first; a diagnosis like one of them says `seen before`.

    Exit: 0, also without cases; 2 a case file cannot be read.
    """
    found = read_cases(open_tree(find_root(Path.cwd())))
    answer(json_file, case_lines(found), lambda: CaseList(cases=found))
