"""`perfgate trace`: a profile for a trace viewer or a flame graph."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import choice_options
from perfgate.cli.say import say
from perfgate.workflow.tracing import TraceFormat, TraceRequest, trace
from perfgate.workflow.whole_file import write_pieces
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from collections.abc import Iterable


@click.command(name="trace")
@click.argument("profile", type=click.Path(path_type=Path), required=False)
@choice_options
@click.option("--at", "revision", default=None, metavar="REV", help="Trace the files of this commit.")
@click.option(
    "--before",
    default="",
    metavar="REV|FILE",
    help="Beside it the same benchmark at this commit, or the profile in a file.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice([item.value for item in TraceFormat]),
    required=True,
    help="What to write.",
)
@click.option("--diff", is_flag=True, help="With --format folded: two counts, before and now.")
@click.option("-o", "--output", required=True, metavar="FILE", help="File to write; - is standard output.")
@click.pass_context
def trace_file(ctx: click.Context, /, profile: Path | None, output: str, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Write the profile of one benchmark for a trace viewer or a flame graph.

    The benchmark is measured now (-k, --device, --at), or PROFILE is a file that `perfgate record --profile`
    wrote.

    Exit: 0 written, 2 usage, 11 no such benchmark.
    """
    request = TraceRequest(
        root=find_root(Path.cwd()),
        form=TraceFormat(asked["form"]),
        expression=asked["expression"],
        devices=tuple(asked["devices"]),
        revision=asked["revision"],
        file=profile,
        before=asked["before"],
        is_diff=asked["diff"],
    )
    written = trace(request)
    is_stdout = output == "-"
    if is_stdout:
        _write_to_stdout(written.pieces())
    else:
        write_pieces(Path(output), written.pieces())
    if not is_stdout and not ctx.obj["quiet"]:
        say(f"{output}: {request.form} of {written.title}")
    for remark in written.remarks:
        say(f"note: {remark}", err=is_stdout)


def _write_to_stdout(pieces: Iterable[bytes]) -> None:
    """Bytes as they are, without a decoding in between."""
    sys.stdout.flush()
    sys.stdout.buffer.writelines(pieces)
    sys.stdout.buffer.flush()
