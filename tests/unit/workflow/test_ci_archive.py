"""Archives of other people: everything that is no small plain folder is refused before it is parsed."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile

import pytest

from perfgate.core.errors import UnusableError
from perfgate.workflow.ci_archive import MAX_BYTES, MAX_FILES, read_archive
from tests.github_server import zipped


def test_a_plain_archive_is_read_into_memory() -> None:
    files = {"origin.json": b"{}", "records/dev/a.json": b"1" * 1000}
    assert read_archive(zipped(files)) == files


@pytest.mark.parametrize(
    "name",
    ["../evil", "a/../../evil", "/etc/passwd", "..", "a\\..\\evil", "C:evil", "a\nb", "a\x1b[31m", "\u202ea"],
)
def test_a_name_that_leaves_the_folder_or_hides_is_refused(name: str) -> None:
    with pytest.raises(UnusableError, match=r"leaves the folder|no plain name"):
        read_archive(zipped({"origin.json": b"{}", name: b"x"}))


def test_a_link_is_refused() -> None:
    with pytest.raises(UnusableError, match="is a link or a device"):
        read_archive(zipped({"records/a.json": b"../../etc/passwd"}, links=("records/a.json",)))


def test_one_file_more_than_the_cap_is_refused() -> None:
    files = {f"records/{index}.json": b"" for index in range(MAX_FILES)}
    assert len(read_archive(zipped(files))) == MAX_FILES
    with pytest.raises(UnusableError, match="501 files, want at most 500"):
        read_archive(zipped(files | {"one-more": b""}))


def test_a_million_entries_are_refused_by_the_end_record_alone() -> None:
    # APPNOTE 4.3.16: signature, disks, entries here and in all, size and offset of the directory, comment.
    claimed = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65_535, 65_535, 46 * 1_000_000, 0, 0)
    with pytest.raises(UnusableError, match="65535 entries"):
        read_archive(b"\0" * 1_000 + claimed)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)  # ZIP64, where the true count would stand
    few = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 46, 0, 0)
    with pytest.raises(UnusableError, match="no plain zip archive"):
        read_archive(locator + few)


def test_an_end_record_that_lies_about_its_count_is_refused_by_the_size_of_the_list() -> None:
    data = zipped({f"{index:0200}": b"" for index in range(6_000)})  # 246 bytes an entry: 1.4 MiB
    end = bytearray(data)
    struct.pack_into("<2H", end, len(end) - 14, 3, 3)
    with pytest.raises(UnusableError, match="3 entries"):
        read_archive(bytes(end))


def test_a_bomb_is_refused_without_being_unpacked() -> None:
    bomb = zipped({"records/zeros.json": b"\0" * (MAX_BYTES + 1)})
    assert len(bomb) < MAX_BYTES // 500
    tracemalloc.start()
    with pytest.raises(UnusableError, match="more than 50 MiB unpacked"):
        read_archive(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MAX_BYTES // 10


def test_a_bomb_that_lies_about_its_size_gives_no_more_than_it_said() -> None:
    data = bytearray(zipped({"a.json": b"\0" * 10_000_000}))
    directory = data.rindex(b"PK\x01\x02")
    for offset in (22, directory + 24):  # uncompressed size in the local header and in the directory
        struct.pack_into("<L", data, offset, 10)
    with pytest.raises(UnusableError, match="no sound zip archive"):
        read_archive(bytes(data))


def test_the_same_name_twice_is_refused() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("origin.json", b"{}")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("origin.json", b'{"head": "x"}')
    with pytest.raises(UnusableError, match="stands there twice"):
        read_archive(data.getvalue())


def test_an_entry_without_a_name_is_refused() -> None:
    data = bytearray(zipped({"a": b"x"}))
    struct.pack_into("<H", data, data.rindex(b"PK\x01\x02") + 28, 0)  # length of the name, APPNOTE 4.4.10
    with pytest.raises(UnusableError, match=r"no plain name|no sound zip archive"):
        read_archive(bytes(data))


def test_a_method_that_github_does_not_use_is_refused() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("origin.json", b"{}")
    with pytest.raises(UnusableError, match="by a method that GitHub does not use"):
        read_archive(data.getvalue())


def test_an_encrypted_entry_is_refused() -> None:
    data = bytearray(zipped({"a.json": b"x"}))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(UnusableError, match="is encrypted"):
        read_archive(bytes(data))


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"not a zip" * 100, zipped({"a": b"x"})[:-5], zipped({"a": b"x"}) + b"!"]
)
def test_what_is_no_archive_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(UnusableError, match="zip archive"):
        read_archive(data)


def test_a_damaged_entry_is_refused() -> None:
    data = bytearray(zipped({"a.json": bytes(range(256)) * 20}))
    data[60] ^= 0xFF
    with pytest.raises(UnusableError, match="no sound zip archive"):
        read_archive(bytes(data))
