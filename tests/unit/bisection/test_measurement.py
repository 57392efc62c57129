"""What the end of a child means; the child itself runs in `tests/e2e/test_bisect.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import encode_record
from perfgate.bisection import measurement
from perfgate.bisection.child import Ended, Limits
from perfgate.bisection.launcher import SHADOWED
from perfgate.bisection.measurement import Draw, Measurement, Target, measure
from perfgate.bisection.probe import Outcome
from perfgate.core.errors import UsageError
from tests.records import make_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.bisection.surroundings import Surroundings

RECORD = make_record("net", device="dev")


class Around:
    """The surroundings that a launch asks for."""

    def __init__(self, folder: Path) -> None:
        self.temporary = folder
        self.root = Path("/user")

    def of_launch(self, _tree: Path) -> dict[str, str]:
        return {}


def ended_with(  # noqa: PLR0913 - how a child can end
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    code: int,
    output: str = "",
    *,
    writes: bytes = b"",
    late: bool = False,
) -> tuple[Measurement, Sequence[str]]:
    """The meaning of a child that ends so, and the command it was."""
    seen: list[Sequence[str]] = []

    def run_child(command: Sequence[str], _folder: Path, _environment: object, _limits: Limits) -> Ended:
        seen.append(command)
        if writes:
            path = folder / "records-tree" / baseline_path("net", "dev")
            path.parent.mkdir(parents=True)
            path.write_bytes(writes)
        return Ended(code=code, output=output, seconds=2.0, is_timed_out=late)

    monkeypatch.setattr(measurement, "run_child", run_child)
    target = Target(benchmark="net", device="dev", compiled=Path("/compiled"), prefix="part")
    around = cast("Surroundings", Around(folder))  # has what is asked for
    draw = Draw(runs=8, samples=32, seed=5)
    found = measure(Path("/x/tree"), target, draw, around, Limits(seconds=9))
    assert not (folder / "records-tree").exists()
    return found, seen[0]


def test_a_record_is_read_and_the_command_names_what_is_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found, command = ended_with(monkeypatch, tmp_path, 0, writes=encode_record(RECORD).encode())
    assert (found.outcome, found.record, found.seconds) == (Outcome.MEASURED, RECORD, 2.0)
    text = " ".join(command)
    for words in ("-C /x/tree/part", "-k net[dev]", "--device dev", "--runs 8 --samples 32", "--seed 5"):
        assert words in text


def test_the_benchmarks_own_record_counts_when_another_one_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found, _ = ended_with(monkeypatch, tmp_path, 11, writes=encode_record(RECORD).encode())
    assert found.record == RECORD


@pytest.mark.parametrize(
    ("code", "output", "outcome", "detail"),
    [
        (
            11,
            "perfgate: no benchmark matches '-k x': selection: choose",
            Outcome.MISSING,
            "no benchmark matches",
        ),
        (11, "noise\nnot measured: net[dev]: no call of 'atc'", Outcome.BUILD_FAILED, "no call of 'atc'"),
        (
            2,
            "perfgate: unknown key: perf_a.yaml:3:1: remove it",
            Outcome.UNFIT,
            "unknown key: perf_a.yaml:3:1",
        ),
        (1, "Traceback\nImportError: product", Outcome.CRASHED, "ImportError: product"),
        (-11, "", Outcome.CRASHED, "signal 11"),
        (0, "", Outcome.CRASHED, "exit code 0"),  # says it measured, but left no record
    ],
)
def test_each_way_to_fail_has_its_outcome(  # noqa: PLR0913, PLR0917 - the parts of one row
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, output: str, outcome: Outcome, detail: str
) -> None:
    found, _ = ended_with(monkeypatch, tmp_path, code, output)
    assert found.outcome is outcome
    assert detail in found.detail


def test_a_time_out_and_a_damaged_record_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    late, _ = ended_with(monkeypatch, tmp_path, -9, late=True)
    assert (late.outcome, late.detail) == (Outcome.TIMED_OUT, "no answer within 9 s")
    damaged, _ = ended_with(monkeypatch, tmp_path, 0, writes=b"{}")
    assert damaged.outcome is Outcome.CRASHED


def test_the_users_own_code_is_never_a_measurement(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"was measured: /user/a\.py"):
        ended_with(monkeypatch, tmp_path, SHADOWED, "code outside of the worktree was measured: /user/a.py")
