"""Random shell scripts whose commands have only constants in them, and a bash with a recording stand-in."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

BASH = shutil.which("bash")
# The stand-in appends the number of its arguments and the arguments, each ended by a zero byte.
_STAND_IN = """#!/bin/sh
printf '%s\\0' "$#" "$@" >> "$RECORD"
"""
_ARRAYS = (
    *('"${arr[@]}"', "${arr[@]}", '"${arr[*]}"', "${arr[*]}"),
    *('"--w=${arr[0]}"', '"${arr[@]}"tail', "$arr", '"pre${arr[@]}"'),
)
_EXPANSIONS = (
    *("$NAME", '"$NAME"', "${NAME}", "${NAME-}", "${NAME:+--set}"),
    *("${NAME:-d e}", '"${NAME:-d e}"', "${NAME:-'d e'}", '${NAME:-"d e" f}', '"${NAME:-\'d\' "e"}"'),
)
_DOUBLE = ("a b", "${one}", "${two}", "", "\\$one", '\\"', "\\x", "a\\\nb", "'", "\\`", "#")
_PIECES = {
    "single": ("a b", "$one", "", "x\ny", '"', "\\", "#c"),
    "double": _DOUBLE,
    "escape": (" ", "$", '"', "'", "\\", "a", ";", "#", "\n", "&"),
    "ansi": ("a\\tb", "\\x41", "\\'", "\\u00e9", "\\\\", "", "n\\n", "\\101"),
    "brace": ("{a,b}", "{1..3}", "{x}", "{,y}", "{a,{b,c}}", "{01..03}", "{c..a}", "{a,b", "a}", "{'a',b}"),
    "name": ("${one}", '"$two"', "${empty}", "${empty:-z}", "${one:+y}", "${one}${two}", "${list}"),
    "join": ("\\\n",),
    "odd": ("#x", "a#b", "a~", "=~", "=", "%", "^", "!", "]", "]x", "@"),
}
_AROUND = {"single": ("'", "'"), "double": ('"', '"'), "escape": ("\\", ""), "ansi": ("$'", "'")}
_ALL, _SECOND = '"$@"', '"$2"'
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

    def __init__(self, choose: Callable[[Sequence[str]], str]) -> None:
        self.choose = choose

    def pick(self, *options: str) -> str:
        """One of the options."""
        return self.choose(options)

    def count(self, most: int) -> int:
        """A number from 0 to `most`."""
        return int(self.choose(tuple(map(str, range(most + 1)))))

    def script(self) -> str:
        """Assignments and up to four commands."""
        lines = ["#!/bin/bash"]
        lines += [f"{name}={self.pick(*_VALUES[name])}" for name in ("empty", "one", "two", "list", "gap")]
        elements = " ".join(self.pick(*_ELEMENTS) for _ in range(self.count(4)))
        lines.append(f"arr=({elements})")
        lines += [self.statement() for _ in range(1 + self.count(3))]
        return "\n".join(lines) + "\n"

    def statement(self) -> str:
        """A command, plain or inside something that runs it once."""
        writers = (
            *(self.command,) * 4,
            self.evaluated,
            self.string,
            self.heredoc,
            self.conditional,
            self.appended,
            self.positional,
            self.grouped,
        )
        return writers[self.count(len(writers) - 1)]()

    def evaluated(self) -> str:
        """`eval` of text in double quotes."""
        return 'eval "trtexec ' + " ".join(self.nested_word() for _ in range(self.count(3))) + '"'

    def string(self) -> str:
        """A command kept in a variable."""
        return f'cmd="trtexec {self.plain_text()} --z=$one"\n$cmd ' + self.words(2)

    def heredoc(self) -> str:
        """A shell that reads its commands from a heredoc."""
        quote = self.pick("", "'")
        return f"bash <<{quote}E{quote}\ntrtexec {self.pick('--a=1', '--b=c d', '--c=x')} # note\nE"

    def conditional(self) -> str:
        """A branch that is always taken."""
        return f"if true; then\n\t{self.command()}\nfi"

    def appended(self) -> str:
        """A string and an array that grow."""
        grown = self.pick("' --i'", "' --j=1'", "k", '" $one"')
        return f"list+={grown}\narr+=({self.pick(*_ELEMENTS)})\n{self.command()}"

    def positional(self) -> str:
        """Arguments given by `set --`."""
        return f"set -- {self.words(3)}\ntrtexec --x {self.pick(_ALL, '$1', _SECOND, '$*')}"

    def grouped(self) -> str:
        """A command in a subshell, a group, a pipe or a chain."""
        form = self.pick("( {} )", "{{ {}; }}", ": | {}", "true && {}", "false || {}")
        return form.format(self.command())

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
            return self.pick(*_ARRAYS)
        if kind == "expansion":
            return self.pick(*_EXPANSIONS).replace("NAME", self.pick(*_NAMES))
        if kind == "text":
            return self.pieces()
        return f"{self.pick('--', '-', chr(34) + '--' + chr(34))}f{self.pick('', '=', '=')}{self.pieces()}"

    def pieces(self) -> str:
        """Touching pieces of one word."""
        return "".join(self.piece() for _ in range(1 + self.count(2)))

    def piece(self) -> str:
        """A quoted, escaped or expanded piece."""
        kind = self.pick("safe", "safe", *_PIECES)
        if kind == "safe":
            return "".join(self.pick(*_SAFE) for _ in range(1 + self.count(3)))
        start, end = _AROUND.get(kind, ("", ""))
        return f"{start}{self.pick(*_PIECES[kind])}{end}"

    def nested_word(self) -> str:
        """A word inside double quotes that eval reads again."""
        return self.pick(
            "--a=1", "--b='c d'", '--c=\\"e f\\"', "--d=$one", "--e=\\$one", "'--f'", "--g=\\\\ h", "x"
        )

    def plain_text(self) -> str:
        """Text that is split and not unquoted."""
        return self.pick("--a", "--b=1 --c", "--d='x", "  --e=2  ", "--f=$two")


def random_script(seed: int) -> str:
    """The script that a seed stands for."""
    chance = random.Random(seed)  # noqa: S311 - test data
    return Grammar(lambda options: options[chance.randrange(len(options))]).script()


def recorded(script: str, folder: Path) -> list[list[str]] | None:
    """The argument lists that bash hands to the stand-in, in order; None if bash refuses the script."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    stand_in = programs / "trtexec"
    if not stand_in.exists():
        stand_in.write_text(_STAND_IN)
        stand_in.chmod(0o755)
    record = folder / "record"
    record.write_text("")
    file = folder / "script.sh"
    file.write_text(script)
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "RECORD": str(record), "LC_ALL": "C.UTF-8"}
    # The script is made by this module and runs only the stand-in.
    done = subprocess.run(  # noqa: S603 - see above
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
    words = record.read_text().split("\0")[:-1]
    calls = []
    while words:
        count = int(words[0])
        calls.append(words[1 : count + 1])
        del words[: count + 1]
    return calls
