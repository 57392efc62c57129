"""Start-up: what the installed plugin costs a run that does not use it, and how fast the command answers."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 15


def cpu_seconds(command: list[str], folder: str) -> float:
    """User and system time of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Other plugins of this environment cost a hundred times as much as ours and would drown it.
    alone = {**os.environ, "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=folder, capture_output=True, check=False, env=alone)  # noqa: S603 - our own
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Interleaved processes, minima: with the plugin, without it, and `perfgate --help`."""
    perfgate = str(Path(sys.executable).parent / "perfgate")
    run = [sys.executable, "-m", "pytest", "-q", "--collect-only"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_a.py").write_text("def test_a(): pass\n")
        on, off, shown = [], [], []
        for _ in range(ROUNDS):
            on.append(cpu_seconds([*run, "-p", "perfgate.pytest_plugin.entry"], folder))
            off.append(cpu_seconds(run, folder))
            shown.append(cpu_seconds([perfgate, "--help"], folder))
        extra = min(on) - min(off)
        sys.stdout.write(f"plugin installed but not asked for: {1000 * extra:+.1f} ms CPU (aim < 5 ms)\n")
        sys.stdout.write(f"perfgate --help: {1000 * min(shown):.0f} ms CPU (aim < 150 ms)\n")
        empty = min(cpu_seconds([perfgate, "guard"], folder) for _ in range(5))
        sys.stdout.write(f"perfgate guard without rules: {1000 * empty:.0f} ms CPU (aim < 300 ms)\n")


if __name__ == "__main__":
    main()
