"""The generated pages of docs/reference/, by path."""

from __future__ import annotations

from tests.documentation.cli_page import cli_page
from tests.documentation.devices_page import devices_page
from tests.documentation.files_page import files_page
from tests.documentation.messages_page import messages_page
from tests.documentation.pytest_page import pytest_page

PAGES = {
    "CLI.md": cli_page,
    "PYTEST.md": pytest_page,
    "FILES.md": files_page,
    "DEVICES.md": devices_page,
    "MESSAGES.md": messages_page,
}
