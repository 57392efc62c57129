"""`python -m tests.golden`: rewrite the goldens from the code as it is."""

from __future__ import annotations

from pathlib import Path

from tests.golden.diagnosis_texts import DIAGNOSIS_TEXTS
from tests.golden.github_texts import GITHUB_TEXTS
from tests.golden.texts import TEXTS

for name, make in (TEXTS | GITHUB_TEXTS | DIAGNOSIS_TEXTS).items():
    (Path(__file__).parent / name).write_text(make() + "\n", encoding="utf-8")
