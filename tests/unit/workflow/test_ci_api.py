"""What the client of GitHub's API does with each answer."""

from __future__ import annotations

import pytest

from perfgate.core.errors import PerfgateError, UsageError
from perfgate.workflow.ci_api import Api, ApiError
from perfgate.workflow.ci_transport import NO_ANSWER, Answer, Request, https_transport
from tests.github_server import BLOBS, Server

FAILURES = [
    (Answer(status=403, reason="Forbidden"), "403 Forbidden: GET pulls: give the job `pull-requests: write`"),
    (Answer(status=404, reason="Not Found"), "404 Not Found"),
    (Answer(status=422, reason="Unprocessable Entity"), "422 Unprocessable Entity"),
    (Answer(status=500, reason="Internal Server Error"), "500 .*: run the job again later"),
    (Answer(status=302, location="https://evil.example"), "302"),
    (Answer(status=NO_ANSWER, reason="timed out"), "no answer, timed out"),
]


def api_of(answer: Answer) -> Api:
    return Api(url="https://api.example", repository="o/r", token="t", transport=lambda _: answer)  # noqa: S106 - of no server


@pytest.mark.parametrize(("answer", "words"), FAILURES)
def test_an_answer_without_success_is_one_line_with_its_remedy(answer: Answer, words: str) -> None:
    with pytest.raises(ApiError, match=words) as caught:
        api_of(answer).get("pulls?state=open", dict[str, object])
    assert caught.value.status == answer.status
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", b'{"a": 1', b"[" * 100_000])
def test_an_answer_of_another_form_is_one_line(body: bytes) -> None:
    with pytest.raises(UsageError, match="GET pulls"):
        api_of(Answer(status=200, body=body)).get("pulls", dict[str, object])


def test_an_answer_that_was_cut_is_not_read() -> None:
    with pytest.raises(UsageError, match="too long"):
        api_of(Answer(status=200, body=b"{}", is_cut=True)).get("pulls", dict[str, object])


def test_a_list_without_end_is_given_up() -> None:
    endless = Answer(status=200, body=b"[" + b"1," * 99 + b"1]")
    with pytest.raises(UsageError, match="more than 10000 entries"):
        list(api_of(endless).pages("issues/7/comments", int))


def test_the_token_goes_to_the_api_and_never_to_where_it_redirects() -> None:
    server = Server(artefacts={"perfgate-records": b"data"})
    assert server.api().download("actions/artifacts/0/zip", 100) == b"data"
    first, second = server.asked
    assert first.headers["Authorization"] == "Bearer secret"
    assert second.url.startswith(BLOBS)
    assert "Authorization" not in second.headers


def test_a_download_stops_at_its_cap() -> None:
    server = Server(artefacts={"perfgate-records": b"x" * 101})
    with pytest.raises(UsageError, match="more than 0 MiB"):
        server.api().download("actions/artifacts/0/zip", 100)


@pytest.mark.parametrize("broken", ["GET /repos/.*/zip", "GET /0"])
def test_a_download_that_fails_on_either_host_is_one_line(broken: str) -> None:
    server = Server(artefacts={"perfgate-records": b"x"}, broken={broken: Answer(status=404, reason="Gone")})
    with pytest.raises(PerfgateError, match="404 Gone: GET actions/artifacts/0/zip"):
        server.api().download("actions/artifacts/0/zip", 100)


@pytest.mark.parametrize(
    "url", ["http://localhost:9", "file:///etc/passwd", "ftp://localhost:9/x", "https://", "nonsense", ""]
)
def test_the_real_transport_takes_nothing_but_https_and_never_raises(url: str) -> None:
    answer = https_transport(Request(method="GET", url=url))
    assert answer.status == NO_ANSWER
    assert answer.reason


def test_nobody_there_is_an_answer_too() -> None:
    answer = https_transport(Request(method="GET", url="https://127.0.0.1:9/closed"))
    assert (answer.status, answer.body) == (NO_ANSWER, b"")
