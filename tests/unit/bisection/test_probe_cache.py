from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from perfgate.bisection.probe import Launch, Outcome
from perfgate.bisection.probe_cache import CacheKey, Entry, ProbeCache

KEY = CacheKey(
    tree="t",
    benchmark="b[d]",
    metric="latency",
    overlay="o",
    setup="",
    contents="",
    python="3.12",
    machine="",
    perfgate="1",
    schema="s",
)
ENTRY = Entry(outcome=Outcome.MEASURED, launches=(Launch(samples=(1.0,)),), draws=1)


def test_an_entry_comes_back_under_its_key_only(tmp_path: Path) -> None:
    cache = ProbeCache(tmp_path / "probes")
    assert cache.get(KEY) is None
    cache.put(KEY, ENTRY)
    assert cache.get(KEY) == ENTRY
    for name in KEY.__struct_fields__:
        assert cache.get(msgspec.structs.replace(KEY, **{name: "other"})) is None, name


@pytest.mark.parametrize("damage", [b"", b"x", b"deadbeef\n{}"])
def test_a_damaged_entry_counts_as_absent(tmp_path: Path, damage: bytes) -> None:
    cache = ProbeCache(tmp_path)
    cache.put(KEY, ENTRY)
    (path,) = tmp_path.glob("*.json")
    path.write_bytes(damage)
    assert cache.get(KEY) is None


def test_nothing_is_left_when_an_entry_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = ProbeCache(tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="No space"):
        cache.put(KEY, ENTRY)
    assert list(tmp_path.iterdir()) == []
