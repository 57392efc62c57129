"""A timed suite under perfgate and under pytest-benchmark, with as many rounds of as many milliseconds."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from tests.repositories import Repository, clean_environment

WORK = Path(__file__).parent / "timed_suite" / "work.py"
FUNCTIONS = ("add", "parse", "search", "count", "order", "digest", "squeeze", "build")
ROUNDS = 100  # five runs of twenty rounds
ROUND_SECONDS = 0.005  # what perfgate calibrates to
TIMES = 5


def main() -> None:
    """One line: wall seconds of both, and their ratio."""
    if find_spec("pytest_benchmark") is None:
        sys.stdout.write("timed suite: pytest-benchmark is not installed, nothing to compare with\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository(Path(folder) / "suite")
        repository.commit("start", {"work.py": WORK.read_text("utf-8"), "pytest.toml": _CONFIG, **_tests()})
        ours, theirs = [], []
        for _ in range(TIMES):  # in turns, so that the host is the same for both
            ours.append(_seconds(repository, "test_ours.py", *_OURS))
            theirs.append(_seconds(repository, "test_theirs.py", *_THEIRS))
    both = f"perfgate {min(ours):.1f} s, pytest-benchmark {min(theirs):.1f} s"
    ratio = f"ratio {min(ours) / min(theirs):.2f} (aim 1.3)"
    title = f"timed suite, {len(FUNCTIONS)} functions, {ROUNDS} rounds of 5 ms each"
    sys.stdout.write(f"{title}: {both}, {ratio}\n")


_CONFIG = '[pytest]\npythonpath = ["."]\n'
# Loading the other plugins of this environment takes longer than a run of the suite.
_ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
_OURS = ("--perfgate", "-p", "perfgate.pytest_plugin.entry")
_THEIRS = (
    "-p",
    "pytest_benchmark.plugin",
    f"--benchmark-min-rounds={ROUNDS}",
    "--benchmark-max-time=0",
    f"--benchmark-min-time={ROUND_SECONDS}",
)


def _tests() -> dict[str, str]:
    files = {}
    for name, fixture in (("ours", "perfgate"), ("theirs", "benchmark")):
        tests = [
            f"def test_{function}({fixture}):\n    {fixture}(work.{function})\n" for function in FUNCTIONS
        ]
        files[f"test_{name}.py"] = "\n\n".join(["import work", *tests])
    return files


def _seconds(repository: Repository, *arguments: str) -> float:
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "pytest", "-q", *arguments],
        cwd=repository.folder,
        env=clean_environment(**_ALONE),
        capture_output=True,
        check=False,
    )
    if done.returncode not in {0, 11}:  # 11: no baselines yet, which costs the same
        raise RuntimeError(done.stdout.decode())
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
