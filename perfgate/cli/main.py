"""The command `perfgate`: verbs that are loaded only when they are used."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from pathlib import Path
from typing import Any

import click

from perfgate import __version__
from perfgate.cli.say import say
from perfgate.core.errors import ExitCode, PerfgateError

_VERBS = {
    "baseline": ("perfgate.cli.baseline", "baseline", "Update, list, show and compare the accepted records."),
    "bisect": ("perfgate.cli.bisection", "bisect", "Name the commit that made a benchmark worse."),
    "cache": ("perfgate.cli.cache", "cache", "Make room in the folder of mirrors and samples."),
    "cases": ("perfgate.cli.cases", "cases", "List the incidents that the repository remembers."),
    "check": ("perfgate.cli.check", "check", "Check guardrails, measure, judge against the base commit."),
    "ci": ("perfgate.cli.ci", "ci", "Steps of a GitHub job: run the gate, summarise, annotate, comment."),
    "compare": ("perfgate.cli.compare", "compare", "Judge two folders of records."),
    "demo": ("perfgate.cli.demo", "demo", "Walk the loop in a scripted repository: red gate to guardrail."),
    "diagnose": (
        "perfgate.cli.diagnose",
        "diagnose",
        "Say which operator, flag and commit, with proof and fixes.",
    ),
    "doctor": ("perfgate.cli.doctor", "doctor", "Look at everything a run needs, each line with its remedy."),
    "guard": ("perfgate.cli.guard", "guard", "Check the guardrails only; nothing is measured."),
    "import": ("perfgate.cli.import_results", "import_results", "Turn other tools' results into records."),
    "init": ("perfgate.cli.init", "init", "Write the files of a first gate; what is there stays."),
    "selftest": ("perfgate.cli.selftest", "selftest", "Judge unchanged code: false alarms and what is seen."),
    "optimize": ("perfgate.cli.optimize", "optimize", "Plan, apply and undo what mends a diagnosis."),
    "visualize": ("perfgate.cli.visualize", "visualize", "Draw a benchmark before and after as one page."),
    "validate": (
        "perfgate.cli.validate",
        "validate",
        "Show what a change has done, beside what was promised.",
    ),
    "postmortem": ("perfgate.cli.postmortem", "postmortem", "Write an incident up: page, guardrail, case."),
    "record": ("perfgate.cli.record", "record", "Measure and write records; nothing is judged."),
    "trace": (
        "perfgate.cli.trace_file",
        "trace_file",
        "Write a profile for a trace viewer or a flame graph.",
    ),
}
_INTERRUPTED = 130  # what a shell reports for a process that SIGINT ended
_BROKEN_PIPE = 141  # what a shell reports for a process that SIGPIPE ended


class _ReaderLeftError(Exception):
    """Whoever read our output is gone; click would end a `BrokenPipeError` as 1, which says `regressed`."""


class _LazyGroup(click.Group):
    """Verbs by name; a verb's module is imported when it runs, so that `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        if cmd_name not in _VERBS:
            return None
        module, name, _ = _VERBS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), name)
        _accept_everywhere(command)
        return command

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's type
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _ReaderLeftError from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Verbs"):
            formatter.write_dl([(verb, text) for verb, (_, _, text) in sorted(_VERBS.items())])


def _accept_everywhere(command: click.Command) -> None:
    """Let a verb, and the verbs of a group, take `-v`, `-q` and `--no-color` too: people type them last."""
    if not any("--no-color" in parameter.opts for parameter in command.params):
        command.params += [_verbose(), _quiet(), _no_color()]
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _accept_everywhere(inner)


def _verbose() -> click.Option:
    text = "Say more; twice also shows tracebacks."
    return click.Option(["-v", "--verbose"], count=True, help=text, expose_value=False, callback=_be_verbose)


def _quiet() -> click.Option:
    text = "Say only what is wrong."
    return click.Option(["-q", "--quiet"], is_flag=True, help=text, expose_value=False, callback=_be_quiet)


def _no_color() -> click.Option:
    text = "Without colours, as with NO_COLOR."
    return click.Option(["--no-color"], is_flag=True, help=text, expose_value=False, callback=_be_plain)


def _be_verbose(ctx: click.Context, _: click.Parameter, count: int) -> None:
    asked = ctx.ensure_object(dict)
    asked["verbose"] = asked.get("verbose", 0) + count
    level = logging.DEBUG if asked["verbose"] > 1 else logging.WARNING
    logging.basicConfig(level=level, format="perfgate: %(message)s", stream=sys.stderr)
    logging.getLogger().setLevel(level)


def _be_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's callback
    asked = ctx.ensure_object(dict)
    asked["quiet"] = asked.get("quiet", False) or value


def _be_plain(_ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's callback
    if value:
        os.environ["NO_COLOR"] = "1"


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="perfgate")
@click.option("-C", "folder", type=click.Path(path_type=Path), default=None, help="Run as if started in DIR.")
def cli(folder: Path | None) -> None:
    """Fail the change that makes a model slower, and say by how much, how sure, and why."""
    if folder is not None:
        if not folder.is_dir():
            raise click.UsageError(f"no such folder: {folder}")
        os.chdir(folder)


cli.params += [_verbose(), _quiet(), _no_color()]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every mistake of the user ends as one line and an exit code."""
    shown = arguments if arguments is not None else sys.argv[1:]
    asked: dict[str, int] = {}  # filled by `cli`
    try:
        code: Any = cli.main(args=arguments, prog_name="perfgate", standalone_mode=False, obj=asked)
        print(end="", flush=True)  # a flush that bears a closed standard output
    except PerfgateError as problem:
        if asked.get("verbose", 0) > 1:
            raise
        say(f"perfgate: {problem.line}", err=True)
        sys.exit(int(problem.exit_code))
    except click.ClickException as problem:
        say(f"perfgate: {problem.format_message()}", err=True)
        sys.exit(problem.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt) as problem:
        click.echo("perfgate: interrupted", err=True)
        sys.exit(getattr(problem, "exit_code", _INTERRUPTED))  # another signal brings its own
    except (BrokenPipeError, _ReaderLeftError):
        _leave_stdout()
        sys.exit(_BROKEN_PIPE)
    except OSError as problem:
        if asked.get("verbose", 0) > 1:
            raise
        _leave_stdout()
        reason = (problem.strerror or type(problem).__name__).lower()
        where = problem.filename or "standard output"
        say(f"perfgate: {reason}: {where}: free it, or name another place", err=True)
        sys.exit(int(ExitCode.USAGE))
    except Exception as problem:  # the last resort: a user never sees a traceback unasked
        if asked.get("verbose", 0) > 1:
            raise
        what = f"internal error, {type(problem).__name__}: {problem}"
        say(f"perfgate: {what}: {' '.join(shown)}: run it with -vv and report what it prints", err=True)
        sys.exit(int(ExitCode.USAGE))
    sys.exit(int(code or 0))


def _leave_stdout() -> None:
    """Nothing can be said there any more: the interpreter's own flush at the end must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
