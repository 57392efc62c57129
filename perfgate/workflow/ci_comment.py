"""Comments on the pull request of a finished gate run: one per artefact, each written again in place.

A comment that cannot be posted is a warning; no verdict depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import PerfgateError, UsageError
from perfgate.report.check_report import EditedFile
from perfgate.report.code_span import code_span
from perfgate.report.pull_request_comment import comment_text, marker, rejection_text
from perfgate.workflow.ci_api import ApiError
from perfgate.workflow.ci_archive import MAX_BYTES, read_archive
from perfgate.workflow.ci_event import NoPullRequest, find_pull_request
from perfgate.workflow.ci_judgement import judge_again
from perfgate.workflow.ci_records import read_delivery
from perfgate.workflow.gate_edits import belongs_to_gate

if TYPE_CHECKING:
    import datetime as dt

    from perfgate.workflow.ci_api import Api
    from perfgate.workflow.ci_event import PullRequest, RunEvent
    from perfgate.workflow.options import GateOptions

PREFIX = "perfgate-records"  # of the artefacts; what follows it tells matrix legs apart
BOT = "github-actions[bot]"  # who a job's own token posts as
MAX_ARTEFACTS = 30  # matrix legs of one run; a change could upload any number
_NOT_FOUND = 404


class Artefact(msgspec.Struct, frozen=True, kw_only=True):
    """An uploaded artefact; a job that was run again leaves several of one name."""

    id: int
    name: str
    size_in_bytes: int
    expired: bool = False


class _ArtefactPage(msgspec.Struct, frozen=True, kw_only=True):
    artifacts: tuple[Artefact, ...]


class _Author(msgspec.Struct, frozen=True, kw_only=True):
    login: str
    type: str


class _Comment(msgspec.Struct, frozen=True, kw_only=True):
    """A comment; `user` is None when the account is gone."""

    id: int
    body: str | None
    user: _Author | None


class _ChangedFile(msgspec.Struct, frozen=True, kw_only=True):
    filename: str
    status: str
    previous_filename: str = ""


class Posted(msgspec.Struct, frozen=True):
    """What became of one comment: done, or the reason why it is not there."""

    key: str
    problem: str = ""


def comment_on_run(event: RunEvent, api: Api, options: GateOptions, today: dt.date) -> tuple[Posted, ...]:
    """Post or renew the comments of a finished run. Problems are in the answer, nothing is raised."""
    try:
        pull = find_pull_request(event, api)
        if isinstance(pull, NoPullRequest):
            return (Posted("", f"no comment: {pull.reason}"),)
        artefacts = list_artefacts(api, event.workflow_run.id)
    except PerfgateError as problem:
        return (Posted("", f"no comment: {problem}"),)
    if not artefacts:
        return (Posted("", f"no comment: the run left no artefact named {PREFIX}"),)
    posted = []
    for key, artefact in sorted(artefacts.items()):
        try:
            mark = marker(key)  # an artefact's name is foreign: refused before anything is downloaded
            text = _text(key, artefact, event, pull, (api, options, today))
            upsert(api, pull.number, mark, text)
        except PerfgateError as problem:
            posted.append(Posted(key, str(problem)))
        else:
            posted.append(Posted(key))
    return tuple(posted)


def artefact_key(name: str) -> str:
    """The key of the comment for an artefact's name: `linux` for `perfgate-records-linux`."""
    return name.removeprefix(PREFIX).removeprefix("-") or "gate"


def list_artefacts(api: Api, run: int) -> dict[str, Artefact]:
    """The newest artefact of each key.

    Raises:
        PerfgateError: the API does not answer, or there are more than any matrix has.
    """
    listed = api.members(f"actions/runs/{run}/artifacts", _ArtefactPage, lambda page: page.artifacts)
    newest: dict[str, Artefact] = {}
    for item in sorted(listed, key=lambda artefact: artefact.id):
        if item.name.startswith(PREFIX) and not item.expired:
            newest[artefact_key(item.name)] = item
    if len(newest) > MAX_ARTEFACTS:
        raise UsageError(f"{len(newest)} artefacts", f"run {run}", f"upload at most {MAX_ARTEFACTS}")
    return newest


def list_edits(api: Api, number: int, baselines: str) -> list[EditedFile]:
    """The files of the gate that a pull request touches, as GitHub lists them.

    Raises:
        PerfgateError: the API does not answer.
    """
    edits = []
    for item in api.pages(f"pulls/{number}/files", _ChangedFile):
        if item.previous_filename and belongs_to_gate(item.previous_filename, baselines):
            edits.append(EditedFile(path=item.previous_filename, effect="removed"))
        if belongs_to_gate(item.filename, baselines):
            edits.append(EditedFile(path=item.filename, effect=item.status))
    return edits


def _text(
    key: str,
    artefact: Artefact,
    event: RunEvent,
    pull: PullRequest,
    judge: tuple[Api, GateOptions, dt.date],
) -> str:
    """The comment: the verdict on the delivered records, or why they are rejected.

    Raises:
        PerfgateError: the artefact cannot be downloaded, or the default branch cannot be judged by.
    """
    api, options, today = judge
    run = event.workflow_run
    if artefact.size_in_bytes > MAX_BYTES:
        return rejection_text(key, f"{artefact.size_in_bytes:,} bytes, want at most {MAX_BYTES:,}")
    data = api.download(f"actions/artifacts/{artefact.id}/zip", MAX_BYTES)
    try:
        delivery = read_delivery(read_archive(data), pull_request=pull.number, head=run.head_sha)
    except PerfgateError as problem:
        return rejection_text(key, str(problem))
    if not delivery.records and delivery.claimed is None:
        return rejection_text(key, "the run ended before it measured anything; its log says why")
    report = judge_again(options, delivery, list_edits(api, pull.number, options.baselines), today)
    return comment_text(report, key, head=run.head_sha, remark=_remark(report.exit_code, run.conclusion))


def _remark(exit_code: int, conclusion: str | None) -> str:
    """A run that was red for another reason than its numbers must not look green here."""
    if exit_code or conclusion in {None, "success"}:
        return ""
    return f"The workflow run itself ended as {code_span(str(conclusion))}; its log says why."


def upsert(api: Api, number: int, mark: str, text: str) -> None:
    """Write our comment, or write it again in place; comments of others are left alone, whatever they hold.

    Raises:
        PerfgateError: the API does not do it.
    """
    ours = _find(api, number, mark)
    if ours is not None and ours.body == text:
        return
    if ours is not None:
        try:
            api.send("PATCH", f"issues/comments/{ours.id}", {"body": text})
        except ApiError as problem:
            if problem.status != _NOT_FOUND:
                raise  # somebody deleted it meanwhile: then it is posted anew
        else:
            return
    api.send("POST", f"issues/{number}/comments", {"body": text})


def _find(api: Api, number: int, mark: str) -> _Comment | None:
    """The first comment that begins with the marker and is a bot's own, of all pages."""
    for comment in api.pages(f"issues/{number}/comments", _Comment):
        is_ours = comment.user is not None and comment.user.login == BOT and comment.user.type == "Bot"
        if is_ours and (comment.body or "").startswith(mark):
            return comment
    return None
