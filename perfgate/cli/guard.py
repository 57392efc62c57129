"""`perfgate guard`: the guardrails alone; nothing is measured and nothing of the repository is run."""

from __future__ import annotations

import datetime as dt
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfgate import __version__
from perfgate.cli.options import json_option, write_text
from perfgate.cli.say import say
from perfgate.core.codec import readable_json
from perfgate.core.errors import ExitCode, UsageError
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import ROOT_FILE, RuleSource
from perfgate.guardrails.tree import reader_for
from perfgate.report.guard_text import render_text
from perfgate.workflow.guard_ground import facts_of_history, guard_ground
from perfgate.workflow.guarding import check_guardrails
from perfgate.workflow.whole_file import write_file
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from perfgate.workflow.guarding import GuardRun
    from perfgate.workflow.worktree import WorkTree

_FILES = "files"


class _GuardGroup(click.Group):
    """`guard [PATH...]` unless the first word is a verb; a path named like one is written `./add`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in {"-h", "--help"}):
            args = [_FILES, *args]
        return super().parse_args(ctx, args)


@click.group(cls=_GuardGroup)
def guard() -> None:
    """Check the guardrails. `perfgate guard [PATH...]` limits the findings to these files, never the rules.

    Exit: 0 pass, 1 a finding that fails, 2 usage, 12 a rule file or the base commit cannot be used.
    """


def _run(
    base: str | None = None,
    *,
    today: str | None = None,
    only: tuple[str, ...] = (),
    rule_file: str | None = None,
) -> GuardRun:
    root = find_root(Path.cwd())
    tree, trusted, _ = guard_ground(root, base, dict(os.environ))
    day = dt.datetime.now(dt.UTC).date() if today is None else _day(today)
    paths = None if not only else [file for path in only for file in _files_at(tree, _below(root, path))]
    return check_guardrails(tree, trusted, day, only=paths, rule_file=rule_file)


@guard.command(_FILES, hidden=True)
@click.argument("paths", nargs=-1)
@click.option("--base", default=None, metavar="REF", help="Commit whose rules hold as well.")
@click.option("--rules", "rule_file", default=None, metavar="FILE", help="Judge by this file alone.")
@click.option("--today", default=None, metavar="DATE", help="Judge waivers as on this day.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github", "sarif", "json"]),
    default="text",
    show_default=True,
    help="Form of what is printed.",
)
@click.option("-o", "--output", default="-", metavar="FILE", help="Write there instead of standard output.")
@json_option
@click.option(
    "--sarif", "sarif_file", default=None, metavar="FILE", help="Write the findings as SARIF; - is stdout."
)
@click.option(
    "--explain", "explained", default=None, metavar="RULE|FILE:LINE", help="Say what a rule asks and matched."
)
@click.option("--fix", is_flag=True, help="Print a diff that mends what is certain; apply it with git apply.")
@click.pass_context
def files(ctx: click.Context, /, paths: tuple[str, ...], form: str, output: str, **asked: object) -> None:
    """Check files."""
    if asked["explained"] is not None:
        _explain(str(asked["explained"]))
        return
    run = _run(
        _text(asked["base"]), today=_text(asked["today"]), only=paths, rule_file=_text(asked["rule_file"])
    )
    if asked["fix"]:
        _print_fixes(run, output)
    elif "-" not in {asked["json_file"], asked["sarif_file"]} and not _is_mute(ctx, run, form):
        write_text(output, _rendered(run, form))
    for also, target in (("json", asked["json_file"]), ("sarif", asked["sarif_file"])):
        if target is not None:
            write_text(str(target), _rendered(run, also))
    ctx.exit(int(run.evaluation.exit_code))


@guard.command()
@click.argument("what", metavar="RULE|FILE:LINE")
def explain(what: str) -> None:
    """Say in words what a rule asks and matched, or what was read at a place."""
    _explain(what)


def _explain(what: str) -> None:
    from perfgate.guardrails.explain import explain_place, explain_rule  # noqa: PLC0415 - a plain check must not load it

    run = _run()
    path, separator, line = what.rpartition(":")
    if separator and line.isdecimal() and path in run.sources:
        say(explain_place(run.evaluation, run.facts, path, int(line)))
    else:
        say(explain_rule(run.evaluation, what))


@guard.command()
@click.argument("line")
@click.option(
    "--replay", "count", type=click.IntRange(1, 1000), help="Show which of the last N commits it stops."
)
def add(line: str, count: int | None) -> None:
    """Append one line such as "atc_convert: require --optypelayout=NHWC" to guardrails.yaml."""
    from perfgate.guardrails.add import add_line, replay  # noqa: PLC0415 - a plain check must not load it

    run = _run()
    today = dt.datetime.now(dt.UTC).date()
    addition = add_line(run.rule_sources, line, run.facts, today)
    if addition.is_needed:
        write_file(find_root(Path.cwd()) / ROOT_FILE, addition.text)
    say(addition.report(), nl=False)
    if count is not None:
        rules = load_rules([RuleSource(path=ROOT_FILE, text=f"{line}\n".encode())])
        tree, _, _ = guard_ground(find_root(Path.cwd()), None, dict(os.environ))
        stopped = replay(rules, facts_of_history(tree, rules, count), today)
        for item in stopped:
            say(f"would have stopped {item.commit}")
        click.echo(f"{len(stopped)} of the last {count} commits")


@guard.command(name="test")
@click.pass_context
def run_rule_examples(ctx: click.Context) -> None:
    """Run the examples that the rules carry."""
    from perfgate.guardrails.examples import run_examples  # noqa: PLC0415 - a plain check must not load it

    rules = _run().evaluation.rules
    outcomes = run_examples(rules, reader_for(rules))
    for outcome in outcomes:
        say(str(outcome))
    click.echo(f"{len(outcomes)} examples")
    ctx.exit(int(ExitCode.PASS if all(outcome.is_right for outcome in outcomes) else ExitCode.FAIL))


@guard.command()
def schema() -> None:
    """Print the JSON Schema of guardrails.yaml, for editors."""
    from perfgate.guardrails.json_schema import json_schema  # noqa: PLC0415 - a plain check must not load it

    click.echo(readable_json(json_schema()), nl=False)


def _rendered(run: GuardRun, form: str) -> str:
    if form == "github":
        from perfgate.report.github_annotations import github_lines  # noqa: PLC0415 - a plain check must not load it

        return "".join(f"{line}\n" for line in github_lines(run.findings))
    if form == "sarif":
        from perfgate.report.sarif import sarif_log  # noqa: PLC0415 - a plain check must not load it

        return readable_json(sarif_log(run.evaluation, __version__))
    if form == "json":
        from perfgate.report.guard_report import guard_report  # noqa: PLC0415 - a plain check must not load it

        return readable_json(guard_report(run.evaluation))
    header = () if run.has_base else ("no base commit: the rules of the working tree judge alone",)
    return render_text(run.evaluation, run.sources, header)


def _is_mute(ctx: click.Context, run: GuardRun, form: str) -> bool:
    """`-q` says only what is wrong."""
    return bool(ctx.obj["quiet"]) and form == "text" and run.evaluation.exit_code is ExitCode.PASS


def _print_fixes(run: GuardRun, output: str) -> None:
    from perfgate.guardrails.fix import fixes_of  # noqa: PLC0415 - a plain check must not load it

    fixes = fixes_of(run.evaluation, run.sources, reader_for(run.evaluation.rules))
    if output == "-":
        sys.stdout.buffer.write(fixes.diff)  # bytes: a diff keeps the file's own line ends and encoding
        sys.stdout.buffer.flush()
    else:
        write_file(Path(output), fixes.diff)
    for refusal in fixes.refused:
        say(str(refusal), err=True)


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no date", "--today", "write YYYY-MM-DD") from None


def _below(root: Path, path: str) -> str:
    full = Path(path).resolve()
    if not full.is_relative_to(root.resolve()):
        raise UsageError("the path lies outside the repository", path, "name a file inside it")
    return full.relative_to(root.resolve()).as_posix()


def _files_at(tree: WorkTree, path: str) -> list[str]:
    """The files of the tree that a path means: itself, or everything below a folder.

    Raises:
        UsageError: the tree has no such file; a misspelt path would pass whatever the files hold.
    """
    start = "" if path == "." else f"{path}/"
    found = [file for file in tree.files if file == path or file.startswith(start)]
    if not found and not (tree.root / path).is_symlink():  # links are never read, whoever names them
        raise UsageError(
            "no file of the repository is there", path, "correct the path; git must not ignore it"
        )
    return found


def _text(value: object) -> str | None:
    return None if value is None else str(value)
