"""Options that several verbs share, and what they mean for a workflow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.say import say
from perfgate.core.codec import readable_json
from perfgate.workflow.options import DEFAULT_BASELINES, baselines_folder
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


def choice_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`-k` and `--device`."""
    for option in reversed(_SHARED[:2]):
        command = option(command)
    return command


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


json_option = click.option(
    "--json",
    "json_file",
    default=None,
    metavar="FILE",
    help="Write the result as JSON; - is standard output, which then holds nothing else.",
)
policy_option = click.option(
    "--policy",
    "policy_file",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="Policy in place of the working tree's perfgate.yaml; that of the base commit holds as well.",
)


def answer(json_file: str | None, lines: Iterable[str], report: Callable[[], Any]) -> None:
    """Print the lines, and write the report where it is asked for.

    Raises:
        UsageError: the file cannot be written.
    """
    if json_file != "-":
        for line in lines:
            say(line)
    if json_file is not None:
        write_text(json_file, readable_json(report()))


def write_text(target: str, text: str) -> None:
    """To a file, or to standard output for `-`.

    Raises:
        UsageError: the file cannot be written.
    """
    if target == "-":
        click.echo(text, nl=False)
        return
    write_text_file(Path(target), text)


def append_runner_file(variable: str, text: str) -> bool:
    """Append to the file that the runner names; False when it names none."""
    target = os.environ.get(variable, "")
    if not target:
        return False
    with Path(target).open("a", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return True
