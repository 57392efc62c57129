"""Notebooks; the rules are those of IPython: cell magics, line magics, what `!` lines take from Python."""

from __future__ import annotations

import json

from tests.unit.config.described import facts_of


def notebook(*cells: str, language: str = "python") -> str:
    """One line of JSON per cell, so that cell number n stands on line n + 1."""
    written = [json.dumps({"cell_type": "code", "source": cell}) for cell in cells]
    metadata = json.dumps({"kernelspec": {"language": language}})
    return '{"cells": [\n' + ",\n".join(written) + f'\n], "metadata": {metadata}}}'


def facts_without_columns(*cells: str, language: str = "python") -> list[str]:
    lines = facts_of("n.ipynb", notebook(*cells, language=language))
    return [f"{line.partition(':')[0]} {line.partition(' ')[2]}" for line in lines]


def test_shell_lines_see_the_names_of_earlier_cells() -> None:
    assert facts_without_columns(
        "soc = 'A'\nFMT = f'N{1}'",
        "!atc --s={soc} --f=$FMT --w=$HOME --u={hidden} \\\n   --c=1\nout = !atc --d=2\n"
        "if soc:\n    !atc --e=3",
        "!awk '{print $1}' x | atc --f={soc}",
    ) == [
        "3 atc --s=A --f=N1 --w=? --u=? --c=1",
        "3 atc --d=2",
        "3 atc --e=3",
        "4 atc --f={soc}",
    ]


def test_magics() -> None:
    assert facts_without_columns(
        "%env XLA_FLAGS=--a=1\n%env X=7\n!atc --x=$X\n%time !atc --t=1\n%pip install atc --no=1",
        "%%bash -s\natc --b=$1",
        "%%writefile x.sh\natc --no=1",
        "%%time\nimport os\nos.system('atc --c=3')",
    ) == ["2 XLA_FLAGS set --a=1", "2 atc --x=7", "2 atc --t=1", "3 atc --b=?", "5 atc --c=3"]


def test_text_in_long_strings_and_brackets_is_no_line() -> None:
    cell = 'x = """\n!atc --no=1\n"""\ny = [\n  "!atc --no=2",\n]\n!atc --a=1'
    assert facts_without_columns(cell) == ["2 atc --a=1"]


def test_other_languages_and_cells_that_are_not_python() -> None:
    assert facts_without_columns("atc --a=1", language="R") == []
    assert facts_without_columns("atc --a=1", language="bash") == ["2 atc --a=1"]
    assert facts_without_columns("atc is (not Python", "!atc --a=1") == ["2 note syntax-error", "3 atc --a=1"]


def test_a_notebook_that_is_no_json_is_incomplete() -> None:
    assert facts_of("n.ipynb", '{"cells": [atc') == ["1:12 note syntax-error"]
