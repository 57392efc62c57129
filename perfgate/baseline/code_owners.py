"""Whom GitHub asks to review a file, by the CODEOWNERS file of a commit.

The rules are those of GitHub's page "About code owners". Where that page says that a form does not work, the
whole file is refused here: nothing may be accepted because a line was read otherwise than GitHub reads it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError

if TYPE_CHECKING:
    from perfgate.baseline.trusted import TrustedTree

LOCATIONS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # GitHub takes the first that is there
_OWNER = re.compile(r"@[\w.-]+(?:/[\w.-]+)?|[^\s@]+@[^\s@]+\.[^\s@]+")
_NO_PATTERN = re.compile(r"^!|[\[\]]|^\\#")  # negation, ranges, an escaped `#`: none works on GitHub


def code_owners(trusted: TrustedTree, path: str) -> tuple[str, ...]:
    """The owners of a path of the repository; the last pattern that fits decides, and it may name nobody.

    `trusted` reads from the top of the repository, where GitHub looks for the file.

    Raises:
        UnusableError: there is no such file, it may not be read, or a line of it is none that GitHub takes.
    """
    from codeowners import CodeOwners  # noqa: PLC0415 - only where a policy lets code owners accept

    for place in LOCATIONS:
        data = trusted.read(place)
        if data is not None:
            owners = CodeOwners(_checked(data, f"{place}@{trusted.commit[:7]}"))
            return tuple(name for _, name in owners.of(path))
    where = f"{' or '.join(LOCATIONS)}@{trusted.commit[:7]}"
    raise UnusableError("there is no such file", where, "add it to the base branch")


def _checked(data: bytes, where: str) -> str:
    """The lines without comments, all of a form that GitHub takes.

    Raises:
        UnusableError: with the line that is not.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UnusableError("not UTF-8", where, "save it as UTF-8") from None
    lines = []
    for number, line in enumerate(text.split("\n"), start=1):
        words = re.split(r"(?:^|(?<=\s))#", line.replace("\r", " "), maxsplit=1)[0].split()
        pattern, owners = words[:1], words[1:]
        wrong = [word for word in pattern if _NO_PATTERN.search(word) or "\\" in word]
        wrong += [word for word in owners if not _OWNER.fullmatch(word)]
        if wrong:
            remedy = "mend the line; perfgate relies on files only whose every line GitHub takes"
            raise UnusableError(f"{wrong[0]!r} is nothing that GitHub takes", f"{where}:{number}", remedy)
        lines.append(" ".join(words))
    return "\n".join(lines)
