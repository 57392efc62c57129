"""`rollback_plan.md`: what the plan changes, how to undo it by hand, and the manifest that machines read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.codec import decode, readable_json
from perfgate.core.difference import DifferenceKind
from perfgate.core.errors import UsageError
from perfgate.core.units import percent
from perfgate.plan.manifest import Manifest, tampered, with_id
from perfgate.plan.shell_word import shell_line
from perfgate.report.code_span import MAX_SENTENCE, code_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.plan.manifest import TextEdit

ROLLBACK = "rollback_plan.md"
_FENCE = "```"
_START = f"{_FENCE}json\n"
_END = f"\n{_FENCE}\n"


def rollback_page(manifest: Manifest) -> str:
    """The page; the same manifest gives the same bytes."""
    return "\n".join([*_lines(manifest), _START + readable_json(manifest).rstrip("\n") + _END])


def read_page(text: str, where: str) -> Manifest:
    """The manifest of a page, its last JSON block.

    Raises:
        UsageError: there is none, it is not as it was written, or the page says something else than it.
    """
    _, separator, rest = text.rpartition(_START)
    body, end, tail = rest.rpartition(_END)
    if not separator or not end or tail:
        raise UsageError(
            "holds no manifest of a plan", where, "name the folder that `perfgate optimize` wrote"
        )
    manifest = decode(body.encode(), Manifest, where, UsageError, "write the plan again")
    if with_id(manifest).id != manifest.id or text != rollback_page(manifest):
        raise tampered(where)
    return manifest


def _lines(manifest: Manifest) -> Iterator[str]:
    yield f"# Rollback of plan {manifest.id}"
    yield ""
    yield f"Plan for {code_span(manifest.key)}: {_promise(manifest)}."
    yield ""
    yield "## What the plan changes"
    yield ""
    yield from _changes(manifest)
    if manifest.left_out:
        yield "Left out:"
        yield ""
        yield from (
            f"- fix {item.number}, {code_span(item.title)}: {code_span(item.reason, MAX_SENTENCE)}"
            for item in manifest.left_out
        )
        yield ""
    yield "## Roll back"
    yield ""
    yield "1. Bring back content, mode and line ends as they were, also after an interrupted `--apply`:"
    yield ""
    yield f"       {shell_line(('perfgate', 'optimize', '--rollback', manifest.folder))}"
    yield ""
    yield "2. Or with git alone:"
    yield ""
    yield from _git_commands(manifest)
    yield "3. Measure again: `perfgate check`."
    yield ""
    yield "## Manifest"
    yield ""


def _promise(manifest: Manifest) -> str:
    if not manifest.files:
        return "nothing is changed"
    if manifest.prediction.gain is None:
        return f"{code_span(manifest.metric)}, the gain of all fixes together was not simulated"
    return f"{code_span(manifest.metric)} {percent(-manifest.prediction.gain)}, simulated"


def _changes(manifest: Manifest) -> Iterator[str]:
    if not manifest.files:
        yield "Nothing."
        yield ""
        return
    yield "| file | line | from | to | fix |"
    yield "|---|--:|---|---|--:|"
    for item in manifest.files:
        for edit in item.edits:
            cells = [
                code_span(item.path),
                str(edit.line),
                _value(edit, edit.before),
                _value(edit, edit.after),
                str(edit.fix),
            ]
            yield f"| {' | '.join(cells)} |"
    yield ""


def _value(edit: TextEdit, value: str | None) -> str:
    if edit.kind in {DifferenceKind.FILE, DifferenceKind.MODEL}:
        return f"the whole file, SHA-256 {code_span(str(value))}"
    return "absent" if value is None else code_span(f"{edit.name}={value}")


def _git_commands(manifest: Manifest) -> Iterator[str]:
    if not manifest.files:
        yield "       # nothing was changed"
    elif manifest.commit:
        for item in manifest.files:
            words = ("git", "restore", f"--source={manifest.commit}", "--", f":(literal){item.path}")
            yield f"       {shell_line(words)}"
    else:
        yield "       # no commit holds these files as they were: only the first way brings them back"
    yield ""
