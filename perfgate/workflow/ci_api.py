"""The few questions that perfgate asks of GitHub's REST API, over an injected transport."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from perfgate.core.codec import decode
from perfgate.core.errors import PerfgateError, UsageError
from perfgate.workflow.ci_transport import NO_ANSWER, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfgate.workflow.ci_transport import Answer, Transport

T = TypeVar("T")
P = TypeVar("P")
PAGE = 100  # entries, the most that the API gives at once
MAX_PAGES = 100
_OK = range(200, 300)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REMEDIES = {
    401: "pass the job's token as GITHUB_TOKEN",
    403: "give the job `pull-requests: write` and `actions: read`",
    404: "check that it still exists and that the token may see it",
    422: "report what was refused",
}
_LATER = "run the job again later"


class ApiError(PerfgateError):
    """GitHub did not do what it was asked to; `status` is 0 when nobody answered."""

    def __init__(self, answer: Answer, where: str) -> None:
        what = f"{answer.status} {answer.reason}".strip() if answer.status else f"no answer, {answer.reason}"
        super().__init__(what, where, _REMEDIES.get(answer.status, _LATER))
        self.status = answer.status


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One repository (`owner/name`) behind the API's address, asked with a token."""

    url: str
    repository: str
    token: str
    transport: Transport

    def get(self, path: str, target: type[T]) -> T:
        """The answer at a path below the repository, as the type.

        Raises:
            ApiError: it is not answered with success.
        """
        answer = self._ask("GET", path)
        if answer.is_cut:
            raise UsageError("the answer is too long", f"GET {path}", _LATER)
        return decode(answer.body, target, f"GET {path}", UsageError, _LATER)

    def pages(self, path: str, target: type[T]) -> Iterator[T]:
        """All entries of a list, page by page.

        Raises:
            ApiError: a page is not answered with success.
            UsageError: more pages than anybody reads.
        """
        return self.members(path, tuple[target, ...], tuple)  # type: ignore[valid-type]  # - the type is a value here

    def members(self, path: str, page_type: type[P], entries: Callable[[P], tuple[T, ...]]) -> Iterator[T]:
        """All entries of a list whose pages are objects around it; `entries` takes them out of one page.

        Raises:
            ApiError: a page is not answered with success.
            UsageError: more pages than anybody reads.
        """
        joint = "&" if "?" in path else "?"
        for page in range(1, MAX_PAGES + 1):
            found = entries(self.get(f"{path}{joint}per_page={PAGE}&page={page}", page_type))
            yield from found
            if len(found) < PAGE:
                return
        raise UsageError(f"more than {MAX_PAGES * PAGE} entries", f"GET {path}", "close some")

    def send(self, method: str, path: str, content: object) -> None:
        """Send JSON to a path below the repository.

        Raises:
            ApiError: it is not answered with success.
        """
        self._ask(method, path, json.dumps(content).encode())

    def download(self, path: str, max_bytes: int) -> bytes:
        """The file that a path redirects to, fetched without the token.

        Raises:
            ApiError: no redirect, or the file cannot be had.
            UsageError: more than `max_bytes`.
        """
        where = f"GET {path}"
        first = self.transport(self._request("GET", path, None))
        if first.status not in _REDIRECTS:
            raise ApiError(first, where)
        answer = self.transport(Request(method="GET", url=first.location, max_bytes=max_bytes))
        if answer.status not in _OK:
            raise ApiError(answer, f"{where}, the file itself")
        if answer.is_cut:
            raise UsageError(f"more than {max_bytes >> 20} MiB", where, "keep fewer records")
        return answer.body

    def _ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        answer = self.transport(self._request(method, path, body))
        if answer.status == NO_ANSWER or answer.status not in _OK:
            raise ApiError(answer, f"{method} {path.partition('?')[0]}")
        return answer

    def _request(self, method: str, path: str, body: bytes | None) -> Request:
        return Request(
            method=method,
            url=f"{self.url}/repos/{self.repository}/{path}",
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "User-Agent": "perfgate",
                "X-GitHub-Api-Version": "2022-11-28",
            },
            body=body,
        )
