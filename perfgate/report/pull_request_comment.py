"""The one comment that perfgate keeps on a pull request, found again by the marker it begins with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError
from perfgate.report.code_span import MAX_SENTENCE, code_span
from perfgate.report.markdown_verdict import Frame, verdict_markdown

if TYPE_CHECKING:
    from perfgate.report.check_report import CheckReport

MAX_COMMENT = 65_536  # characters; GitHub answers 422 to more
_KEY = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._]{0,63}(-[A-Za-z0-9._]{1,63}){0,8}"
)  # no `--`, which ends a comment


def marker(key: str) -> str:
    """The first line of the comment for one workflow and matrix leg.

    Raises:
        UsageError: the key is no plain name, so that it could end the HTML comment it stands in.
    """
    if not _KEY.fullmatch(key):
        raise UsageError(
            f"{key!r} is no plain name", "key of the comment", "use letters, digits, `.`, `_`, `-`"
        )
    return f"<!-- perfgate:{key} -->"


def comment_text(report: CheckReport, key: str, *, head: str = "", remark: str = "") -> str:
    """The comment for a finished check; `head` is the judged commit, `remark` a sentence of perfgate's own.

    Raises:
        UsageError: the key is no plain name.
    """
    first = marker(key)
    frame = Frame(limit=MAX_COMMENT - len(first) - 1, size=len, head=head, remark=remark)
    return f"{first}\n{verdict_markdown(report, frame)}"


def rejection_text(key: str, reason: str) -> str:
    """The comment for records that cannot be judged.

    Raises:
        UsageError: the key is no plain name.
    """
    return f"{marker(key)}\n### ❌ perfgate: records rejected\n\n{code_span(reason, MAX_SENTENCE)}"
