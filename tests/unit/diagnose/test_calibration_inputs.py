from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.diagnose import calibration_inputs
from perfgate.diagnose.calibration_inputs import inputs_hash

if TYPE_CHECKING:
    import pytest


def copied(folder: Path, *, line_end: bytes = b"\n") -> Path:
    """The files that the hash is made of."""
    source = Path(str(files("perfgate.diagnose")))
    for path in (*source.glob("*.py"), *source.glob("*.yaml"), *source.glob("rules/*.py")):
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes().replace(b"\n", line_end))
    return folder


def hash_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(calibration_inputs, "files", lambda _: folder)
    return inputs_hash()


def test_the_hash_does_not_depend_on_place_or_line_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = inputs_hash()
    assert len(shipped) == 64
    assert hash_in(copied(tmp_path / "a"), monkeypatch) == shipped
    assert hash_in(copied(tmp_path / "b", line_end=b"\r\n"), monkeypatch) == shipped


def test_a_threshold_and_a_rule_change_it_and_a_report_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(tmp_path / "a")
    before = hash_in(folder, monkeypatch)
    for name, changes in (("rules.yaml", True), ("rules/layout.py", True), ("merge.py", False)):
        path = folder / name
        kept = path.read_bytes()
        path.write_bytes(kept + b"# more\n")
        assert (hash_in(folder, monkeypatch) != before) is changes, name
        path.write_bytes(kept)
