"""`report`: what saved reports say together."""

from __future__ import annotations

import os

import click

from statemachines.cli.arguments.option_types import WordChoice
from statemachines.cli.console import terminal
from statemachines.cli.console.output_files import require_other, write_bytes
from statemachines.cli.outcomes.command_errors import CommandError
from statemachines.model.opened_files import NotText, read_text
from statemachines.report.saved_reports import NotAReport
from statemachines.report.trends import (
    TrendRow,
    read_trend,
    trend_csv,
    trend_json,
    trend_lines,
)

_TREND_WRITERS = {"json": trend_json, "csv": trend_csv}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
@click.option(
    "--trend",
    is_flag=True,
    expose_value=False,
    help="One row per report, oldest first: what is made without it too.",
)
@click.option(
    "--format",
    "form",
    type=WordChoice(("text", *_TREND_WRITERS)),
    default="text",
    show_default=True,
    help="Form of the table.",
)
@click.option("-o", "--output", "file", type=click.Path(), metavar="FILE", help="Write to a file.")
def verb(files: tuple[str, ...], form: str, file: str | None) -> int:
    """Compare reports that `check --format json` wrote over time: is the system getting better?

    One row per report: when its log ends, the health, the verdict, how much could be judged,
    findings, known findings, and episodes per day. Below the rows stands what changed with the
    last report.

    \b
    statemachines check logs/ --format json --no-timeline -o reports/monday.json
    statemachines report reports/*.json
    """
    require_other(file, files)
    rows = _read_rows(files)
    if form == "text" and file is None:
        terminal.print_lines(trend_lines(rows))
        return 0
    chunks = (
        [line + "\n" for line in trend_lines(rows)]
        if form == "text"
        else _TREND_WRITERS[form](rows)
    )
    write_bytes(file, "".join(chunks).encode("utf-8", "replace"))
    return 0


def _read_rows(files: tuple[str, ...]) -> tuple[TrendRow, ...]:
    for name in files:
        if os.path.isdir(name):
            raise CommandError(f"{name} is a folder; name the reports in it: {name}/*.json")
    try:
        return read_trend((name, read_text(name)) for name in files)
    except (NotAReport, NotText) as problem:
        raise CommandError(str(problem)) from None
