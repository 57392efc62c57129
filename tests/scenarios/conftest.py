"""The user's repository of the end-to-end tests, for scenarios that need real git objects."""

from __future__ import annotations

from tests.e2e.conftest import project, template

__all__ = ["project", "template"]
