"""`python -m tests.documentation`: write the generated reference from the code as it is."""

from __future__ import annotations

from tests.architecture.source import ROOT
from tests.documentation.reference import PAGES

folder = ROOT / "docs" / "reference"
folder.mkdir(exist_ok=True)
for name, make in PAGES.items():
    (folder / name).write_text(make(), encoding="utf-8")
