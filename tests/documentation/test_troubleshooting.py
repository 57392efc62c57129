"""Every message that the troubleshooting page explains can still be met."""

from __future__ import annotations

import re

import pytest

from tests.architecture.source import ROOT
from tests.documentation.code_texts import code_texts
from tests.documentation.messages import messages

PAGE = (ROOT / "docs" / "TROUBLESHOOTING.md").read_text(encoding="utf-8")
QUOTED = re.findall(r"^### `(.+)`$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("text", QUOTED)
def test_an_explained_message_still_occurs_in_the_code(text: str) -> None:
    forms = {item.what.replace("`", "'") for item in messages()}
    assert text in forms or any(text in found for found in code_texts())


def test_the_page_explains_the_frequent_messages_once_each() -> None:
    assert len(QUOTED) >= 40
    assert len(set(QUOTED)) == len(QUOTED)
    assert PAGE.count("\n### ") == len(QUOTED)  # every heading of this level is a message


def test_a_message_that_is_gone_would_be_found() -> None:
    assert not any("no benchmark is named thus" in text for text in code_texts())
    assert "no benchmark is defined" in code_texts()
