"""Random shell scripts whose commands have only constants in them, and a bash with a recording stand-in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Item = TypeVar("Item")
Choose = "Callable[[Sequence[Item]], Item]"

BASH = shutil.which("bash")
# The stand-in writes its arguments as one JSON line; a program of C speed would be no quicker to start.
_STAND_IN = """#!{python} -SE
import json, os, sys
with open(os.environ["RECORD"], "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
"""
_SAFE = "abz09._/:,+@%-"
_NAMES = ("one", "two", "list", "gap", "empty")
_VALUES = {
    "one": ("x1", "'x 1'", '"q\\"r"', "a\\ b", "$'t\\tz'", "v.onnx"),
    "two": ("$one", "pre$one", '"$one-$one"', "${one}s", "'$one'", '"a  b"'),
    "list": ("'--a --b=1'", '"--c=2   --d"', "'  --e  '", "--f", '"--g=$one"', "'--h=*x*'"),
    "gap": ("' '", "''", '"  "', "$empty", '"$empty"'),
    "empty": ("", "''", '""'),
}
_ELEMENTS = ("--m", "'--n=1 2'", "--p=$one", '"--q=$two"', "$list", "x", "''", "{--r,--s}=1", '"${one}z"')


class Grammar:
    """Writes scripts with the choices it is given."""

    def __init__(self, choose: Choose) -> None:  # type: ignore[valid-type] - a string alias of a generic
        self.choose: Callable[[Sequence[object]], object] = choose

    def pick(self, *options: str) -> str:
        """One of the options."""
        return str(self.choose(options))

    def count(self, most: int) -> int:
        """A number from 0 to `most`."""
        return int(str(self.choose(tuple(range(most + 1)))))

    def script(self) -> str:
        """Assignments and up to four commands."""
        lines = ["#!/bin/bash"]
        lines += [f"{name}={self.pick(*_VALUES[name])}" for name in ("empty", "one", "two", "list", "gap")]
        elements = " ".join(self.pick(*_ELEMENTS) for _ in range(self.count(4)))
        lines.append(f"arr=({elements})")
        for _ in range(1 + self.count(3)):
            lines.append(self.statement())
        return "\n".join(lines) + "\n"

    def statement(self) -> str:
        """A command, plain or inside something that runs it once."""
        kind = self.pick(
            "plain", "plain", "plain", "eval", "string", "heredoc", "if", "append", "positional", "sub"
        )
        if kind == "eval":
            return 'eval "trtexec ' + " ".join(self.nested_word() for _ in range(self.count(3))) + '"'
        if kind == "string":
            return f'cmd="trtexec {self.plain_text()} --z=$one"\n$cmd ' + self.words(2)
        if kind == "heredoc":
            quote = self.pick("", "'")
            return f"bash <<{quote}E{quote}\ntrtexec {self.pick('--a=1', '--b=c d', '--c=x')} # note\nE"
        if kind == "if":
            return f"if true; then\n\t{self.command()}\nfi"
        if kind == "append":
            return (
                f"list+={self.pick(' --i', chr(39) + ' --j=1' + chr(39), 'k')}\narr+=({self.pick(*_ELEMENTS)})\n"
                + self.command()
            )
        if kind == "positional":
            return f"set -- {self.words(3)}\ntrtexec --x {self.pick(chr(34) + '$@' + chr(34), '$1', chr(34) + '$2' + chr(34), '$*')}"
        if kind == "sub":
            return self.pick("( {} )", "{{ {}; }}", ": | {}", "true && {}", "false || {}").format(
                self.command()
            )
        return self.command()

    def command(self) -> str:
        """One call with words, redirections in between, and line joins."""
        parts = ["trtexec"]
        for _ in range(self.count(5)):
            parts.append(self.word())
            if self.count(9) == 9:
                parts.append(self.pick(">/dev/null", "2>&1", "2>/dev/null", "</dev/null", "&>/dev/null"))
        gap = self.pick(" ", " ", "  ", " \\\n  ", "\t")
        tail = self.pick("", "", "", " # --not", ";", " >/dev/null", " &\nwait")
        return gap.join(parts) + tail

    def words(self, most: int) -> str:
        """Up to `most` words."""
        return " ".join(self.word() for _ in range(self.count(most)))

    def word(self) -> str:
        """One word: a flag with a value made of pieces, an array, an expansion, or text."""
        kind = self.pick("flag", "flag", "flag", "array", "expansion", "text")
        if kind == "array":
            return self.pick(
                '"${arr[@]}"', "${arr[@]}", '"${arr[*]}"', '"--w=${arr[0]}"', '"${arr[@]}"tail', "$arr"
            )
        if kind == "expansion":
            name = self.pick(*_NAMES)
            return self.pick(
                f"${name}",
                f'"${name}"',
                f"${{{name}}}",
                f"${{{name}:-d e}}",
                f'"${{{name}:-d e}}"',
                f"${{{name}:+--set}}",
                f"${{{name}-}}",
            )
        if kind == "text":
            return self.pieces()
        return f"{self.pick('--', '-', chr(34) + '--' + chr(34))}f{self.pick('', '=', '=')}{self.pieces()}"

    def pieces(self) -> str:
        """Touching pieces of one word."""
        return "".join(self.piece() for _ in range(1 + self.count(2)))

    def piece(self) -> str:
        """A quoted, escaped or expanded piece."""
        kind = self.pick("safe", "safe", "single", "double", "escape", "ansi", "brace", "name", "join", "odd")
        if kind == "single":
            return "'" + self.pick("a b", "$one", "", "x\ny", '"', "\\", "#c") + "'"
        if kind == "double":
            return (
                '"'
                + self.pick(
                    "a b", "${one}", "${two}", "", "\\$one", '\\"', "\\x", "a\\\nb", "'", "`", "#"
                ).replace("`", "\\`")
                + '"'
            )
        if kind == "escape":
            return "\\" + self.pick(" ", "$", '"', "'", "\\", "a", ";", "#", "\n", "&")
        if kind == "ansi":
            return "$'" + self.pick("a\\tb", "\\x41", "\\'", "\\u00e9", "\\\\", "", "n\\n", "\\101") + "'"
        if kind == "brace":
            return self.pick(
                "{a,b}", "{1..3}", "{x}", "{,y}", "{a,{b,c}}", "{01..03}", "{c..a}", "{a,b", "a}", "{'a',b}"
            )
        if kind == "name":
            return self.pick(
                "${one}", '"$two"', "${empty}", "${empty:-z}", "${one:+y}", "${one}${two}", "${list}"
            )
        if kind == "join":
            return "\\\n"
        if kind == "odd":
            return self.pick("#x", "a#b", "a~", "~=", "=", "%", "^", "!", "]", "]x", "@")
        return "".join(self.pick(*_SAFE) for _ in range(1 + self.count(3)))

    def nested_word(self) -> str:
        """A word inside double quotes that eval reads again."""
        return self.pick(
            "--a=1", "--b='c d'", '--c=\\"e f\\"', "--d=$one", "--e=\\$one", "'--f'", "--g=\\\\ h", "x"
        )

    def plain_text(self) -> str:
        """Text that is split and not unquoted."""
        return self.pick("--a", "--b=1 --c", "--d='x", "  --e=2  ", "--f=$two")


def recorded(script: str, folder: Path) -> list[list[str]] | None:
    """The argument lists that bash hands to the stand-in, in order; None if bash refuses the script."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    stand_in = programs / "trtexec"
    if not stand_in.exists():
        stand_in.write_text(_STAND_IN.format(python=sys.executable))
        stand_in.chmod(0o755)
    record = folder / "record"
    record.write_text("")
    file = folder / "script.sh"
    file.write_text(script)
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "RECORD": str(record), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [str(BASH), str(file)],
        cwd=empty,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    if b"syntax error" in done.stderr or b"unexpected EOF" in done.stderr:
        return None
    return [json.loads(line) for line in record.read_text().splitlines()]
