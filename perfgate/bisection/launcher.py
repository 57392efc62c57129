"""Run as a script: `perfgate record` in a worktree, with the worktree's code and never the user's own.

    python -P launcher.py USER_ROOT WORKTREE ARGUMENTS...

A package that is installed editable from the user's tree, or that the working directory shadows, would be
measured at every commit alike and hide the culprit. So paths below the user's tree are moved into the
worktree before anything is imported, and afterwards it is asserted that no module came from the user's tree.
Nothing but the standard library is imported before that.
"""

from __future__ import annotations

import os
import runpy
import sys

SHADOWED = 97  # exit code: code of the user's tree was measured
_FINDER = "__editable__"  # how setuptools names the modules that map editable packages


def main(arguments: list[str]) -> int:
    """Move the paths, run the command, then look where the code came from."""
    root, tree, *rest = arguments
    move_paths(root, tree)
    sys.argv = ["perfgate", *rest]
    code = 0
    try:
        runpy.run_module("perfgate.cli.main", run_name="__main__", alter_sys=True)
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    wrong = foreign_modules(root)
    if wrong:
        sys.stderr.write(f"\ncode outside of the worktree was measured: {wrong[0]}\n")
        return SHADOWED
    return code


def moved(path: str, root: str, tree: str) -> str:
    """A path below the user's tree as the same path below the worktree; others as they are.

    The interpreter's own folder stays where it is, also when it lies in the user's tree as `.venv`.
    """
    if not _is_below(path, root) or _is_below(path, sys.prefix):
        return path
    return os.path.join(tree, os.path.relpath(os.path.realpath(path), os.path.realpath(root)))  # noqa: PTH118 - texts


def move_paths(root: str, tree: str) -> None:
    """In the search path, and in the tables of editable installations."""
    sys.path[:] = [moved(path, root, tree) if path else path for path in sys.path]
    for name, module in list(sys.modules.items()):
        table = getattr(module, "MAPPING", None) if name.startswith(_FINDER) else None
        if isinstance(table, dict):
            table.update({package: moved(path, root, tree) for package, path in table.items()})


def foreign_modules(root: str) -> list[str]:
    """Files of loaded modules that lie in the user's tree, apart from this script that starts them."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())} - {__file__}
    return sorted(
        file
        for file in files
        if isinstance(file, str) and _is_below(file, root) and not _is_below(file, sys.prefix)
    )


def _is_below(path: str, folder: str) -> bool:
    real, base = os.path.realpath(path), os.path.realpath(folder)
    return real == base or real.startswith(base.rstrip(os.sep) + os.sep)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
