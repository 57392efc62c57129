"""The reading of pages that are followed, on small pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.documentation.walkthrough import Step, first_missing, starts, steps

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """\
# Title

<!-- followed: after QUICKSTART.md -->

```sh deploy/run.sh
echo hello
```

```console exit=3
$ true
$ sh deploy/run.sh \\
>   --loud
hello
...
```

```yaml
not: a step
```
"""


def test_commands_outputs_and_files_are_read_in_order(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    assert list(steps(page)) == [
        Step(line=5, text="echo hello\n", path="deploy/run.sh"),
        Step(line=10, text="true"),
        Step(line=11, text="sh deploy/run.sh \\\n  --loud", shown=("hello", "..."), exit_code=3),
    ]
    assert starts(page) == "QUICKSTART.md"


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (("one  two", "three"), None),
        (("one …", "three"), None),
        (("...", "three"), None),
        (("one two", "..."), None),
        ((), None),  # nothing is shown
        (("three",), "three"),  # a line was left out without saying so
        (("one two",), "(the end of the output)"),
        (("one two", "four"), "four"),
        (("...", "three", "one two"), "one two"),  # the order counts
    ],
)
def test_a_shown_output_must_be_printed(shown: tuple[str, ...], missing: str | None) -> None:
    assert first_missing(shown, "one   two\nthree\n") == missing
