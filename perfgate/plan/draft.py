"""The files of a repository with fixes put in, one after the other, each whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.core.errors import PerfgateError
from perfgate.core.units import percent
from perfgate.guardrails.patch import NotCertainError
from perfgate.plan.disk import check_path
from perfgate.plan.manifest import FilePlan, TextEdit, sha256, to_text
from perfgate.plan.setting_edit import edit_of
from perfgate.plan.wanted import wanted_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.plan.choice import Choice
    from perfgate.plan.setting_edit import Edited, Ground
    from perfgate.plan.wanted import Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Changed files with their edits. `owners`: which fix has set a flag or key, and to what."""

    originals: Mapping[str, bytes] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    edits: tuple[tuple[str, TextEdit], ...] = ()
    owners: Mapping[tuple[str, str], tuple[int, str | None]] = field(default_factory=dict)

    def plans(self) -> tuple[FilePlan, ...]:
        """One plan for each file that ends up different, in order of the paths."""
        return tuple(
            FilePlan(
                path=path,
                before_sha256=sha256(self.originals[path]),
                after_sha256=sha256(self.files[path]),
                edits=tuple(edit for owner, edit in self.edits if owner == path),
            )
            for path in sorted(self.files)
            if self.files[path] != self.originals[path]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Yardstick:
    """What a fix has to gain in the files as they are drafted: `least`, a share of the amount now.

    `amount` simulates drafts of files; None where it cannot, and then the diagnosis alone counts.
    """

    amount: Callable[[Mapping[str, bytes]], int | None]
    least: float


def with_fixes(
    ground: Ground, choices: tuple[Choice, ...], yardstick: Yardstick
) -> tuple[Draft, tuple[Choice, ...]]:
    """The draft with every chosen fix that can be put in and gains beside those before it.

    The other choices come back with their reasons.
    """
    draft, answers = Draft(), []
    now = yardstick.amount({}) if any(not choice.reason for choice in choices) else None
    amount = now
    for choice in choices:
        if choice.reason:
            answers.append(choice)
            continue
        try:
            added = _with_fix(draft, ground, choice)
            planned = None if now is None else yardstick.amount(added.files)
        except NotCertainError as problem:
            answers.append(replace(choice, reason=f"it cannot be written: {problem}"))
            continue
        except PerfgateError as problem:
            answers.append(replace(choice, reason=f"it cannot be used: {problem.line}"))
            continue
        reason = _too_little(amount, planned, now, yardstick.least)
        if reason and not choice.is_asked:
            answers.append(replace(choice, reason=reason))
            continue
        draft, amount = added, planned
        answers.append(choice)
    return draft, tuple(answers)


def _too_little(before: int | None, after: int | None, now: int | None, least: float) -> str:
    """Why a fix is not worth its change, "" when it is."""
    if before is None or after is None or not now or (before - after) / now > least:
        return ""
    return f"in the planned files it gives {percent((after - before) / now)}"


def _with_fix(draft: Draft, ground: Ground, choice: Choice) -> Draft:
    size = len(draft.edits)
    for wanted in wanted_of(choice.fix):
        draft = _with_setting(draft, ground, wanted, choice.number)
    if len(draft.edits) == size:
        raise NotCertainError("the repository says so already")
    return draft


def _with_setting(draft: Draft, ground: Ground, wanted: Wanted, number: int) -> Draft:
    owner, value = draft.owners.get((wanted.kind, wanted.name), (0, None))
    if owner and value != wanted.value:
        raise NotCertainError(f"fix {owner} sets {wanted.name} to another value")
    if owner:
        return draft
    found = edit_of(ground.with_files(draft.files), wanted)
    owners = {**draft.owners, (wanted.kind, wanted.name): (number, wanted.value)}
    if found is None:
        return replace(draft, owners=owners)
    check_path(found.path)
    return replace(
        draft,
        owners=owners,
        originals={found.path: found.before, **draft.originals},
        files={**draft.files, found.path: found.written.data},
        edits=(*draft.edits, (found.path, _text_edit(draft, found, wanted, number))),
    )


def _text_edit(draft: Draft, found: Edited, wanted: Wanted, number: int) -> TextEdit:
    earlier = [edit for path, edit in draft.edits if path == found.path]
    added = sum(
        edit.new.count("\n") - edit.old.count("\n") for edit in earlier if edit.offset < found.written.offset
    )
    return TextEdit(
        line=found.written.line - added,
        offset=found.written.offset,
        old=to_text(found.written.old),
        new=to_text(found.written.new),
        kind=str(wanted.kind),
        name=found.name,
        before=found.was,
        after=wanted.value,
        fix=number,
    )
