"""Long git histories written by one `git fast-import`, so that hundreds of commits cost milliseconds."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.repositories import Repository, clean_environment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FIRST_SECOND = 1_750_000_000


@dataclass(slots=True)
class History:
    """A stream for `git fast-import`; a mark stands for a commit until it is imported."""

    parts: list[bytes] = field(default_factory=list)
    marks: int = 0

    def commit(  # noqa: PLR0913 - a commit has that many parts
        self,
        message: str | bytes,
        files: Mapping[str, str | bytes | None] | None = None,
        *,
        parents: tuple[int, ...] | None = None,
        branch: str = "main",
        renames: Mapping[str, str] | None = None,
        links: Mapping[str, str] | None = None,
    ) -> int:
        """Add a commit; a file that is None is deleted. Without `parents` it follows the branch's last."""
        self.marks += 1
        text = message if isinstance(message, bytes) else message.encode()
        when = f"Ada <ada@example.org> {_FIRST_SECOND + self.marks} +0000".encode()
        out = [b"commit refs/heads/%s\nmark :%d\n" % (branch.encode(), self.marks)]
        out.append(b"author " + when + b"\ncommitter " + when + b"\n")
        out.append(b"data %d\n" % len(text) + text + b"\n")
        for place, parent in enumerate(parents or ()):
            out.append((b"from" if place == 0 else b"merge") + b" :%d\n" % parent)
        for old, new in (renames or {}).items():
            out.append(f'R "{old}" "{new}"\n'.encode())
        for path, target in (links or {}).items():
            out.append(f"M 120000 inline {path}\ndata {len(target)}\n{target}\n".encode())
        for path, content in (files or {}).items():
            name = path.encode("utf-8", "surrogateescape")
            if content is None:
                out.append(b"D %s\n" % name)
                continue
            data = content if isinstance(content, bytes) else content.encode()
            mode = b"100755" if path.endswith(".sh") else b"100644"
            out.append(b"M %s inline %s\ndata %d\n" % (mode, name, len(data)) + data + b"\n")
        self.parts.append(b"".join(out))
        return self.marks

    def write(self, folder: Path) -> tuple[Repository, dict[int, str]]:
        """A repository with this history checked out, and the id of each mark."""
        repository = Repository(folder)
        marks = folder / ".git" / "imported-marks"
        subprocess.run(  # noqa: S603 - a fixed program
            ["git", "fast-import", "--quiet", f"--export-marks={marks}"],  # noqa: S607 - the git of the machine
            cwd=folder,
            env=clean_environment(),
            input=b"".join(self.parts),
            check=True,
        )
        rows = [line.split() for line in marks.read_text("ascii").splitlines()]
        marks.unlink()
        repository.git("reset", "-q", "--hard", "main")
        return repository, {int(mark[1:]): commit for mark, commit in rows}
