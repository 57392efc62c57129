"""A gate's file that is no plain small file: refused by name and reason, and nothing outside is read.

The row "baseline, policy or suite is ..." of docs/THREATS.md: a suite ends with 2, the others with 12.
"""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import ExitCode, PerfgateError
from perfgate.workflow.checking import run_check
from perfgate.workflow.options import GateOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.project import Project

TODAY = dt.date(2026, 11, 29)
BASELINE, POLICY, SUITE = "baselines/ascend-310p-like/resnet50.json", "perfgate.yaml", "perf_models.yaml"
RULES = "guardrails.yaml"
SECOND = 1.0  # of processor time: the most that a file of this kind may cost
Spoil = Callable[["Project", str], None]


class Opened:
    """Every path that this process opens while it listens; an audit hook cannot be taken away again."""

    def __init__(self) -> None:
        self.paths: list[str] | None = None
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and self.paths is not None:
            self.paths.append(str(arguments[0]))


@pytest.fixture(scope="module")
def hook() -> Opened:
    return Opened()


@pytest.fixture
def opened(hook: Opened) -> Iterator[list[str]]:
    hook.paths = []
    yield hook.paths
    hook.paths = None


def symlink(project: Project, path: str) -> None:
    """A link to a file outside that would be taken if it were read: it is the very content."""
    file = project.folder / path
    outside = project.folder.parent / "outside.file"
    file.rename(outside)
    file.symlink_to(outside)


def dangling(project: Project, path: str) -> None:
    (project.folder / path).unlink()
    (project.folder / path).symlink_to("/nowhere/at/all")


def submodule(project: Project, path: str) -> None:
    (project.folder / path).unlink()
    project.git("rm", "-q", "--cached", path)
    commit = project.git("rev-parse", "HEAD")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")


def executable(project: Project, path: str) -> None:
    (project.folder / path).chmod(0o755)


def written(content: bytes) -> Spoil:
    def spoil(project: Project, path: str) -> None:
        (project.folder / path).write_bytes(content)

    return spoil


def in_text(old: str, new: str) -> Spoil:
    def spoil(project: Project, path: str) -> None:
        project.replace(path, old, new)

    return spoil


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"
BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (name, name, b",".join([b"*%c" % (name - 1)] * 9)) for name in b"bcdefghi"
)
DEEP = 40
FORMS: dict[str, tuple[Spoil, str]] = {
    "symlink": (symlink, "is a symlink"),
    "dangling symlink": (dangling, "is a symlink"),
    "submodule": (submodule, "is a submodule"),
    "executable": (executable, "is an executable file"),
    "LFS pointer": (written(POINTER), "is a Git LFS pointer"),
    "2 MiB": (written(b"#" * (2 << 20)), "bytes"),
}
IN_YAML: dict[str, tuple[Spoil, str]] = {
    "deep": (written(b"version: " + b"[" * DEEP + b"]" * DEEP), "more than 32 levels"),
    "alias bomb": (written(BOMB), "an anchor or alias"),
    "duplicate key": (in_text("version: 1\n", "version: 1\nversion: 1\n"), "the key 'version' twice"),
}
IN_JSON: dict[str, tuple[Spoil, str]] = {
    "deep": (
        in_text('"runs": ', '"runs": ' + "[" * DEEP + "]" * DEEP + ', "was": '),
        "not the expected form",
    ),
    "very deep": (written(b"[" * 200_000), "nested too deep"),
    "NaN": (in_text('"copied_bytes": 0.0', '"copied_bytes": NaN'), "NaN is no JSON number"),
    "1e999": (in_text('"copied_bytes": 0.0', '"copied_bytes": 1e999'), "the number 1e999 is too large"),
    "duplicate key": (in_text('"backend": ', '"backend": "x", "backend": '), "the key 'backend' twice"),
}
NUMBERS = {
    (POLICY, "NaN"): (in_text("min_effect: 1%", "min_effect: NaN%"), "'NaN%' is no percentage"),
    (POLICY, "1e999"): (in_text("min_effect: 1%", "min_effect: 1e999%"), "'1e999%' is no percentage"),
    (SUITE, "NaN"): (in_text("samples: 20", "samples: NaN"), "'samples' is 'NaN'"),
    (SUITE, "1e999"): (in_text("samples: 20", "samples: 1e999"), "number out of range"),
}
CASES = [
    *((path, form, *FORMS[form]) for path in (BASELINE, POLICY, SUITE, RULES) for form in FORMS),
    *((path, form, *IN_YAML[form]) for path in (POLICY, SUITE) for form in IN_YAML),
    *((BASELINE, form, *IN_JSON[form]) for form in IN_JSON),
    *((path, form, *found) for (path, form), found in NUMBERS.items()),
]


def judged(project: Project) -> tuple[int, str]:
    """Exit code and words of a check of one benchmark; a refusal of the whole run has its own."""
    try:
        result = run_check(
            GateOptions(root=project.folder),
            environment={},
            today=TODAY,
            expression="resnet50",
            announce=lambda *_: None,
        )
    except PerfgateError as problem:
        return int(problem.exit_code), problem.line
    return int(result.exit_code), "\n".join(result.ground.baselines.unusable.values())


@pytest.mark.parametrize("is_in_base", [False, True], ids=["change", "base"])
@pytest.mark.parametrize(
    "case",
    CASES,
    ids=[f"{path.rpartition('/')[2]}-{form}" for path, form, *_ in CASES],
)
def test_a_file_of_the_gate_that_is_no_plain_file_is_refused_by_name(
    project: Project, opened: list[str], case: tuple[str, str, Spoil, str], *, is_in_base: bool
) -> None:
    path, _, spoil, words = case
    judged(project)  # imports and models are loaded once, before the clock runs
    spoil(project, path)
    if spoil is not submodule:
        project.git("add", "-A")
    if is_in_base:
        project.git("commit", "-q", "-m", "merged")
        project.git("update-ref", "refs/remotes/origin/main", "HEAD")
        project.git("checkout", "-q", "-b", "topic")
        project.git("commit", "-q", "--allow-empty", "-m", "a change")
    opened.clear()
    before = time.process_time()
    code, text = judged(project)
    assert time.process_time() - before < SECOND
    assert code == (ExitCode.USAGE if path == SUITE else ExitCode.UNUSABLE), text
    (line,) = [line for line in text.splitlines() if path in line and words in line]
    assert line
    assert [name for name in opened if "outside.file" in name or "nowhere" in name] == []


def test_a_linked_suite_that_git_ignores_is_not_followed_by_pytest_either(project: Project) -> None:
    outside = project.folder.parent / "perf_outside.yaml"
    outside.write_text("secret: of another project\n", encoding="utf-8")
    (project.folder / "perf_ignored.yaml").symlink_to(outside)
    project.write({".gitignore": ".perfgate/\nperf_ignored.yaml\n"})
    # Workers go on without a file that they cannot collect: pytest itself then ends with 1.
    for code, arguments in ((2, ("perf_ignored.yaml",)), (1, ("perf_ignored.yaml", "-n", "2"))):
        done = project.pytest(*arguments)
        assert done.code == code, done.text
        assert "the suite cannot be read" in done.text
        assert "secret" not in done.text
        assert "INTERNALERROR" not in done.text


def test_a_linked_folder_of_models_or_suites_is_not_entered(project: Project) -> None:
    elsewhere = project.folder.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "perf_more.yaml").write_text("secret: of another project\n", encoding="utf-8")
    (project.folder / "more").symlink_to(elsewhere)
    for done in (project.perfgate("check", "-k", "resnet50"), project.pytest("-k", "resnet50")):
        assert done.code == 0, done.text
        assert "secret" not in done.text
