"""The worktree's code is measured, never the user's own (docs/KNOWN_FAILURES.md, 16)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from perfgate.bisection import launcher
from perfgate.bisection.launcher import SHADOWED, moved
from perfgate.bisection.surroundings import Surroundings

FAKE = """\
import perfgate
try:
    import product
except ImportError:
    product = perfgate
print(product.PLACE)
print(perfgate.__file__)
"""


def two_trees(folder: Path) -> tuple[Path, Path]:
    """The user's tree and a worktree, each with a package `product` and its own `perfgate`."""
    trees = (folder / "user", folder / "worktree")
    for tree in trees:
        for package in ("perfgate", "perfgate/cli", "lib/product"):
            (tree / package).mkdir(parents=True)
            (tree / package / "__init__.py").write_text(f"PLACE = {tree.name!r}\n")
        (tree / "perfgate" / "cli" / "main.py").write_text(FAKE)
    return trees


def launch(
    user: Path, tree: Path, *, path: str, script: Path = Path(launcher.__file__)
) -> subprocess.CompletedProcess[str]:
    surroundings = Surroundings(
        outer={"PATH": os.environ["PATH"], "PYTHONPATH": path},
        names=(),
        root=user,
        home=tree,
        temporary=tree,
        token="mark",  # noqa: S106 - no secret
    )
    return subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-P", str(script), str(user), str(tree)],
        cwd=tree,
        env=surroundings.of_launch(tree),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_package_on_the_users_path_is_taken_from_the_worktree(tmp_path: Path) -> None:
    user, tree = two_trees(tmp_path)
    done = launch(user, tree, path=f"{user}/lib")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["worktree", str(tree / "perfgate" / "__init__.py")]


def test_a_perfgate_that_is_itself_what_is_bisected_comes_from_the_worktree(tmp_path: Path) -> None:
    """The launcher lies in the user's tree, like the rest of an editable perfgate; all else must not."""
    user, tree = two_trees(tmp_path)
    own = user / "launcher.py"
    own.write_text(Path(launcher.__file__).read_text("utf-8"), encoding="utf-8")
    done = launch(user, tree, path=str(user), script=own)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == str(tree / "perfgate" / "__init__.py")


def test_code_of_the_users_tree_that_gets_in_all_the_same_is_refused(tmp_path: Path) -> None:
    user, tree = two_trees(tmp_path)
    sneaky = f"import sys\nsys.path.insert(0, {str(user / 'lib')!r})\nimport product\n"
    (tree / "perfgate" / "cli" / "main.py").write_text(sneaky)
    done = launch(user, tree, path="")
    assert done.returncode == SHADOWED
    assert f"code outside of the worktree was measured: {user}" in done.stderr


@pytest.mark.parametrize("name", ["numpy", "types", "click"])
def test_a_folder_of_the_worktree_shadows_nothing_that_perfgate_imports(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("raise SystemExit(99)\n")
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-P", launcher.__file__, "/nonexistent", str(tmp_path), "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "perfgate" in done.stdout


def test_paths_move_with_their_place_in_the_tree(tmp_path: Path) -> None:
    root = tmp_path / "user"
    (root / "src").mkdir(parents=True)
    assert moved(str(root / "src"), str(root), "/tree") == "/tree/src"
    assert moved(str(root), str(root), "/tree") == "/tree/."
    assert moved("/elsewhere/src", str(root), "/tree") == "/elsewhere/src"
    assert moved(f"{root}-other", str(root), "/tree") == f"{root}-other"
    assert moved(f"{sys.prefix}/lib", str(Path(sys.prefix).parent), "/tree") == f"{sys.prefix}/lib"


def test_tables_of_editable_installations_are_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    finder = type(sys)("__editable___product_finder")
    finder.MAPPING = {"product": str(tmp_path / "src" / "product"), "other": "/elsewhere"}  # type: ignore[attr-defined]  # a made-up module
    monkeypatch.setitem(sys.modules, finder.__name__, finder)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "src"), "/elsewhere"])
    launcher.move_paths(str(tmp_path), "/tree")
    assert finder.MAPPING == {"product": "/tree/src/product", "other": "/elsewhere"}
    assert sys.path == ["/tree/src", "/elsewhere"]
