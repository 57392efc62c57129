"""The environment of everything that runs at an old commit: an allow-list, an empty home, no tokens."""

from __future__ import annotations

import os
import secrets
import site
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.bisection.launcher import moved
from perfgate.bisection.owner import RUN_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT")
_LARGEST_PADDING = 4096  # bytes; the size of the environment moves the stack, and with it some timings
_LARGEST_HASH_SEED = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What children see. `names` are variables that the user lets through; `root` is the user's tree."""

    outer: Mapping[str, str]
    names: tuple[str, ...]
    root: Path
    home: Path
    temporary: Path
    token: str

    def of_setup(self) -> dict[str, str]:
        """For a set-up command."""
        kept = {name: self.outer[name] for name in (*KEPT, *self.names) if name in self.outer}
        return {
            **kept,
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PYTHONDONTWRITEBYTECODE": "1",  # an editable perfgate would write into somebody's tree
            RUN_VARIABLE: self.token,
        }

    def of_launch(self, tree: Path) -> dict[str, str]:
        """For a launch: the worktree's code first, another hash seed and another size than the last one's."""
        paths = [moved(path, str(self.root), str(tree)) for path in sys.path if path]
        ours = [path for path in paths if path.startswith(f"{tree}{os.sep}") or path == str(tree)]
        own = [
            str(folder) for folder in (tree / "src", tree) if (folder / "perfgate" / "__init__.py").is_file()
        ]
        given = self.outer.get("PYTHONPATH", "").split(os.pathsep)
        kept = [moved(path, str(self.root), str(tree)) for path in given if path]
        launch = {
            "PYTHONHASHSEED": str(secrets.randbelow(_LARGEST_HASH_SEED)),
            "PERFGATE_BISECT_PADDING": "x" * secrets.randbelow(_LARGEST_PADDING),
            "PYTHONUSERBASE": site.getuserbase(),  # the home is another one, the installation is not
        }
        search = list(dict.fromkeys([*own, *ours, *kept]))
        return {**self.of_setup(), **launch, **({"PYTHONPATH": os.pathsep.join(search)} if search else {})}
