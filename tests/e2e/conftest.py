"""One repository is built and copied for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.project import Project, build_project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The repository as it was committed; never changed."""
    return build_project(tmp_path_factory.mktemp("template"))


@pytest.fixture
def project(template: Project, tmp_path: Path) -> Project:
    """A copy to change."""
    return template.copy(tmp_path / "project")
