"""The workflow that `perfgate init --github` writes: the gate of docs/CI.md, for the found default branch."""

from __future__ import annotations

import re
from importlib.resources import files

from perfgate import __version__
from perfgate.config.typed_yaml import quoted_scalar

WORKFLOW_PATH = ".github/workflows/perfgate.yml"
_TEMPLATE = "first_workflow.yml"  # its `uses:` are those of our own workflows, which a test compares


def workflow_text(branch: str) -> str:
    """The file's text. `+` and `!` of a branch name are signs of GitHub's filter patterns and are escaped."""
    text = files("perfgate.workflow").joinpath(_TEMPLATE).read_text(encoding="utf-8")
    name = quoted_scalar(re.sub(r"([+!])", r"\\\1", branch))
    return text.replace("BRANCH", name).replace("VERSION", __version__)
