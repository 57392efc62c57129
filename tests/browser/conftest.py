"""A browser without a network for the tests of the page; without one they are skipped with the reason."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.report.html.page import page
from perfgate.report.html.views import page_views
from tests import page_profiles
from tests.browser.opened import OpenedPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from perfgate.report.html.material import Material

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SIZE = {"width": 1280, "height": 900}
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium of the machine, driven by Playwright."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(PROGRAMS)} is installed")
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("no driver of the browser: pip install --group browser")
    driver = importlib.import_module("playwright.sync_api")
    with driver.sync_playwright() as running:
        started = running.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., OpenedPage]]:  # noqa: ANN401 - Playwright's
    """Opens a page's text at an address in a context of its own, with the network off."""
    contexts = []

    def opened(text: str, address: str = "", **context: object) -> OpenedPage:
        file = tmp_path / "report.html"
        file.write_text(text, encoding="utf-8")
        contexts.append(browser.new_context(viewport=SIZE, offline=True, **context))
        result = OpenedPage(contexts[-1].new_page(), file.as_uri())
        result.go(address)
        return result

    yield opened
    for context in contexts:
        context.close()


def page_of(material: Material) -> str:
    """The page's text."""
    return page(material, page_views(material))


@pytest.fixture(scope="session")
def incident(browser: Any) -> str:  # noqa: ANN401 - Playwright's
    """The page of the incident."""
    del browser  # asked for first, so that nothing is drawn in vain
    return page_of(page_profiles.incident())
