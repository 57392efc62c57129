"""`perfgate postmortem`: gather the facts of an incident, prove its guardrail, remember it as a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate import __version__
from perfgate.baseline.revision import resolve
from perfgate.core.codec import decode
from perfgate.core.difference import DifferenceKind
from perfgate.core.errors import UsageError
from perfgate.core.validation import Validation
from perfgate.guardrails.patch import NotCertainError
from perfgate.guardrails.rule import ROOT_FILE
from perfgate.plan.case_file import case_of, case_path, case_text, read_case
from perfgate.plan.incident import Incident
from perfgate.plan.post_mortem import post_mortem
from perfgate.plan.setting_edit import edit_of
from perfgate.plan.shell_word import shell_line
from perfgate.plan.wanted import Wanted
from perfgate.workflow.barriers import barriers_of
from perfgate.workflow.blame import Span, with_commits
from perfgate.workflow.guardrail_proof import BadState, Proven, prove
from perfgate.workflow.incident_times import timeline
from perfgate.workflow.optimising import ground_of
from perfgate.workflow.recording import open_tree
from perfgate.workflow.suites import find_suites
from perfgate.workflow.whole_file import write_file, write_text_file

if TYPE_CHECKING:
    import datetime as dt
    from pathlib import Path

    from perfgate.core.case import Case
    from perfgate.core.diagnosis import Diagnosis
    from perfgate.workflow.worktree import WorkTree


@dataclass(frozen=True, slots=True, kw_only=True)
class PostmortemRequest:
    """What the user names; `is_guarded`: append the guardrail once it is proven."""

    root: Path
    incident: str
    diagnosis: Diagnosis
    diagnosis_file: Path
    today: dt.date
    validation_file: Path | None = None
    bisection: Path | None = None
    is_guarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Postmortem:
    """The page and the case, with what was proven; nothing is written yet."""

    page: str
    case: Case
    proven: Proven | None


def make_postmortem(request: PostmortemRequest) -> Postmortem:
    """Gather and prove everything.

    Raises:
        UsageError: the diagnosis has no cause, a file cannot be read, or the guardrail is not proven.
        UnusableError: rule files or the bisection cannot be used.
    """
    if not request.incident.strip() or not request.incident.isprintable():
        raise UsageError("the incident needs a name on one line", "--incident", 'for example "sd3 layout"')
    tree = open_tree(request.root)
    diagnosis = _with_culprit(tree, request)
    case = _case(tree, diagnosis, request)
    proven = None
    if request.is_guarded:
        if not diagnosis.guardrail:
            remedy = "write one by hand with `perfgate guard add`"
            raise UsageError("the diagnosis names no guardrail", str(request.diagnosis_file), remedy)
        proven = prove(tree, diagnosis.guardrail, _bad_state(tree, diagnosis), request.today)
    incident = Incident(
        name=request.incident,
        diagnosis=diagnosis,
        events=timeline(tree, diagnosis, request.diagnosis_file, request.validation_file),
        barriers=barriers_of(tree, diagnosis, request.today),
        validation=_validation(request.validation_file),
        proof=None if proven is None else proven.proof,
        reproduce=_commands(diagnosis),
        versions=_versions(diagnosis),
    )
    return Postmortem(page=post_mortem(incident), case=case, proven=proven)


def write_postmortem(request: PostmortemRequest, made: Postmortem, output: Path | None) -> None:
    """Append the guardrail, keep the case, write the page (None: somebody prints it).

    Raises:
        UsageError: a file cannot be written.
    """
    if made.proven is not None and made.proven.is_needed:
        write_file(request.root / ROOT_FILE, made.proven.text)
    write_text_file(request.root / case_path(made.case.incident), case_text(made.case))
    if output is not None:
        write_text_file(output, made.page)


def _with_culprit(tree: WorkTree, request: PostmortemRequest) -> Diagnosis:
    """The commit that a bisection names, else that of the diagnosis, else the one that touched the line."""
    found = request.diagnosis
    if request.bisection is None and found.causes and found.causes[0].commit is not None:
        return found
    span = Span(tree=tree, base=found.before) if found.before else None
    return with_commits([found], span, request.bisection)[0]


def _case(tree: WorkTree, diagnosis: Diagnosis, request: PostmortemRequest) -> Case:
    """The case; written again, it keeps the day on which it was first remembered."""
    case = case_of(diagnosis, request.incident, request.today.isoformat())
    path = case_path(request.incident)
    if path not in tree.files:
        return case
    old = read_case(tree.read(path, what="case"), path)
    return msgspec.structs.replace(case, date=old.date)


def _bad_state(tree: WorkTree, diagnosis: Diagnosis) -> BadState:
    """The culprit's commit, else the working tree with the blamed value put back."""
    cause = diagnosis.causes[0]
    difference = cause.difference
    path = "" if difference is None else difference.place.rsplit(":", 2)[0]
    commit = "" if cause.commit is None or tree.repository is None else cause.commit.commit
    found = resolve(tree.repository, commit) if commit and tree.repository is not None else None
    if found is not None:
        return BadState(name=f"commit {found[:7]}", path=path, commit=found)
    if difference is None or difference.kind is not DifferenceKind.FLAG:
        raise UsageError(
            "no commit and no flag is blamed", "--append-guardrail", "name the commit with --bisect"
        )
    wanted = Wanted(
        kind=difference.kind, name=difference.name, value=difference.after, place=difference.place_after
    )
    benchmarks = [item for items in find_suites(tree).values() for item in items]
    try:
        edit = edit_of(ground_of(tree, benchmarks, diagnosis), wanted)
    except NotCertainError as problem:
        raise UsageError(
            f"the bad value cannot be put back, {problem}", path, "name the commit with --bisect"
        ) from None
    drafts = {} if edit is None else {edit.path: edit.written.data}
    return BadState(name=f"{difference.name}={difference.after} put back", path=path, drafts=drafts)


def _validation(path: Path | None) -> Validation | None:
    if path is None:
        return None
    remedy = "name a file that `perfgate validate --json` wrote"
    try:
        data = path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UsageError(f"cannot be read, {reason}", str(path), remedy) from None
    return decode(data, Validation, str(path), UsageError, remedy)


def _commands(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The commands that show the incident again, from a clone of the repository."""
    cause = diagnosis.found
    bad = cause.commit.commit if cause is not None and cause.commit is not None else diagnosis.after
    if not bad:
        return ()
    key = diagnosis.key
    base = ("--base", diagnosis.before) if diagnosis.before else ()
    return (
        shell_line(("perfgate", "diagnose", "--at", bad, *base, "-k", key, "--json", "diagnosis.json")),
        shell_line(("perfgate", "optimize", "--diagnosis", "diagnosis.json", "-k", key)),
    )


def _versions(diagnosis: Diagnosis) -> tuple[tuple[str, str], ...]:
    sides = (("baseline", diagnosis.before), ("bad state", diagnosis.after), ("device", diagnosis.device))
    return (("perfgate", __version__), *((name, value) for name, value in sides if value), ("seed", "0"))
