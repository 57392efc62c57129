"""Options that several verbs share, and what they mean for a workflow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.workflow.options import DEFAULT_BASELINES, baselines_folder
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from collections.abc import Callable

_SHARED = (
    click.option(
        "-k", "expression", default="", metavar="TEXT", help="Only benchmarks whose name holds TEXT."
    ),
    click.option(
        "--device", "devices", multiple=True, metavar="NAME", help="Only this device; repeat for more."
    ),
    click.option("--runs", type=click.IntRange(1, 1000), default=None, help="Runs per benchmark."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the noise."),
    click.option(
        "--cache", type=click.Path(path_type=Path), help="Folder for compiled programs, kept between runs."
    ),
)


baselines_option = click.option(
    "--baselines",
    default=DEFAULT_BASELINES,
    show_default=True,
    metavar="DIR",
    help="Folder of the baselines.",
    callback=lambda _context, _option, text: baselines_folder(text, "--baselines"),
)


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`-k`, `--device`, `--runs`, `--seed`, `--cache`."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


def ground_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--base` and `--baselines`."""
    return click.option(
        "--base", default=None, metavar="REF", help="Commit that judges (default: found from git and CI)."
    )(baselines_option(command))


def write_text(target: str, text: str) -> None:
    """To a file, or to standard output for `-`.

    Raises:
        UsageError: the file cannot be written.
    """
    if target == "-":
        click.echo(text, nl=False)
        return
    write_text_file(Path(target), text)
