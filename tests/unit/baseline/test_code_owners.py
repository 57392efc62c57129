"""CODEOWNERS as GitHub documents it; the examples are those forms of its page "About code owners"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.code_owners import code_owners
from perfgate.baseline.revision import open_repository
from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import UnusableError
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

BASELINE = "baselines/ascend-310p-like/net.json"


def owners(folder: Path, files: dict[str, str | bytes], path: str = BASELINE) -> tuple[str, ...]:
    repository = Repository(folder / "r")
    commit = repository.commit("one", files)
    with open_repository(repository.folder) as opened:
        return code_owners(TrustedTree(opened, commit, ""), path)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("* @all\n", ("@all",)),
        ("/baselines/ @org/perf @ada ada@example.org\n", ("@org/perf", "@ada", "ada@example.org")),
        ("baselines/ @perf\n", ("@perf",)),  # anywhere in the repository
        ("**/ascend-310p-like @perf\n", ("@perf",)),
        ("*.json @perf # who else\n", ("@perf",)),
        ("# * @nobody\n\n*.json @perf\n", ("@perf",)),
        ("* @all\n/baselines/ @perf\n", ("@perf",)),  # the last match wins, not the first
        ("/baselines/ @perf\n* @all\n", ("@all",)),
        ("/baselines/ @perf\n/baselines/ascend-310p-like\n", ()),  # a later pattern without owners
        ("/baselines/ @perf\n/baselines/ # @nobody\n", ()),
        ("/baselines/* @perf\n", ()),  # files of that folder, not those below it
        ("/Baselines/ @perf\n", ()),  # case counts
        ("/deploy/ @perf\n", ()),
        ("", ()),
    ],
)
def test_the_last_pattern_that_fits_names_the_owners(
    tmp_path: Path, text: str, found: tuple[str, ...]
) -> None:
    assert owners(tmp_path, {"CODEOWNERS": text}) == found


def test_the_first_place_of_three_is_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "docs/CODEOWNERS": "* @docs\n",
        "CODEOWNERS": "* @root\n",
        ".github/CODEOWNERS": "* @github\n",
    }
    assert owners(tmp_path / "a", files) == ("@github",)
    del files[".github/CODEOWNERS"]
    assert owners(tmp_path / "b", files) == ("@root",)
    del files["CODEOWNERS"]
    assert owners(tmp_path / "c", files) == ("@docs",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("* @perf\n!/baselines/ @x\n", "'!/baselines/' is nothing that GitHub takes"),
        ("/baselines/[ab]* @perf\n", "CODEOWNERS@"),
        ("\\#a @perf\n", "nothing that GitHub takes"),
        ("/base\\ lines/ @perf\n", "nothing that GitHub takes"),
        ("* @perf bob\n", "'bob' is nothing"),
        ("* @perf @\n", "'@' is nothing"),
        ("[Section]\n* @perf\n", "nothing that GitHub takes"),
    ],
)
def test_a_line_that_github_does_not_take_makes_the_file_worth_nothing(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(UnusableError, match="GitHub") as caught:
        owners(tmp_path, {"CODEOWNERS": text})
    assert words in str(caught.value)


def test_no_file_a_link_and_other_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="there is no such file"):
        owners(tmp_path / "a", {"x": "1"})
    with pytest.raises(UnusableError, match="not UTF-8"):
        owners(tmp_path / "b", {"CODEOWNERS": b"* @caf\xe9\n"})
    repository = Repository(tmp_path / "c")
    repository.write({"real": "* @perf\n"})
    (repository.folder / "CODEOWNERS").symlink_to("real")
    commit = repository.commit("a link")
    with open_repository(repository.folder) as opened, pytest.raises(UnusableError, match="a symlink"):
        code_owners(TrustedTree(opened, commit, ""), BASELINE)
