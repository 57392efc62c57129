"""Shell text to facts: the reader of scripts, and of every piece of shell inside another file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.bash.command_reading import CommandReader
from perfgate.config.bash.flow import Runner
from perfgate.config.bash.functions import report_functions
from perfgate.config.bash.invoke import Call, Invoker
from perfgate.config.bash.output import Output
from perfgate.config.bash.scope import Scope, Variable
from perfgate.config.bash.syntax import Simple
from perfgate.config.bash.texts import with_holes
from perfgate.config.facts import Note
from perfgate.config.found import Found
from perfgate.config.spans import Placed
from perfgate.config.words import Atom

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.config.words import Word

__all__ = ["Variable", "read_shell", "read_words"]


def read_shell(
    text: Placed | tuple[Atom, ...],
    *,
    variables: Mapping[str, Variable] | None = None,
    positionals: tuple[Word, ...] | None = None,
    via: tuple[str, ...] = (),
    context: str = "",
) -> Found:
    """The facts of shell text.

    Atoms instead of plain text stand where an outer language puts text in: an unknown or guarded atom is read
    like an unquoted or quoted expansion, by the place it stands in. `variables` come from outside and are
    exported (Dockerfile ENV, workflow env). `positionals` None: the arguments are not known.
    """
    atoms = (Atom(text=text),) if isinstance(text, Placed) else text
    anchor = next((atom.text for atom in atoms if atom.text is not None), None)
    if anchor is None:
        return Found()
    placed, holes = with_holes(atoms, anchor)
    script = CommandReader(placed).read_script()
    given = dict(variables or {})
    output = Output()
    scope = Scope(own=given, exports=set(given), positionals=positionals)
    runner = Runner(output, scope, holes=holes, via=via, level=0)
    runner.context = context
    runner.run(script.body)
    report_functions(runner)
    if script.broken is not None:
        text_of_note = f"reading stopped here: {script.broken.reason}"
        note = Note(code="syntax-error", span=script.broken.place.span(), text=text_of_note)
        output.add(Found(notes=(note,), incomplete=True))
    _note_exhaustion(output, placed)
    return output.found()


def _note_exhaustion(output: Output, place: Placed) -> None:
    if output.is_exhausted:
        text = "loops, calls and branches make more work than is done for one file; the rest was not read"
        note = Note(code="work-limit", span=place.cut(0, 1).span(), text=text)
        output.add(Found(notes=(note,), incomplete=True))


def read_words(
    words: tuple[Word, ...],
    *,
    variables: Mapping[str, Variable] | None = None,
    via: tuple[str, ...] = (),
    context: str = "",
) -> Found:
    """The facts of a command that is given as words and that no shell expands.

    Exec form of Dockerfiles, lists of compose and Kubernetes, lists in Python. Wrappers are taken off, and
    the text after `sh -c` is read as shell with `variables` exported.
    """
    if not words:
        return Found()
    output = Output()
    given = dict(variables or {})
    runner = Runner(output, Scope(own=given, exports=set(given)), holes={}, via=via, level=0)
    runner.context = context
    node = Simple((), (), (), (), words[0].place)
    Invoker(runner, node).invoke(Call(words=words, via=via))
    _note_exhaustion(output, words[0].place)
    return output.found()
