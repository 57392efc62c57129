"""What shell scripts say: values through variables, branches, loops and functions.

Each expectation was checked by running the script with a recording stand-in where a run can show it; the rest
follows from GUARDRAILS 3.1 and is reasoned in the line.
"""

from __future__ import annotations

import pytest

from perfgate.config.branches import covers_every_branch
from perfgate.config.shell import read_shell, read_words
from perfgate.config.spans import Source
from perfgate.config.words import Atom, Word, known_word
from tests.unit.config.shown import commands, facts, notes, settings, shown_command

VALUES = {
    "the last assignment before the use counts": (
        "n=1\natc --a=$n\nn=2\natc --a=$n",
        ["atc --a=1", "atc --a=2"],
    ),
    "a subshell's assignment ends with it": ("n=1; (n=2); atc --a=$n", ["atc --a=1"]),
    "a pipe's assignment ends with it": ("n=1; echo | n=2; atc --a=$n", ["atc --a=1"]),
    "a background assignment is lost": ("n=1; n=2 & atc --a=$n", ["atc --a=1"]),
    "a group's assignment stays": ("{ n=2; }; atc --a=$n", ["atc --a=2"]),
    "an unassigned name is unknown": ("atc --a=x$NOPE", ["atc --a=x?"]),
    "an unset name is empty": ("n=1; unset n; atc --a=x$n", ["atc --a=x"]),
    "arguments are unknown": ("atc --a=$1 --b=${2}x", ["atc --a=? --b=?x"]),
    "a result is unknown": ("atc --a=$(pwd) --b=`pwd`/x --c=$((1+1))", ["atc --a=? --b=?/x --c=?"]),
    "a cut text is unknown": ("m=a.onnx; atc --a=${m%.onnx}.om", ["atc --a=?.om"]),
    "an indirect name is followed": ("a=b; b=c; atc --x=${!a}", ["atc --x=c"]),
    "a name read from input is unknown": ("read -r n; atc --a=$n", ["atc --a=?"]),
    "a default is replaceable": ("atc --a=${X:-d} --b=${Y-e}", ["atc --a=d:d --b=e:d"]),
    "an assigned default is replaceable": (': "${X:=d}"; atc --a=$X', ["atc --a=d:d"]),
    "a default of a name the file sets is not used": ("X=1; atc --a=${X:-d}", ["atc --a=1"]),
    "a default of an empty name is used": ("X=; atc --a=${X:-d} --b=${X-d}", ["atc --a=d --b="]),
    "an empty test gives a default": ('if [ -z "$X" ]; then X=d; fi; atc --a=$X', ["atc --a=d:d"]),
    "an empty test in a chain gives a default": ('[ -n "${X:-}" ] || X=d; atc --a=$X', ["atc --a=d:d"]),
    "a declared name is followed": ("readonly A=1; declare -r B=$A; atc --a=$B", ["atc --a=1"]),
    "another field separator counts": ("IFS=,; o=--a,--b; trtexec $o", ["trtexec --a --b"]),
    "a home folder is unknown": ("trtexec ~/x --a=~/y", ["trtexec --a=~/y"]),
    "arguments set by the script are known": ('set -- --a --b=1; trtexec $1 "$@"', ["trtexec --a --a --b=1"]),
    "shifted arguments move": ("set -- --a --b; shift; trtexec $1", ["trtexec --b"]),
    "an appended text is longer": ("o=--a; o+=' --b'; trtexec $o", ["trtexec --a --b"]),
    "an appended array is longer": (
        'o=(--a); o+=(--b "--c d"); trtexec "${o[@]}"',
        ["trtexec --a --b --c d"],
    ),
    "an array is joined by a star": ('o=(--a --b); trtexec "${o[*]}"', ["trtexec --a --b"]),
    "an element is chosen": ("o=(x y); trtexec --a=${o[1]} --b=$o", ["trtexec --a=y --b=x"]),
    "a key is chosen": ("declare -A o=([a]=x [b]=y); k=b; trtexec --a=${o[$k]}", ["trtexec --a=y"]),
    "an unknown key hides the text": ("declare -A o=([a]=x); trtexec --a=${o[$1]}", ["trtexec --a=?"]),
    "a slice of an array": ('o=(--a --b --c); trtexec "${o[@]:1}" "${o[@]:0:1}"', ["trtexec --b --c --a"]),
    "a slice of the arguments": ('set -- x --a --b; trtexec "${@:2}"', ["trtexec --a --b"]),
    "a counter is unknown after it counts": ("n=1; ((n++)); atc --a=$n", ["atc --a=?"]),
    "so is one in let and in an expression": ("n=1; let n+=1; m=1; : $((m=2)); atc --a=$n$m", ["atc --a=?"]),
    "a path that was looked up names its program": ("T=$(which trtexec); $T --a", ["trtexec --a"]),
    "a command in a heredoc of cat": ('c=$(cat <<E\natc --a=1\nE\n); eval "$c"', ["atc --a=1"]),
    "a command read from a heredoc": ("read -r -d '' c <<E\natc --a=1\nE\neval \"$c\"", ["atc --a=1"]),
    "lines read into an array open the command": (
        'mapfile -t o <f; trtexec --a "${o[@]}"',
        ["trtexec --a ..."],
    ),
}
BRANCHES = {
    "all arms give candidates": (
        "if a; then x=1; elif b; then x=2; else x=3; fi; atc --a=$x",
        ["atc --a={1|2|3}"],
    ),
    "an arm that exits gives none": (
        "case $1 in a) x=1;; b) x=2;; *) exit 1;; esac; atc --a=$x",
        ["atc --a={1|2}"],
    ),
    "one living arm is certain": ("if a; then x=1; else exit 1; fi; atc --a=$x", ["atc --a=1"]),
    "a function that exits ends its arm": (
        "die() { echo; exit 1; }; if a; then x=1; else die; fi; atc --a=$x",
        ["atc --a=1"],
    ),
    "the earlier text is a candidate": ("x=0; if a; then x=1; fi; atc --a=$x", ["atc --a={1|0}"]),
    "either side of a chain": ("a && x=1 || x=2; atc --a=$x", ["atc --a={1|2}"]),
    "an optional flag": ('o=--a; a && o="$o --b"; trtexec $o', ["trtexec --a ~--b"]),
    "an optional element": ("o=(--a); a || o+=(--b); trtexec ${o[@]}", ["trtexec --a ~--b"]),
    "arguments that grow in a branch": (
        'set -- --a; a && set -- "$@" --b; trtexec "$@"',
        ["trtexec --a ~--b"],
    ),
    "two names of one decision vary together": (
        "case $1 in a) x=1 y=1;; *) x=2 y=2;; esac; atc --a=$x$y",
        ["atc --a={11|22}"],
    ),
    "one name twice varies together": ("for x in 1 2; do atc --a=$x$x; done", ["atc --a={11|22}"]),
    "two decisions vary apart": (
        "x=1; a && x=2; y=1; b && y=2; atc --a=$x$y",
        ["atc --a={22|21|12|11}"],
    ),
    "equal texts of two arms are one": ("if a; then x=1; else x=1; fi; atc --a=$x", ["atc --a=1"]),
    "a branch never taken is not read": ("if false; then atc --a; fi; true || atc --b", []),
    "after exit nothing is read": ("atc --a\nexit 0\natc --b", ["atc --a"]),
    "a known text and an unknown one are a default": ("x=d; a && x=$1; atc --a=$x", ["atc --a=d:d"]),
    "an alternative is optional": ("trtexec ${X:+--a=1}", ["trtexec ~--a=1"]),
    "arms stand in the order of the file": (
        'case $1 in a) x="--a --b";; b) x=--c;; *) x="--d --b";; esac; trtexec $x --z',
        ["trtexec ~--a ~--b ~--c ~--d ~--b --z"],
    ),
    "an optional end of a word": ('o=--a=x; a && o="${o}_y"; trtexec $o', ["trtexec --a={x_y|x}"]),
}
LOOPS = {
    "words are candidates": ("for x in a 'b c'; do atc --a=\"$x\"; done", ["atc --a={a|b c}"]),
    "one word is certain": ("for x in a; do atc --a=$x; done", ["atc --a=a"]),
    "flags are optional": ("for x in --a --b; do trtexec $x; done", ["trtexec ~--a ~--b"]),
    "the last word stays": ("for x in a b; do :; done; atc --a=$x", ["atc --a=b"]),
    "with a break any word stays": (
        "y=n; for x in a b; do y=$x; c && break; done; atc --a=$y",
        ["atc --a={a|b}"],
    ),
    "an array is looped over": ('m=(a b); for x in "${m[@]}"; do atc --a=$x; done', ["atc --a={a|b}"]),
    "a list in a text is looped over": ("m='a b'; for x in $m; do atc --a=$x; done", ["atc --a={a|b}"]),
    "a range is looped over": ("for x in {1..3}; do atc --a=$x; done", ["atc --a={1|2|3}"]),
    "files are unknown": ("for x in *.onnx; do atc --a=$x; done", ["atc --a=?"]),
    "a text of the body follows its word": (
        "for x in a b; do y=m_$x; atc --a=$y; done",
        ["atc --a={m_a|m_b}"],
    ),
    "an earlier round counts": ("y=0; for x in a b; do atc --a=$y; y=1; done", ["atc --a={0|1}"]),
    "what each round appends is all there": (
        'for x in a b; do o+=(--a=$x); done; o+=(); trtexec --z "${o[@]}"',
        ["trtexec --z --a=a --a=b"],
    ),
    "a counter is unknown": ("n=0; while a; do atc --a=$n; n=$((n+1)); done", ["atc --a=?"]),
    "a name that grows is unknown after its start": (
        "x=a; while b; do x=${x}c; atc --a=$x; done",
        ["atc --a=a?c"],
    ),
    "a loop without a round keeps the text": ("x=a; while b; do x=c; done; atc --a=$x", ["atc --a={a|c}"]),
    "more than 32 words are unknown": ("for x in {1..33}; do atc --a=$x; done", ["atc --a=?"]),
}
FUNCTIONS = {
    "arguments are unknown": ('f() { atc --a=$1 "$@"; }; f x', ["atc --a=? ..."]),
    "a body is reported once": ("f() { atc --a; }; f; f", ["atc --a"]),
    "a body nobody calls is reported": ("f() { atc --a=$x; }; x=1", ["atc --a=1"]),
    "the text at the call counts": ("f() { atc --a=$x; }; x=1; f; x=2", ["atc --a=1"]),
    "two calls give candidates": ("f() { atc --a=$x; }; x=1; f; x=2; f", ["atc --a={1|2}"]),
    "a call sets a name": ("f() { x=1; }; x=0; f; atc --a=$x", ["atc --a=1"]),
    "a local name is gone": ("f() { local x=1; }; x=0; f; atc --a=$x", ["atc --a=0"]),
    "a return leaves only the function": ("f() { x=1; return; x=2; }; f; atc --a=$x", ["atc --a=1"]),
    "a function that runs its arguments is a wrapper": (
        'run() { echo "$@"; "$@"; }; run atc --a',
        ["atc --a"],
    ),
    "a function that prints its arguments is none": ('say() { echo "$@"; }; say atc --a', []),
    "a recursion ends": ("f() { atc --a; f; }; f", ["atc --a"]),
}


@pytest.mark.parametrize(("script", "wanted"), VALUES.values(), ids=VALUES)
def test_values(script: str, wanted: list[str]) -> None:
    assert commands(script) == wanted


@pytest.mark.parametrize(("script", "wanted"), BRANCHES.values(), ids=BRANCHES)
def test_branches(script: str, wanted: list[str]) -> None:
    assert commands(script) == wanted


@pytest.mark.parametrize(("script", "wanted"), LOOPS.values(), ids=LOOPS)
def test_loops(script: str, wanted: list[str]) -> None:
    assert commands(script) == wanted


@pytest.mark.parametrize(("script", "wanted"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions(script: str, wanted: list[str]) -> None:
    assert commands(script) == wanted


def test_flags_of_all_arms_cover_every_branch() -> None:
    script = "if a; then o=--fp16; else o='--fp16 --int8'; fi; trtexec $o"
    (command,) = facts(script).commands
    branches = {
        name: [flag.branch for flag in command.flags if flag.name == name] for name in ("--fp16", "--int8")
    }
    assert covers_every_branch(branches["--fp16"])
    assert not covers_every_branch(branches["--int8"])


def test_flags_of_different_arms_are_no_repeat() -> None:
    assert notes("if a; then o=--fp16; else o=--fp16; fi; trtexec $o") == []
    assert notes("trtexec --fp16 --fp16") == [("repeat-error", 1)]


SETTINGS = {
    "set": ("export XLA_FLAGS='--a=1 --b'", ["set XLA_FLAGS --a=1 --b"]),
    "append": (
        'XLA_FLAGS="$XLA_FLAGS --a"; XLA_FLAGS+=" --b"',
        ["append XLA_FLAGS --a", "append XLA_FLAGS --b"],
    ),
    "prepend": ('XLA_FLAGS="--a ${XLA_FLAGS:-}"', ["append XLA_FLAGS --a"]),
    "append with a blank only if set": ('XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--a"', ["append XLA_FLAGS --a"]),
    "default": ("export XLA_FLAGS=${XLA_FLAGS:---a=1}", ["default XLA_FLAGS --a=1:d ..."]),
    "assigned default": (': "${XLA_FLAGS:=--a=1}"', ["default XLA_FLAGS --a=1:d ..."]),
    "for one command": (
        "XLA_FLAGS=--a env TF_XLA_FLAGS=--b x",
        ["set XLA_FLAGS --a", "set TF_XLA_FLAGS --b"],
    ),
    "for a container": ("docker run -e XLA_FLAGS='--a --b' image", ["set XLA_FLAGS --a --b"]),
    "plain": ("ASCEND_GLOBAL_LOG_LEVEL=1", ["set ASCEND_GLOBAL_LOG_LEVEL=1"]),
    "own quotes": ("XLA_FLAGS='--a=\"x y\"'", ["set XLA_FLAGS --a=x y"]),
    "a file of flags opens it": ("XLA_FLAGS=flags.txt", ["set XLA_FLAGS ..."]),
    "an unknown text opens it": ('XLA_FLAGS="$MORE --a"', ["set XLA_FLAGS --a ..."]),
    "the last one wins": ("XLA_FLAGS='--a=1 --a=2'", ["set XLA_FLAGS !--a=1 --a=2"]),
    "no setting": ("unset XLA_FLAGS; echo XLA_FLAGS=--a; MY_XLA_FLAGS=--a; export XLA_FLAGS", []),
}


@pytest.mark.parametrize(("script", "wanted"), SETTINGS.values(), ids=SETTINGS)
def test_settings(script: str, wanted: list[str]) -> None:
    assert settings(script) == wanted


def test_text_of_an_outer_language_is_read_in_its_place() -> None:
    source = Source(path="w.yml", text="run: atc --a=HERE --b $X")
    whole = source.whole()
    atoms = (Atom(text=whole[5:13]), Atom(text=None, source="inputs.model"), Atom(text=whole[17:]))
    (command,) = read_shell(atoms).commands
    assert shown_command(command) == "atc --a=? --b=?"
    assert str(command.program_span) == "w.yml:1:6"
    assert [str(flag.span) for flag in command.flags] == ["w.yml:1:10", "w.yml:1:19"]


def test_words_of_an_exec_form_are_not_expanded() -> None:
    text = Source(path="d", text="sudo atc --a=$X").whole()
    hidden = Word(atoms=(Atom(text=None, source="y"),), place=text[0:0])
    words = (known_word(text[0:4]), known_word(text[5:8]), known_word(text[9:]), hidden)
    (command,) = read_words(words).commands
    assert shown_command(command) == "atc --a=$X"
    assert command.via == ("sudo",)


def test_a_broken_script_keeps_what_stands_before() -> None:
    found = facts("atc --a\nif x; then\natc --b")
    assert [shown_command(command) for command in found.commands] == ["atc --a"]
    assert found.incomplete
    assert [(note.code, note.span.line) for note in found.notes] == [("syntax-error", 3)]
