"""`perfgate init`: the files of a first gate; only new ones are written unless the user insists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.config.facts import Certainty
from perfgate.gate.policy_file import POLICY_PATH
from perfgate.report.plan_report import PlannedFile, PlanReport, Step
from perfgate.workflow.first_suite import first_suite, suite_path
from perfgate.workflow.first_workflow import WORKFLOW_PATH, workflow_text
from perfgate.workflow.guarding import RULE_FILES
from perfgate.workflow.survey import look
from perfgate.workflow.whole_file import write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfgate.config.facts import Command
    from perfgate.workflow.survey import Survey
    from perfgate.workflow.worktree import WorkTree

LAYOUT = "--optypelayout"
IGNORED = ".gitignore"
NEXT = (
    "git add -A && git commit -m 'Add a performance gate'",
    "pytest --perfgate   (says `new` and ends with 11: nothing to compare with yet)",
    'perfgate baseline update --reason "first baselines"   (then commit baselines/)',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the user asks of init."""

    github: bool = False
    force: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proposal:
    path: str
    text: str
    reason: str


def initialise(tree: WorkTree, wish: Wish, announce: Callable[[int, int, str], None]) -> PlanReport:
    """Look at the tree, and write what is missing; a second time changes nothing.

    Raises:
        UsageError: a file cannot be read or written.
    """
    found = look(tree)
    planned = []
    proposals, notes = _proposals(found, tree, wish, announce)
    for item in proposals:
        data = item.text.encode("utf-8", errors="surrogateescape")
        step = _step(item.path, data, tree, wish)
        planned.append(PlannedFile(path=item.path, step=step, reason=item.reason))
        if step in {Step.WRITE, Step.OVERWRITE, Step.APPEND} and not wish.dry_run:
            write_file(tree.root / item.path, data)
    return PlanReport(
        files=tuple(planned),
        notes=(_found_line(found), *notes, *_remarks(found)),
        next=NEXT,
        is_written=not wish.dry_run,
    )


def _step(path: str, data: bytes, tree: WorkTree, wish: Wish) -> Step:
    if path not in tree.files:
        return Step.WRITE
    if tree.read(path) == data:
        return Step.SAME
    if path == IGNORED:
        return Step.APPEND
    return Step.OVERWRITE if wish.force else Step.KEEP


def _proposals(
    found: Survey, tree: WorkTree, wish: Wish, announce: Callable[[int, int, str], None]
) -> tuple[list[_Proposal], tuple[str, ...]]:
    """The files in the order a person reads them; of a suite that is there only the path is looked at."""
    path = suite_path(found, tree.files)
    notes: tuple[str, ...] = ()
    if found.suites and not wish.force:
        first = path if path in found.suites else found.suites[0]
        text = tree.read(first).decode("utf-8", errors="surrogateescape")
        suite = _Proposal(path=first, text=text, reason="a suite is there")
    else:
        made = first_suite(found, tree, path, announce)
        notes = made.notes
        reason = f"{made.count} models, each measured once" if made.count else "an example of the zoo"
        if path != "perf_models.yaml":
            reason += f"; beside the tests, where {found.pytest.file} sends pytest"
        suite = _Proposal(path=path, text=made.text, reason=reason)
    proposals = [
        suite,
        _Proposal(path=POLICY_PATH, text=_POLICY, reason="thresholds and what each verdict does"),
        _guardrails(found),
        _Proposal(path=IGNORED, text=_ignored(tree), reason="local records stay out of git"),
    ]
    if wish.github:
        text = workflow_text(found.branch)
        reason = f"the gate on pull requests and pushes to {found.branch}"
        proposals.append(_Proposal(path=WORKFLOW_PATH, text=text, reason=reason))
    return proposals, notes


def _guardrails(found: Survey) -> _Proposal:
    layout = _agreed(command for _, command in found.commands)
    if layout is None:
        reason = "no rule yet: an example to edit"
        return _Proposal(path=RULE_FILES[0], text=f"{_RULES_HEAD}{_NO_RULE}\n", reason=reason)
    text = f"{_RULES_HEAD}atc_convert: require {LAYOUT}={layout}\n"
    return _Proposal(path=RULE_FILES[0], text=text, reason="the layout that all commands agree on")


def _found_line(found: Survey) -> str:
    """What the plan rests on: models, commands, runtime files, timed tests, pytest, default branch."""
    programs = ", ".join(sorted({command.program for _, command in found.commands}))
    counts = (
        f"{len(found.models)} models",
        f"{len(found.commands)} compile commands" + (f" ({programs})" if programs else ""),
        f"{len(found.runtimes)} runtime files",
        f"{sum(found.timed_tests.values())} timed tests",
    )
    runner = f"pytest configured in {found.pytest.file}" if found.pytest.file else "pytest not configured"
    return f"found {', '.join(counts)}; {runner}; default branch {found.branch}"


def _remarks(found: Survey) -> list[str]:
    """Sentences on what was found and is not in the files."""
    remarks = []
    if found.timed_tests:
        count, files = sum(found.timed_tests.values()), len(found.timed_tests)
        remarks.append(
            f"{count} tests in {files} files take pytest-benchmark's fixture and stay as they are: "
            "`perfgate(fn, ...)` takes the same callable as `benchmark(fn, ...)`, "
            "and `perfgate import` reads the JSON that pytest-benchmark wrote"
        )
    if found.commands and not found.models:
        first = found.commands[0][1].program_span
        remarks.append(f"{len(found.commands)} compile commands, first {first}, but no model file is here")
    if not found.pytest.file:
        remarks.append("pytest is not configured here; it finds the suite when started in this folder")
    return remarks


def _agreed(commands: Iterable[Command]) -> str | None:
    """The layout that every command which converts a model agrees on."""
    values = set()
    for command in commands:
        flag = command.effective(LAYOUT)
        if command.program != "atc" or command.effective("--model") is None:
            continue
        if flag is None or flag.certainty is not Certainty.CERTAIN or flag.value.text is None:
            return None
        values.add(flag.value.text)
    return values.pop() if len(values) == 1 else None


def _ignored(tree: WorkTree) -> str:
    """`.gitignore` with `.perfgate/`, every byte before it as it was."""
    old = ""
    if IGNORED in tree.files:
        old = tree.read(IGNORED).decode("utf-8", errors="surrogateescape")
    if ".perfgate/" in old.splitlines():
        return old
    joint = "" if not old or old.endswith("\n") else "\n"
    return f"{old}{joint}.perfgate/\n"


_POLICY = """\
# What counts as a change and what each verdict does; the last matching rule wins. Edit the thresholds.
version: 1
policy:
  - {match: "*", min_effect: 1%, equivalence: 3%, on_inconclusive: warn, on_missing: fail, on_new: warn}
"""
_RULES_HEAD = """\
# Rules on compile commands, checked before anything is measured. Edit them: the mistake that you never want
# to see again is one line here.
"""
_NO_RULE = f"# atc_convert: require {LAYOUT}=NHWC\nversion: 1"
