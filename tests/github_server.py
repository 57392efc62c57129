"""A GitHub of one repository as a function, for tests of what perfgate asks of its API."""

from __future__ import annotations

import io
import json
import re
import stat
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from perfgate.workflow.ci_api import Api
from perfgate.workflow.ci_event import RunEvent, decode_event
from perfgate.workflow.ci_transport import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.workflow.ci_transport import Request

HEAD = "a" * 40
OURS, FORK = 1, 2  # repository ids
BOT = {"login": "github-actions[bot]", "type": "Bot"}
BLOBS = "https://blobs.example"


def pull_request(
    number: int = 7, *, repo: int | None = FORK, sha: str = HEAD, base: str = "main"
) -> dict[str, Any]:
    """A pull request as the API gives it."""
    return {
        "number": number,
        "head": {
            "ref": "feature",
            "sha": sha,
            "repo": None if repo is None else {"id": repo, "full_name": "ada/fork"},
        },
        "base": {"ref": base, "sha": "b" * 40, "repo": {"id": OURS}},
    }


def run_event(**changes: object) -> RunEvent:
    """A finished run of a fork's pull request, unless told otherwise."""
    run = {
        "id": 99,
        "event": "pull_request",
        "head_sha": HEAD,
        "head_branch": "feature",
        "head_repository": {"id": FORK, "full_name": "ada/fork"},
        "conclusion": "failure",
        "pull_requests": [],
        **changes,
    }
    event = {
        "action": "completed",
        "workflow_run": run,
        "repository": {"id": OURS, "full_name": "org/models", "default_branch": "main"},
    }
    return decode_event(json.dumps(event).encode(), "event.json")


def zipped(files: Mapping[str, bytes], *, links: tuple[str, ...] = ()) -> bytes:
    """A zip archive of the files; names in `links` are stored as symbolic links."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            kind = stat.S_IFLNK if name in links else stat.S_IFREG
            entry.external_attr = (kind | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return data.getvalue()


@dataclass(slots=True)
class Server:
    """Pull requests, comments, changed files, artefacts; `broken` maps `METHOD pattern` to an answer."""

    pulls: list[dict[str, Any]] = field(default_factory=lambda: [pull_request()])
    comments: list[dict[str, Any]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    artefacts: dict[str, bytes] = field(default_factory=dict)
    broken: dict[str, Answer] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)

    def api(self) -> Api:
        """A client of this server."""
        return Api(url="https://api.example", repository="org/models", token="secret", transport=self)  # noqa: S106 - of a server that is a function

    def __call__(self, request: Request) -> Answer:
        self.asked.append(request)
        parts = urlsplit(request.url)
        for pattern, answer in self.broken.items():
            if re.fullmatch(pattern, f"{request.method} {parts.path}"):
                return answer
        if request.url.startswith(BLOBS):
            return self._blob(request, parts.path)
        return self._answer(request, parts.path.removeprefix("/repos/org/models/"), parse_qs(parts.query))

    def _blob(self, request: Request, path: str) -> Answer:
        data = list(self.artefacts.values())[int(path.rpartition("/")[2])]
        return Answer(status=200, body=data[: request.max_bytes], is_cut=len(data) > request.max_bytes)

    def _answer(self, request: Request, path: str, query: Mapping[str, list[str]]) -> Answer:
        if request.method in {"POST", "PATCH"}:
            return self._write(path, json.loads(request.body or b"{}")["body"])
        if path == "pulls":
            return self._page([pull for pull in self.pulls if query["head"] == ["ada:feature"]], query)
        lists = {"issues/7/comments": self.comments, "pulls/7/files": self.files}
        if path in lists:
            return self._page(lists[path], query)
        if path.endswith("/artifacts"):
            rows = [
                {"id": number, "name": name, "size_in_bytes": len(data), "expired": False}
                for number, (name, data) in enumerate(self.artefacts.items())
            ]
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return _json({"total_count": len(rows), "artifacts": rows[size * (page - 1) : size * page]})
        if path.endswith("/zip"):
            return Answer(status=302, location=f"{BLOBS}/{path.split('/')[2]}")
        return Answer(status=404, reason="Not Found")

    def _write(self, path: str, body: str) -> Answer:
        if path == "issues/7/comments":
            self.comments.append({"id": 1000 + len(self.comments), "body": body, "user": BOT})
            return Answer(status=201)
        found = [item for item in self.comments if path == f"issues/comments/{item['id']}"]
        if not found:
            return Answer(status=404, reason="Not Found")
        found[0]["body"] = body
        return Answer(status=200)

    @staticmethod
    def _page(rows: list[dict[str, Any]], query: Mapping[str, list[str]]) -> Answer:
        size, page = int(query["per_page"][0]), int(query["page"][0])
        return _json(rows[size * (page - 1) : size * page])


def _json(value: object) -> Answer:
    return Answer(status=200, body=json.dumps(value).encode())
