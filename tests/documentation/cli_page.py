"""docs/reference/CLI.md: every verb with its arguments and options, as click knows them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click

from perfgate.cli.main import cli
from tests.documentation.tables import code, page, table

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERYWHERE = ("--verbose", "--quiet", "--no-color", "--help")  # said once, at the top
INTRODUCTION = """\
Every verb takes `-v` (say more; twice also shows tracebacks), `-q` (say only what is wrong), `--no-color`
(the variable `NO_COLOR` does the same) and `-h`. Exit codes: 0 pass; 1 regression or guardrail violation;
2 usage; 10 inconclusive, when the policy fails on it; 11 nothing measured or compared; 12 baseline, policy
or guardrail file, or the base commit, cannot be used; 130 interrupted."""


def cli_page() -> str:
    """The page."""
    top = click.Context(cli, info_name="perfgate")
    parts = [_section(command, context) for command, context in verbs(cli, top)]
    return page("The command `perfgate`", INTRODUCTION, *parts)


def verbs(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """A command and all verbs below it, each with the context that names it."""
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from verbs(inner, click.Context(inner, info_name=name, parent=context))


def options(command: click.Command) -> list[click.Option]:
    """The options that are the command's own."""
    return [
        item
        for item in command.params
        if isinstance(item, click.Option) and not item.hidden and not set(item.opts) & set(EVERYWHERE)
    ]


def _section(command: click.Command, context: click.Context) -> str:
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    parts = [f"## {context.command_path}", code(usage), _prose(command)]
    if isinstance(command, click.Group):
        inner = (f"{context.command_path} {name}" for name in command.list_commands(context))
        parts.append("Verbs: " + ", ".join(f"[`{path}`](#{path.replace(' ', '-')})" for path in inner) + ".")
    own = options(command)
    if own:
        parts.append(table(("option", "default", "meaning"), (_row(item, context) for item in own)))
    return "\n\n".join(parts)


def _prose(command: click.Command) -> str:
    """The help text, each paragraph on one line."""
    text = inspect.cleandoc(command.help or "").replace("\b", "")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _row(option: click.Option, context: click.Context) -> tuple[str, str, str]:
    names = ", ".join((*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" {option.make_metavar(context)}"
    more = [word for word, holds in (("required", option.required), ("repeatable", option.multiple)) if holds]
    meaning = " ".join((option.help or "").split())
    if more and "repeat" not in meaning:
        meaning = f"{meaning} ({', '.join(more)})"
    return code(names + value), code(_default(option)), meaning


def _default(option: click.Option) -> str:
    if option.is_flag or option.multiple or not option.show_default or option.default is None:
        return ""
    return str(option.default)
