"""What a `workflow_run` event says, and which pull request the finished run belongs to.

Everything here comes from GitHub itself; nothing is taken from what the run uploaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from perfgate.core.codec import decode
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from perfgate.workflow.ci_api import Api

_REMEDY = "call it from a workflow that runs on `workflow_run`"


class RepositoryName(msgspec.Struct, frozen=True, kw_only=True):
    """A repository; lists inside an event give the id only."""

    id: int
    full_name: str = ""
    default_branch: str = ""


class BranchEnd(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a pull request; `repo` is None when the fork was deleted."""

    ref: str
    sha: str
    repo: RepositoryName | None


class PullRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A pull request with its two sides."""

    number: int
    head: BranchEnd
    base: BranchEnd


class WorkflowRun(msgspec.Struct, frozen=True, kw_only=True):
    """The run that ended. `pull_requests` is empty for runs of forks."""

    id: int
    event: str
    head_sha: str
    head_branch: str | None
    head_repository: RepositoryName
    conclusion: str | None = None
    pull_requests: tuple[PullRequest, ...] = ()


class RunEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A `workflow_run` event."""

    workflow_run: WorkflowRun
    repository: RepositoryName


class NoPullRequest(msgspec.Struct, frozen=True):
    """There is no single pull request to comment on, and why."""

    reason: str


def decode_event(data: bytes, where: str) -> RunEvent:
    """Read the event.

    Raises:
        UsageError: it is no `workflow_run` event.
    """
    return decode(data, RunEvent, where, UsageError, _REMEDY)


def find_pull_request(event: RunEvent, api: Api) -> PullRequest | NoPullRequest:
    """The one open pull request whose head repository and head commit are those of the run.

    Branch names alone would let a fork's branch of the same name speak for another pull request.

    Raises:
        PerfgateError: the API does not answer.
    """
    run = event.workflow_run
    if run.event != "pull_request":
        return NoPullRequest(f"the run was for {run.event!r}")
    listed = run.pull_requests or _open_pull_requests(run, api)
    matching = [pull for pull in listed if _is_of_run(pull, event)]
    if len(matching) != 1:
        return NoPullRequest(f"{len(matching)} open pull requests have this head commit")
    pull = matching[0]
    if pull.base.ref != event.repository.default_branch:
        return NoPullRequest(
            "its base is not the default branch, whose baselines are the only ones checked out here"
        )
    return pull


def _open_pull_requests(run: WorkflowRun, api: Api) -> tuple[PullRequest, ...]:
    owner = run.head_repository.full_name.partition("/")[0]
    head = quote(f"{owner}:{run.head_branch or ''}", safe="")
    return tuple(api.pages(f"pulls?state=open&head={head}", PullRequest))


def _is_of_run(pull: PullRequest, event: RunEvent) -> bool:
    run = event.workflow_run
    head, base = pull.head.repo, pull.base.repo
    return (
        head is not None
        and head.id == run.head_repository.id
        and pull.head.sha == run.head_sha
        and base is not None
        and base.id == event.repository.id
    )
