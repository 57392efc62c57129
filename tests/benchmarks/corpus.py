"""The commands corpus: what the readers say against the written answers, by reader and by trap.

    python -m tests.benchmarks.corpus [DIR]

DIR holds `expected.json` and `files/`; without it the corpus of the test data is used.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfgate.config.read import read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.config.facts import Command, EnvSetting, FileFacts, Flag, Key, Value

DEFAULT = Path(__file__).parents[1] / "data" / "commands"
Answer = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One file: how many answers were right, and each missing (`-`) or false (`+`) one as text."""

    name: str
    right: int
    wrong: tuple[str, ...]


def wanted_answers(wanted: dict[str, Any], *, notes: bool = True) -> Counter[Answer]:
    """The answers of one entry of `expected.json`."""
    answers: list[Answer] = [
        ("command", item["program"], item["line"], item["column"], item["open"], _wanted_flags(item["flags"]))
        for item in wanted["commands"]
    ]
    for item in wanted["env"]:
        value = None if "flags" in item else item["value"]
        place = (item["line"], item["column"])
        answers.append(("env", item["name"], item["op"], *place, _wanted_flags(item.get("flags", [])), value))
    fields = ("path", "type", "value", "line", "column")
    answers.extend(("key", *(item[field] for field in fields)) for item in wanted["keys"])
    if notes:
        answers.extend(("note", item["code"], item["line"]) for item in wanted["notes"])
    answers.append(("incomplete", wanted["incomplete"]))
    return Counter(answers)


def _wanted_flags(flags: Iterable[dict[str, Any]]) -> Answer:
    return tuple(
        (
            flag["name"],
            flag["value"],
            tuple(flag.get("parts", ())),
            frozenset(flag.get("candidates", ())),
            flag["line"],
            flag["column"],
            flag["certainty"],
            flag.get("overridden", False),
        )
        for flag in flags
    )


def found_answers(facts: FileFacts, *, notes: bool = True) -> Counter[Answer]:
    """The answers that the facts of one file give."""
    answers = [_command(item) for item in facts.commands]
    answers.extend(_setting(item) for item in facts.env)
    answers.extend(_key(item) for item in facts.keys)
    if notes:
        answers.extend(("note", item.code, item.span.line) for item in facts.notes)
    answers.append(("incomplete", facts.incomplete))
    return Counter(answers)


def _command(item: Command) -> Answer:
    place = (item.program_span.line, item.program_span.column)
    return ("command", item.program, *place, item.open, tuple(map(_flag, item.flags)))


def _setting(item: EnvSetting) -> Answer:
    value = item.value.text if item.value is not None else None
    flags = tuple(map(_flag, item.flags))
    return ("env", item.name, item.operation.value, item.span.line, item.span.column, flags, value)


def _key(item: Key) -> Answer:
    return ("key", item.path, item.type, item.text, item.span.line, item.span.column)


def _flag(flag: Flag) -> Answer:
    return (
        flag.name,
        flag.value.text,
        _parts(flag.value),
        frozenset(flag.value.candidates),
        flag.span.line,
        flag.span.column,
        flag.certainty.value,
        flag.overridden,
    )


def _parts(value: Value) -> Answer:
    if value.text is not None or value.candidates:
        return ()
    return tuple(piece.text for piece in value.pieces or ())


def compare(folder: Path, name: str, wanted: dict[str, Any], data: bytes | None = None) -> Result:
    """One file of the corpus; `data` instead of its bytes compares a variant of it, without notes."""
    raw = (folder / "files" / name).read_bytes() if data is None else data
    answers = found_answers(read(name, raw), notes=data is None)
    expected = wanted_answers(wanted, notes=data is None)
    missing = [f"- {item}" for item in (expected - answers)]
    false = [f"+ {item}" for item in (answers - expected)]
    return Result(name=name, right=sum((expected & answers).values()), wrong=(*missing, *false))


def load(folder: Path) -> dict[str, Any]:
    """The answers of a corpus by file name."""
    answers: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return answers


def main(arguments: list[str]) -> int:
    """Print the table; 1 if an answer is wrong."""
    folder = Path(arguments[0]) if arguments else DEFAULT
    wanted = load(folder)
    results = [compare(folder, name, entry) for name, entry in wanted.items()]
    traps: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    lines = []
    for result in results:
        lines.append(f"{result.name}: {result.right} right, {len(result.wrong)} wrong")
        lines.extend(f"    {text}" for text in result.wrong)
        traps.update(wanted[result.name]["traps"])
        failed.update(wanted[result.name]["traps"] if result.wrong else ())
    lines.append("by trap (files right of files):")
    lines.extend(f"    {trap}: {traps[trap] - failed[trap]} of {traps[trap]}" for trap in sorted(traps))
    right = sum(not result.wrong for result in results)
    lines.append(f"{right} of {len(results)} files right")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if right == len(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
