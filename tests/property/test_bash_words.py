"""Words as bash hands them to a program: random scripts run by bash itself with a recording stand-in."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfgate.config.bash.command_reading import CommandReader
from perfgate.config.read import read
from perfgate.config.spans import Source
from tests.property.shell_grammar import BASH, random_script, recorded

if TYPE_CHECKING:
    from perfgate.config.facts import Command, Flag

SCRIPTS = 100  # with about two and a half commands each; `python -m tests.benchmarks.bash_words` runs more
CORPUS = Path(__file__).parents[1] / "data" / "commands" / "files"


def _flag(flag: Flag) -> str:
    return flag.name if flag.value.is_bare else f"{flag.name}={flag.value.text}"


def read_arguments(command: Command) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The flags and the other words of a command, each in sorted order; a dash alone is no flag."""
    flags = sorted(map(_flag, command.flags))
    return tuple(flags), tuple(sorted(str(item.value.text) for item in command.positionals))


def given_arguments(words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same of an argument list that bash made."""
    is_flag = {word: word.startswith("-") and word not in {"-", "--"} for word in words}
    flags = tuple(sorted(word for word in words if is_flag[word]))
    return flags, tuple(sorted(word for word in words if not is_flag[word]))


def disagreement(script: str, folder: Path) -> str:
    """Empty if bash and the reader agree on every command of a script, or bash refuses it."""
    wanted = recorded(script, folder)
    if wanted is None:
        return ""
    want = Counter(map(given_arguments, wanted))
    have = Counter(map(read_arguments, read("s.sh", script.encode()).commands))
    return "" if want == have else f"bash: {want - have}\nread: {have - want}\n{script}"


@pytest.mark.skipif(BASH is None, reason="needs bash to compare with")
@settings(max_examples=SCRIPTS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_the_reader_finds_the_words_that_bash_hands_over(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert disagreement(random_script(seed), Path(folder)) == ""


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_mutated_scripts_never_raise_and_give_the_same_facts_twice(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(path.name for path in CORPUS.glob("*.sh"))))
    raw = bytearray((CORPUS / name).read_bytes())
    for _ in range(data.draw(st.integers(min_value=1, max_value=8))):
        index = data.draw(st.integers(min_value=0, max_value=len(raw) - 1))
        piece = data.draw(
            st.sampled_from([b"'", b'"', b"`", b"$(", b"${", b")", b"}", b"\\", b"\n", b"<<E", b"\xff"])
        )
        raw[index : index + data.draw(st.integers(min_value=0, max_value=3))] = piece
    assert read(name, bytes(raw)) == read(name, bytes(raw))


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="ab$'\"\\`{}()<>;&|# \n=,[]!*@:-", max_size=60))
def test_any_text_is_read_to_its_end_or_said_to_be_broken(text: str) -> None:
    placed = Source(path="s.sh", text=text).whole()
    script = CommandReader(placed).read_script()
    assert script.broken is None or 0 <= script.broken.place.offset(0) <= len(text)
