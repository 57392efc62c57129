"""The real transport, up to the socket: what is read of an answer, and what a failure becomes."""

from __future__ import annotations

import email.message
import http.client
import io
import urllib.error
import urllib.request

import pytest

from perfgate.workflow.ci_transport import NO_ANSWER, TIME_OUT, Request, https_transport

ASKED = Request(method="POST", url="https://api.example/x", headers={"Accept": "a"}, body=b"{}", max_bytes=4)


class Response(io.BytesIO):
    """What urllib gives for an answer."""

    def __init__(self, status: int, body: bytes, location: str = "") -> None:
        super().__init__(body)
        self.status, self.reason = status, "Because"
        self.headers = email.message.Message()
        if location:
            self.headers["Location"] = location


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (Response(200, b"1234"), (200, b"1234", False, "")),
        (Response(200, b"12345"), (200, b"1234", True, "")),
        (Response(302, b"", "https://blobs.example/1"), (302, b"", False, "https://blobs.example/1")),
        (Response(422, b"no"), (422, b"no", False, "")),
    ],
)
def test_an_answer_is_taken_as_it_comes_and_cut_at_its_cap(
    response: Response, expected: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(_: object, request: urllib.request.Request, timeout: float) -> Response:
        asked.append((request.get_method(), request.full_url, request.data, timeout))
        return response

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", answer)
    got = https_transport(ASKED)
    assert (got.status, got.body, got.is_cut, got.location) == expected
    assert asked == [("POST", "https://api.example/x", b"{}", TIME_OUT)]
    assert response.closed


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (TimeoutError("the read operation timed out"), "timed out"),
        (ConnectionResetError(104, "reset"), "reset"),
        (urllib.error.URLError(OSError("refused")), "refused"),
        (http.client.IncompleteRead(b""), "IncompleteRead"),
    ],
)
def test_a_failure_is_an_answer_without_status(
    problem: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", fail)
    answer = https_transport(ASKED)
    assert answer.status == NO_ANSWER
    assert words in answer.reason
