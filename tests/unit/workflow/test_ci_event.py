"""Which pull request a finished run belongs to: by head repository and head commit, or to none."""

from __future__ import annotations

import pytest

from perfgate.core.errors import PerfgateError
from perfgate.workflow.ci_event import NoPullRequest, PullRequest, decode_event, find_pull_request
from tests.github_server import FORK, HEAD, OURS, Server, pull_request, run_event


def test_a_fork_is_found_by_head_repository_and_commit() -> None:
    pulls = [
        pull_request(5, repo=OURS),  # a branch of the same name in our own repository
        pull_request(6, sha="c" * 40),  # the same fork, another commit
        pull_request(7),
        pull_request(8, repo=None),  # its fork is gone
    ]
    found = find_pull_request(run_event(), Server(pulls=pulls).api())
    assert isinstance(found, PullRequest)
    assert found.number == 7


@pytest.mark.parametrize(
    ("pulls", "count"),
    [([], 0), ([pull_request(7), pull_request(8)], 2), ([pull_request(7, sha="c" * 40)], 0)],
)
def test_none_or_several_get_no_comment(pulls: list[dict[str, object]], count: int) -> None:
    found = find_pull_request(run_event(), Server(pulls=pulls).api())
    assert found == NoPullRequest(f"{count} open pull requests have this head commit")


def test_the_search_goes_over_all_pages() -> None:
    pulls = [*(pull_request(number, sha="c" * 40) for number in range(100, 350)), pull_request(7)]
    server = Server(pulls=pulls)
    found = find_pull_request(run_event(), server.api())
    assert isinstance(found, PullRequest)
    assert len(server.asked) == 3


def test_the_list_of_the_event_is_taken_where_it_is_given() -> None:
    own = {"id": OURS, "full_name": "org/models"}
    elsewhere = {**pull_request(5, repo=OURS), "base": {"ref": "main", "sha": "b" * 40, "repo": {"id": FORK}}}
    event = run_event(head_repository=own, pull_requests=[pull_request(7, repo=OURS), elsewhere])
    server = Server()
    found = find_pull_request(event, server.api())
    assert isinstance(found, PullRequest)
    assert found.number == 7
    assert server.asked == []


def test_a_pull_request_to_another_branch_gets_no_comment() -> None:
    found = find_pull_request(run_event(), Server(pulls=[pull_request(7, base="release")]).api())
    assert isinstance(found, NoPullRequest)
    assert "not the default branch" in found.reason


def test_a_run_for_a_push_gets_no_comment() -> None:
    server = Server()
    assert isinstance(find_pull_request(run_event(event="push"), server.api()), NoPullRequest)
    assert server.asked == []


def test_a_branch_name_cannot_add_to_the_question() -> None:
    server = Server()
    find_pull_request(run_event(head_branch="x&state=closed#"), server.api())
    assert "head=ada%3Ax%26state%3Dclosed%23&" in server.asked[0].url


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"workflow_run": {}}', HEAD.encode()])
def test_another_event_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(PerfgateError, match=r"event\.json"):
        decode_event(data, "event.json")
