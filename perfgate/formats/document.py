"""A result file as its readers get it: text, and JSON or lines of JSON where it holds them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from perfgate.core.errors import UnusableError
from perfgate.formats.node import REMEDY, Node, parse_json

MAX_BYTES = 256 << 20
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """`json` is None where the text is no single JSON value; `rows` are JSON values, one for each line.

    A file with one JSON value has it as its only row. `name` is what the user calls the benchmark of a file
    that names none, "" when they did not say.
    """

    path: str
    text: str
    json: Node | None = None
    rows: tuple[Node, ...] = ()
    name: str = ""

    @property
    def lines(self) -> list[str]:
        """The text line by line, without line ends of either kind."""
        return self.text.splitlines()

    def beside(self, relative: str) -> Document | None:
        """Another file of the same tool, by its path from this one's folder; None where there is none.

        Raises:
            UnusableError: it is there and cannot be used.
        """
        path = Path(self.path).parent / relative
        return read_file(path) if path.is_file() else None


def read_file(path: Path, name: str = "") -> Document:
    """Read a file whole.

    Raises:
        UnusableError: it cannot be read, or `read_document` refuses it.
    """
    try:
        if path.exists() and not path.is_file():
            raise UnusableError("no regular file", str(path), "name a result file")
        if path.stat().st_size > MAX_BYTES:
            what = f"more than {MAX_BYTES >> 20} MiB"
            raise UnusableError(what, str(path), "import a shorter measurement")
        data = path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UnusableError(f"cannot be read, {reason}", str(path), "name a result file") from None
    return read_document(data, str(path), name)


def read_document(data: bytes, path: str, name: str = "") -> Document:
    """The bytes as text and, where they hold it, JSON. A byte order mark is taken off.

    Raises:
        UnusableError: empty, not UTF-8, or begins like JSON and is none (cut off, for example).
    """
    if data.startswith(_UTF_16):
        raise UnusableError("the text is UTF-16", path, "save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UnusableError(f"byte {problem.start} is not UTF-8", path, REMEDY) from None
    if not text.strip():
        raise UnusableError("the file is empty", path, REMEDY)
    if text.lstrip()[0] not in "{[":
        return Document(path=path, text=text, name=name)
    try:
        whole = parse_json(text, path)
    except json.JSONDecodeError as problem:
        if problem.msg != "Extra data":
            raise _broken(problem, path, problem.lineno) from None
        return Document(path=path, text=text, rows=_rows(text, path), name=name)
    return Document(path=path, text=text, json=whole, rows=(whole,), name=name)


def _rows(text: str, path: str) -> tuple[Node, ...]:
    rows = []
    # Not `splitlines`: JSON may hold other line separators inside its texts.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(parse_json(line, f"{path}:{number}"))
        except json.JSONDecodeError as problem:
            raise _broken(problem, path, number) from None
    return tuple(rows)


def _broken(problem: json.JSONDecodeError, path: str, line: int) -> UnusableError:
    what = problem.msg[:1].lower() + problem.msg[1:]
    return UnusableError(f"broken JSON, {what}", f"{path}:{line}:{problem.colno}", REMEDY)
