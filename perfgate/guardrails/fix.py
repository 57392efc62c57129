"""`guard --fix`: one unified diff of the edits that are certain, each re-read and verified."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.finding import Answer, Edit
from perfgate.guardrails.judging import judge_file
from perfgate.guardrails.patch import Change, NotCertainError, SourceText, change_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from perfgate.config.facts import Command, FileFacts, Flag, Span, Value
    from perfgate.core.finding import Finding
    from perfgate.guardrails.evaluation import Evaluation
    from perfgate.guardrails.fault import Fault
    from perfgate.guardrails.rule import Rule
    from perfgate.guardrails.subject import Subject

_BOM = b"\xef\xbb\xbf"
MAX_EDITS = 200  # findings whose edits are worked out; each is re-read twice
HEADER_LINES = 2  # `---` and `+++`


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A fault without an edit, and why."""

    rule: str
    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: no fix: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixes:
    """The diff for `git apply`, the mended files, and what was refused."""

    diff: bytes
    files: tuple[tuple[str, bytes], ...]
    refused: tuple[Refusal, ...]


def fixes_of(
    evaluation: Evaluation, sources: Mapping[str, bytes], read: Callable[[str, bytes], FileFacts]
) -> Fixes:
    """Mend every failed finding that is not waived and whose file is in `sources` (the tracked ones)."""
    mended: list[tuple[str, bytes]] = []
    refused: list[Refusal] = []
    known = {rule.id for rule in evaluation.rules.rules}
    failed = [finding for finding in evaluation.findings if finding.answer is Answer.FAIL]
    wanted = [finding for finding in failed if finding.fingerprint and finding.rule in known]
    for path in sorted({finding.span.path for finding in wanted}):
        mine = [finding for finding in wanted if finding.span.path == path]
        data = sources.get(path)
        if data is None:
            refused.extend(_refusal(finding, "the file is not tracked") for finding in mine)
            continue
        for finding in reversed(mine):  # from the end, so that places before it stay true
            try:
                is_untouched = data == sources[path]
                data = _mended(evaluation, finding, data, read, is_untouched=is_untouched)
            except NotCertainError as error:
                refused.append(_refusal(finding, str(error)))
        if data != sources[path]:
            mended.append((path, data))
    diff = b"".join(file_diff(path, sources[path], data) for path, data in mended)
    return Fixes(diff=diff, files=tuple(mended), refused=tuple(refused))


def _refusal(finding: Finding, reason: str) -> Refusal:
    return Refusal(rule=finding.rule, place=str(finding.span), reason=reason)


def with_edits(
    evaluation: Evaluation, sources: Mapping[str, bytes], read: Callable[[str, bytes], FileFacts]
) -> Evaluation:
    """The same findings, the certain ones with their exact edits; each edit counts for the file as it is."""
    known = {rule.id for rule in evaluation.rules.rules}
    budget = MAX_EDITS
    findings = []
    for finding in evaluation.findings:
        data = sources.get(finding.span.path)
        if data is not None and finding.fix and finding.rule in known and budget:
            budget -= 1
            with suppress(NotCertainError):
                findings.append(_with_edit(evaluation, finding, data, read))
                continue
        findings.append(finding)
    return replace(evaluation, findings=tuple(findings))


def _with_edit(
    evaluation: Evaluation, finding: Finding, data: bytes, read: Callable[[str, bytes], FileFacts]
) -> Finding:
    step = _step(evaluation, finding, data, read)
    if step is None:
        return finding
    source = SourceText(decoded(data)[0])
    place = source.place(finding.span.path, step.change.start, step.change.end)
    return msgspec.structs.replace(finding, edits=(Edit(place=place, text=step.change.text),))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    change: Change
    data: bytes


def _mended(
    evaluation: Evaluation,
    finding: Finding,
    data: bytes,
    read: Callable[[str, bytes], FileFacts],
    *,
    is_untouched: bool,
) -> bytes:
    """The file with one finding mended; unchanged when an earlier edit has mended it already."""
    step = _step(evaluation, finding, data, read)
    if step is None and is_untouched:
        raise NotCertainError("the place cannot be read again")
    return data if step is None else step.data


def _step(
    evaluation: Evaluation, finding: Finding, data: bytes, read: Callable[[str, bytes], FileFacts]
) -> _Step | None:
    path = finding.span.path
    if not path.isprintable() or '"' in path or "\\" in path:
        raise NotCertainError("the file's name needs quotes")
    facts = read(finding.span.path, data)
    for rule in evaluation.rules.rules:
        if rule.id != finding.rule:
            continue
        for subject, fault in _faults_at(rule, facts, finding):
            text, encoding = decoded(data)
            change = change_for(rule, fault, subject, SourceText(text))
            fixed = encoded(text[: change.start] + change.text + text[change.end :], encoding)
            _verify(facts, read(finding.span.path, fixed), rule, subject, change)
            return _Step(change=change, data=fixed)
    return None


def _faults_at(rule: Rule, facts: FileFacts, finding: Finding) -> Iterator[tuple[Subject, Fault]]:
    for judged in judge_file(rule, facts):
        for fault in judged.faults:
            is_here = (fault.span.line, fault.span.column) == (finding.span.line, finding.span.column)
            if judged.subject and is_here and fault.flag == finding.flag and fault.answer is Answer.FAIL:
                yield judged.subject, fault


def decoded(data: bytes) -> tuple[str, str]:
    """The text as readers count it, without a byte order mark, and how to write it back."""
    if data.startswith(_BOM):
        return data.removeprefix(_BOM).decode("utf-8"), "utf-8-sig"
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def encoded(text: str, encoding: str) -> bytes:
    """The reverse of `decoded`.

    Raises:
        NotCertainError: the encoding has no sign for the text.
    """
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        raise NotCertainError("the file's encoding cannot hold the value") from None


def _verify(before: FileFacts, after: FileFacts, rule: Rule, subject: Subject, change: Change) -> None:
    """The rule passes for the subject now and no other fact has changed.

    Raises:
        NotCertainError: the edit does something else.
    """
    verify_change(before, after, subject, change)
    is_mended = not any(
        fault.answer is Answer.FAIL and fault.flag == change.flag and judged.subject is not None
        for judged in judge_file(rule, after)
        for fault in judged.faults
        if judged.subject
        and (judged.subject.span.line, judged.subject.span.column) == (subject.span.line, subject.span.column)
    )
    if not is_mended:
        raise NotCertainError("the edit would not satisfy the rule")


def verify_change(before: FileFacts, after: FileFacts, subject: Subject, change: Change) -> None:
    """The subject has the changed flag now and no other fact has changed.

    Raises:
        NotCertainError: the edit does something else.
    """
    old, new = fact_lines(before), fact_lines(after)
    number = next((index for index, (name, _) in enumerate(old) if name == _identity(subject)), None)
    if number is None or len(old) != len(new):
        raise NotCertainError("the edit would change other facts of this file")
    others = [line for index, (_, line) in enumerate(old) if index != number]
    if others != [line for index, (_, line) in enumerate(new) if index != number]:
        raise NotCertainError("the edit would change other facts of this file")
    if new[number][1] != _expected(old[number][1], change):
        raise NotCertainError("the edit would change other flags of this call")


_Line = tuple[tuple[object, ...], ...]


def fact_lines(facts: FileFacts) -> list[tuple[tuple[str, int, int], _Line]]:
    """Commands, settings and keys without their places, each with what identifies it in this text."""
    lines = [(_place(c.program_span), (_head(c), *map(_flag_line, c.flags))) for c in facts.commands]
    lines += [(_place(s.span), ((s.name, s.operation, s.open), *map(_flag_line, s.flags))) for s in facts.env]
    if facts.keys:
        keys = tuple((key.path, ((key.text,), (), False), "always", False) for key in facts.keys)
        lines.append((("", 1, 1), (("keys",), *keys)))
    return lines


def _place(span: Span) -> tuple[str, int, int]:
    return "", span.line, span.column


def _identity(subject: Subject) -> tuple[str, int, int]:
    return _place(subject.name_span)


def _head(command: Command) -> tuple[object, ...]:
    words = tuple(_value_line(positional.value) for positional in command.positionals)
    return command.program, command.via, command.open, words


def _flag_line(flag: Flag) -> tuple[object, ...]:
    return flag.name, _value_line(flag.value), str(flag.presence), flag.overridden


def _value_line(value: Value) -> tuple[object, ...]:
    pieces = None if value.pieces is None else tuple(piece.text for piece in value.pieces)
    return pieces, value.candidates, value.replaceable


def _expected(line: _Line, change: Change) -> _Line:
    """The facts of a call after the change, and nothing else."""
    head, *flags = line
    pieces = None if change.is_bare else (change.value,)
    new = (change.flag, (pieces, (), False), "always", False)
    if change.is_insertion:
        return (head, *flags, new)
    index = max((i for i, flag in enumerate(flags) if flag[0] == change.flag and not flag[3]), default=None)
    if index is None:
        return line
    return (head, *flags[:index], *([] if change.value is None else [new]), *flags[index + 1 :])


def file_diff(path: str, before: bytes, after: bytes) -> bytes:
    """A unified diff of one file as `git apply` reads it; line ends and encoding are kept."""
    name = f"{path}\t" if " " in path else path
    lines = unified_diff(
        _lines(before), _lines(after), fromfile=f"a/{name}", tofile=f"b/{name}", lineterm="\n", n=3
    )
    return b"".join(_diff_line(line, is_header=number < HEADER_LINES) for number, line in enumerate(lines))


def _lines(data: bytes) -> list[str]:
    text = data.decode("latin-1")  # every byte is one character, so that nothing is lost
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _diff_line(line: str, *, is_header: bool) -> bytes:
    data = line.encode("utf-8" if is_header else "latin-1")
    return data if line.endswith("\n") else data + b"\n\\ No newline at end of file\n"
