"""The marker of a comment: no key can leave the HTML comment it stands in."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UsageError
from perfgate.report.pull_request_comment import comment_text, marker, rejection_text
from tests.check_reports import make_report, unchanged


@pytest.mark.parametrize("key", ["", "a b", "a--b", "-a", "a-", "a-->", "../a", "a/b", "a\nb", "é", "x" * 70])
def test_a_key_that_is_no_plain_name_is_refused(key: str) -> None:
    with pytest.raises(UsageError, match="no plain name"):
        marker(key)
    with pytest.raises(UsageError, match="no plain name"):
        comment_text(make_report(unchanged("a")), key)
    with pytest.raises(UsageError, match="no plain name"):
        rejection_text(key, "why")


def test_the_marker_of_one_key_is_no_beginning_of_another() -> None:
    assert not marker("linux-arm").startswith(marker("linux"))
