"""One HTTPS request and its answer; the seam between what perfgate asks of GitHub and the network."""

from __future__ import annotations

import http.client
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

TIME_OUT = 30.0  # seconds per request
NO_ANSWER = 0  # status of a request that nobody answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked; answers longer than `max_bytes` are cut there and marked."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    max_bytes: int = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back; `status` 0 means nothing did, and `reason` says why. Redirects are answers too."""

    status: int
    body: bytes = b""
    reason: str = ""
    location: str = ""
    is_cut: bool = False


Transport = Callable[[Request], Answer]


def https_transport(request: Request) -> Answer:
    """Ask over the network. Redirects are not followed, so that a token never travels to another host."""
    opener = urllib.request.OpenerDirector()  # without handlers for redirects, errors, http and files
    for handler in (urllib.request.ProxyHandler(), urllib.request.HTTPSHandler()):
        opener.add_handler(handler)
    try:
        asked = urllib.request.Request(  # noqa: S310 - the opener has no handler but that of https
            request.url, data=request.body, headers=dict(request.headers), method=request.method
        )
        response = opener.open(asked, timeout=TIME_OUT)
        if response is None:  # no handler for the scheme
            return Answer(status=NO_ANSWER, reason="the address is not https")
        with response:
            body = response.read(request.max_bytes + 1)
            return Answer(
                status=response.status,
                body=body[: request.max_bytes],
                reason=response.reason,
                location=response.headers.get("Location", ""),
                is_cut=len(body) > request.max_bytes,
            )
    except TimeoutError:
        return Answer(status=NO_ANSWER, reason="timed out")
    except (OSError, http.client.HTTPException, ValueError) as problem:
        return Answer(status=NO_ANSWER, reason=str(getattr(problem, "reason", problem)) or "no connection")
