"""The forms of a flag per dialect: canonical name, and whether the next word is its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.config.programs import ARGPARSE, FLAG_LIST, GFLAGS, LLVM, TRTEXEC, Program

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A flag as its dialect reads it.

    `implied` is a value that the name itself gives (`--nocache` of gflags is `--cache=false`, `-O3` is
    `--opt-level=3`). `takes_next`: without an equals sign the next word is the value.
    """

    name: str
    implied: str | None = None
    takes_next: bool = False


def _gflags(written: str, program: Program) -> Form:
    name = "--" + written.lstrip("-").replace("-", "_")
    name = program.aliases.get(name, name)
    if name.startswith("--no") and f"--{name[4:]}" in program.bare:
        return Form(name=f"--{name[4:]}", implied="false")
    return Form(name=name, takes_next=name not in program.bare)


def _trtexec(written: str, program: Program) -> Form:
    return Form(name=program.aliases.get(written, written))


def _llvm(written: str, program: Program) -> Form:
    bare = written.lstrip("-")
    name = f"-{bare}" if len(bare) == 1 else f"--{bare}"
    return Form(name=name, takes_next=name in program.takes_value)


def _argparse(written: str, program: Program) -> Form:
    if not written.startswith("--"):
        short = written[:2]
        name = program.aliases.get(short)
        if name is None:
            return Form(name=written, takes_next=len(written) == len(short))
        implied = written[2:] or None
        return Form(name=name, implied=implied, takes_next=implied is None and name not in program.bare)
    name = _completed(written, program)
    return Form(name=name, takes_next=name not in program.bare)


def _completed(written: str, program: Program) -> str:
    """The full name of a unique prefix; of several, the one that all others extend."""
    if written in program.flags:
        return written
    found = sorted((name for name in program.flags if name.startswith(written)), key=len)
    if found and all(name.startswith(found[0]) for name in found):
        return found[0]
    return written


def _flag_list(written: str, _program: Program) -> Form:
    return Form(name=written)


_FORMS: dict[str, Callable[[str, Program], Form]] = {
    GFLAGS: _gflags,
    TRTEXEC: _trtexec,
    LLVM: _llvm,
    ARGPARSE: _argparse,
    FLAG_LIST: _flag_list,
}


def form_of(written: str, program: Program) -> Form:
    """How the program's dialect reads a flag as written, without its value."""
    return _FORMS[program.dialect](written, program)
