"""`perfgate trace`: the profile of one benchmark in the format of a trace viewer or a flame graph."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError
from perfgate.report.export.chrome_trace import ChromeTrace
from perfgate.report.export.drawn_steps import drawn_steps, layout_notes
from perfgate.report.export.folded import folded
from perfgate.report.export.side import Side
from perfgate.report.export.speedscope import speedscope
from perfgate.workflow.measuring import Measurer
from perfgate.workflow.profile_file import read_profile
from perfgate.workflow.recording import refuse_timed, tree_at
from perfgate.workflow.suites import find_suites, select

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.measure.benchmark import Benchmark

_SHOWN = 8  # benchmarks that a message names


class TraceFormat(StrEnum):
    """What can be written."""

    CHROME = "chrome"
    SPEEDSCOPE = "speedscope"
    FOLDED = "folded"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRequest:
    """What to trace: a benchmark, measured now or at a commit, or the profile in `file`.

    `before` is a file or a commit, "" for nothing to compare with. `is_diff` asks folded stacks for two
    counts.
    """

    root: Path
    form: TraceFormat
    expression: str = ""
    devices: tuple[str, ...] = ()
    revision: str | None = None
    file: Path | None = None
    before: str = ""
    is_diff: bool = False


class TraceFile:
    """The file in pieces; `remarks` are whole when all pieces were taken."""

    def __init__(self, form: TraceFormat, sides: Sequence[Side], title: str) -> None:
        self.title = title
        self._form = form
        self._sides = sides
        self._chrome = ChromeTrace(sides, title)

    def pieces(self) -> Iterator[bytes]:
        """The content."""
        if self._form is TraceFormat.CHROME:
            return self._chrome.pieces()
        if self._form is TraceFormat.SPEEDSCOPE:
            return speedscope(self._sides, self.title)
        return folded(self._sides[-1], self._sides[0] if len(self._sides) > 1 else None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the file does not show."""
        if self._form is TraceFormat.FOLDED:
            return ()  # sums, in which nothing is left out
        notes = [f"{side.label}: {note}" for side in self._sides for note in layout_notes(drawn_steps(side))]
        return (*notes, *filter(None, [self._chrome.cut_note]))


def trace(request: TraceRequest) -> TraceFile:
    """Measure or read, once or twice.

    Raises:
        PerfgateError: options that contradict each other, a file that is no profile, a suite that cannot be
            read, not exactly one benchmark, or one without a profile.
    """
    _check(request)
    before_file = Path(request.before) if _is_file(request.before) else None
    sides = []
    if request.file is not None:
        title, label = request.file.name, request.file.name
        now = read_profile(request.file)
    else:
        now, benchmark = _measured(request, request.revision, "--at", "")
        title, label = benchmark.key, request.revision or "now"
    if before_file is not None:
        sides.append(Side(label=f"before: {before_file.name}", profile=read_profile(before_file)))
    elif request.before:
        before, _ = _measured(request, request.before, "--before", title)
        sides.append(Side(label=f"before: {request.before}", profile=before))
    sides.append(Side(label=label, profile=now))
    return TraceFile(request.form, sides, title)


def _check(request: TraceRequest) -> None:
    """Refuse what one of the options would silently lose.

    Raises:
        UsageError: options that contradict each other.
    """
    if request.is_diff and request.form is not TraceFormat.FOLDED:
        raise UsageError(
            "only folded stacks have two counts", "--diff", "add --format folded, or leave it out"
        )
    if request.is_diff and not request.before:
        raise UsageError("there is nothing to compare with", "--diff", "add --before with a commit or a file")
    if request.form is TraceFormat.FOLDED and request.before and not request.is_diff:
        raise UsageError("folded stacks of two profiles need two counts", "--before", "add --diff")
    if request.file is None:
        return
    if request.expression or request.devices or request.revision:
        remedy = "leave out the file, or -k, --device and --at"
        raise UsageError("a file holds one profile: nothing is chosen or measured", str(request.file), remedy)
    if request.before and not _is_file(request.before):
        remedy = "name another profile file"
        raise UsageError("a file does not say which benchmark to measure at a commit", "--before", remedy)


def _is_file(text: str) -> bool:
    return text.endswith(".json") or (bool(text) and Path(text).is_file())


def _measured(
    request: TraceRequest, revision: str | None, option: str, key: str
) -> tuple[Profile, Benchmark]:
    """The profile at a commit or of the working tree, of the benchmark with this key or of the chosen one.

    Raises:
        PerfgateError: as `trace`.
    """
    with tree_at(request.root, revision, option) as (tree, commit):
        benchmarks = [item for items in find_suites(tree).values() for item in items]
        if key:
            found = [item for item in benchmarks if item.key == key]
            if not found:
                remedy = "name a commit that has it"
                raise UsageError(f"{key} is not a benchmark of {revision}", option, remedy)
            benchmark = found[0]
        else:
            chosen = select(benchmarks, expression=request.expression, devices=request.devices)
            benchmark = _only(chosen, request.expression)
        if commit:
            refuse_timed([benchmark], option)
        profile = Measurer(tree, seed=0, runs=1).profile(benchmark)
        if profile is None:
            what = f"{benchmark.key} has no profile: its backend {benchmark.backend!r} traces nothing"
            remedy = "choose a simulated or an onnxruntime benchmark with -k"
            raise UsageError(what, benchmark.place, remedy)
        return profile, benchmark


def _only(chosen: Sequence[Benchmark], expression: str) -> Benchmark:
    """The one benchmark; a whole name goes before names that only hold it.

    Raises:
        UsageError: several.
    """
    same = [item for item in chosen if expression in {item.name, item.key}]
    left = same or list(chosen)
    if len(left) > 1:
        keys = [item.key for item in left]
        more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
        remedy = f"choose one with -k and --device: {', '.join(keys[:_SHOWN])}{more}"
        raise UsageError(f"{len(left)} benchmarks match, a trace is of one", "selection", remedy)
    return left[0]
