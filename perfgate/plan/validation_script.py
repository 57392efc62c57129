"""The plan's own script that measures what it gains."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.plan.manifest import Manifest

VALIDATION = "validation_script.py"
_TEMPLATE = "validation_template.txt"  # Python, but it prints, as nothing else of this package does
_HOLE = "@PLAN@"


def validation_script(manifest: Manifest) -> str:
    """The script; everything that comes from the repository is one JSON text in one string literal."""
    template = files("perfgate.plan").joinpath(_TEMPLATE).read_text(encoding="utf-8")
    values = {
        "id": manifest.id,
        "key": manifest.key,
        "device": manifest.device,
        "metric": manifest.metric,
        "commit": manifest.commit,
        "gain": manifest.prediction.gain,
    }
    return template.replace(_HOLE, ascii(json.dumps(values)))
