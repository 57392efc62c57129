"""Text for people on a terminal: whatever a repository has named in it stays text."""

from __future__ import annotations

import click

from perfgate.report.display_text import escaped


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print lines; control, direction and invisible signs in them are written out."""
    click.echo("\n".join(escaped(line) for line in text.split("\n")), err=err, nl=nl)
