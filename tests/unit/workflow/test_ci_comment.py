"""The comment of a finished run: renewed in place, ours only, and a warning when it cannot be posted."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from perfgate.core.codec import readable_json
from perfgate.report.pull_request_comment import marker
from perfgate.workflow.ci_comment import artefact_key, comment_on_run, list_artefacts, list_edits, upsert
from perfgate.workflow.ci_records import Origin
from perfgate.workflow.ci_transport import NO_ANSWER, Answer
from perfgate.workflow.options import GateOptions
from tests.github_server import BOT, HEAD, Server, run_event, zipped

MARK = marker("linux")
OPTIONS = GateOptions(root=Path("nowhere"), base="HEAD")
TODAY = dt.date(2026, 11, 29)


def comment(number: int, body: str | None, user: dict[str, str] | None) -> dict[str, object]:
    return {"id": number, "body": body, "user": user}


def origin(pull_request: int = 7, head: str = HEAD) -> bytes:
    return readable_json(Origin(pull_request=pull_request, head=head)).encode()


def test_the_first_comment_is_posted_and_the_next_one_replaces_it() -> None:
    server = Server()
    upsert(server.api(), 7, MARK, f"{MARK}\none")
    upsert(server.api(), 7, MARK, f"{MARK}\ntwo")
    assert [item["body"] for item in server.comments] == [f"{MARK}\ntwo"]


def test_an_equal_comment_is_left_alone() -> None:
    server = Server(comments=[comment(1, f"{MARK}\none", BOT)])
    upsert(server.api(), 7, MARK, f"{MARK}\none")
    assert [request.method for request in server.asked] == ["GET"]


def test_ours_is_found_on_the_last_page_by_marker_and_author() -> None:
    others: list[dict[str, object]] = [
        comment(1, f"{MARK}\nmine!", {"login": "mallory", "type": "User"}),
        comment(2, f"{MARK}\nmine!", {"login": "github-actions[bot]", "type": "User"}),
        comment(3, f"{MARK}\nmine!", {"login": "other[bot]", "type": "Bot"}),
        comment(4, f"{MARK}\nmine!", None),
        comment(5, None, BOT),
        comment(6, f"see {MARK}", BOT),  # not at the beginning
        comment(7, f"{marker('linux-arm')}\nanother leg", BOT),
        *(comment(100 + index, "chat", {"login": "ada", "type": "User"}) for index in range(250)),
    ]
    before = [dict(item) for item in others]
    server = Server(comments=[*others, comment(999, f"{MARK}\nold", BOT)])
    upsert(server.api(), 7, MARK, f"{MARK}\nnew")
    assert server.comments[:-1] == before
    assert server.comments[-1]["body"] == f"{MARK}\nnew"


def test_a_comment_that_was_deleted_meanwhile_is_posted_anew() -> None:
    gone = Answer(status=404, reason="Not Found")
    server = Server(comments=[comment(5, f"{MARK}\nold", BOT)], broken={"PATCH .*": gone})
    upsert(server.api(), 7, MARK, f"{MARK}\nnew")
    assert server.comments[-1]["body"] == f"{MARK}\nnew"


@pytest.mark.parametrize("method", ["GET .*/comments", "POST .*/comments"])
@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=403, reason="Forbidden"),
        Answer(status=404, reason="Not Found"),
        Answer(status=422, reason="Unprocessable Entity"),
        Answer(status=500, reason="Internal Server Error"),
        Answer(status=NO_ANSWER, reason="timed out"),
    ],
)
def test_a_post_that_fails_is_a_problem_in_the_answer(method: str, answer: Answer) -> None:
    artefacts = {"perfgate-records-linux": zipped({"origin.json": origin()})}
    server = Server(artefacts=artefacts, broken={method: answer})
    (posted,) = comment_on_run(run_event(), server.api(), OPTIONS, TODAY)
    assert posted.key == "linux"
    assert answer.reason in posted.problem
    assert server.comments == []


@pytest.mark.parametrize("broken", ["GET .*/pulls", "GET .*/artifacts", "GET .*/zip"])
def test_a_question_that_fails_is_a_problem_too(broken: str) -> None:
    artefacts = {"perfgate-records": zipped({"origin.json": origin()})}
    server = Server(artefacts=artefacts, broken={broken: Answer(status=500, reason="Oops")})
    (posted,) = comment_on_run(run_event(), server.api(), OPTIONS, TODAY)
    assert "500 Oops" in posted.problem
    assert server.comments == []


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (zipped({"origin.json": origin(8)}), "the records are of pull request 8, the event of 7"),
        (zipped({"origin.json": origin(head="b" * 40)}), "the records are of commit"),
        (zipped({"origin.json": origin(), "../x": b""}), "leaves the folder"),
        (zipped({"origin.json": origin(), "x": b"/etc"}, links=("x",)), "is a link or a device"),
        (zipped({"origin.json": origin(), **{str(n): b"" for n in range(500)}}), "501 files"),
        (zipped({"origin.json": origin(), "perfgate.json": b"[" * 200_000}), "nested too deep"),
        (zipped({"origin.json": origin(), "x": b"\0" * (51 << 20)}), "more than 50 MiB unpacked"),
        (b"no archive", "no zip archive"),
        (zipped({"origin.json": origin()}), "ended before it measured"),
    ],
)
def test_records_that_cannot_be_judged_are_rejected_in_the_comment(data: bytes, why: str) -> None:
    server = Server(artefacts={"perfgate-records-linux": data})
    (posted,) = comment_on_run(run_event(), server.api(), OPTIONS, TODAY)
    assert posted.problem == ""
    (written,) = server.comments
    assert written["body"].startswith(f"{MARK}\n### ❌ perfgate: records rejected\n\n`")
    assert why in written["body"]


def test_twelve_legs_get_one_comment_each() -> None:
    names = [f"perfgate-records-leg{index}" for index in range(12)]
    server = Server(artefacts=dict.fromkeys(names, zipped({"origin.json": origin()})))
    for _ in range(2):
        posted = comment_on_run(run_event(), server.api(), OPTIONS, TODAY)
        assert [item.key for item in posted] == sorted(f"leg{index}" for index in range(12))
    firsts = [item["body"].splitlines()[0] for item in server.comments]
    assert sorted(firsts) == sorted(marker(f"leg{index}") for index in range(12))


def test_a_run_with_more_artefacts_than_any_matrix_gets_no_comment() -> None:
    server = Server(artefacts={f"perfgate-records-{index}": b"" for index in range(31)})
    (posted,) = comment_on_run(run_event(), server.api(), OPTIONS, TODAY)
    assert "31 artefacts" in posted.problem
    assert server.comments == []


def test_a_hostile_artefact_name_is_refused_before_it_is_downloaded() -> None:
    server = Server(artefacts={"perfgate-records-x --><img>": zipped({"origin.json": origin()})})
    (posted,) = comment_on_run(run_event(), server.api(), OPTIONS, TODAY)
    assert "no plain name" in posted.problem
    assert not any(request.url.endswith("/zip") for request in server.asked)


def test_artefacts_of_other_tools_are_not_looked_at() -> None:
    server = Server(artefacts={"coverage": b"", "perfgate-records": b"", "perfgate-records-linux": b""})
    assert sorted(list_artefacts(server.api(), 99)) == ["gate", "linux"]


def test_an_artefact_behind_a_hundred_others_is_found() -> None:
    others = {f"logs-{index}": b"" for index in range(250)}
    server = Server(artefacts={**others, "perfgate-records-linux": b""})
    assert list(list_artefacts(server.api(), 99)) == ["linux"]


def test_a_run_without_artefact_or_pull_request_says_so() -> None:
    for server, words in ((Server(), "left no artefact"), (Server(pulls=[]), "0 open pull requests")):
        (posted,) = comment_on_run(run_event(), server.api(), OPTIONS, TODAY)
        assert words in posted.problem


@pytest.mark.parametrize(
    ("name", "key"), [("perfgate-records", "gate"), ("perfgate-records-py3.12", "py3.12")]
)
def test_the_key_is_what_follows_the_prefix(name: str, key: str) -> None:
    assert artefact_key(name) == key


def test_the_edits_of_the_gate_are_those_that_github_lists() -> None:
    files = [
        *({"filename": f"src/{number}.py", "status": "modified"} for number in range(150)),
        {"filename": "perfgate.yaml", "status": "modified"},
        {"filename": "accepted/dev/net.json", "status": "added"},
        {"filename": "old/renamed.txt", "previous_filename": "conftest.py", "status": "renamed"},
    ]
    edits = list_edits(Server(files=files).api(), 7, "accepted")
    assert [(edit.path, edit.effect) for edit in edits] == [
        ("perfgate.yaml", "modified"),
        ("accepted/dev/net.json", "added"),
        ("conftest.py", "removed"),
    ]
