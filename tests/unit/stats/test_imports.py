from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import perfgate.stats


def test_importing_the_package_never_loads_scipy_stats() -> None:
    # STATISTICS section 16: scipy.stats costs 770 ms
    folder = Path(perfgate.stats.__file__).parent
    modules = ", ".join(
        f"perfgate.stats.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"
    )
    loaded = "[name for name in sys.modules if name.startswith('scipy')]"
    code = f"import sys, {modules}, perfgate.gate.stages; print({loaded})"
    result = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
