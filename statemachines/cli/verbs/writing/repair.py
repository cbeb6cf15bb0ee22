"""`repair`: the smallest change of a spec that admits logs."""

from __future__ import annotations

from pathlib import Path

import click

from statemachines.cli.console import terminal
from statemachines.cli.console.output_files import write_new
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.cli.outcomes.exit_codes import BAD_INPUT, FINE, FOUND
from statemachines.model.counts import count_text
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.display_names import instance_name, place_name
from statemachines.report.sections.plain_texts import printable_text

_MOST_LEFT = 5
"""Findings that are left and shown."""


@click.command()
@click.argument("spec", metavar="SPEC")
@click.argument("paths", nargs=-1, metavar="PATH…", required=True, type=click.Path())
@click.option("--layout", "layouts", multiple=True, metavar="NAME|FILE", help="As for check.")
@click.option("--zone", metavar="ZONE", help="Time zone of times that name none.")
@click.option(
    "-o",
    "--output",
    "file",
    metavar="FILE",
    help="Write the changed spec to FILE, which may be SPEC itself.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file other than SPEC.")
def verb(
    spec: str,
    paths: tuple[str, ...],
    layouts: tuple[str, ...],
    zone: str | None,
    file: str | None,
    force: bool,
) -> int:
    """Print, as a diff, the changes that a spec needs to admit logs that are known to be right:
    missing steps and states, changed wordings, initial states. Above the diff stand the lines that
    support each change; comments in the spec are kept.

    \b
    statemachines repair Task.yaml logs/
    statemachines repair Task.yaml logs/ -o Task.yaml

    Exit code: 0 the logs follow the spec, or the changed one; 1 they do not; 2 wrong usage, or
    input that could not be read.
    """
    from statemachines.api.log_mining import repair

    with reported_errors():
        result = repair(spec, paths, layouts=layouts, zone=zone)
    for error in result.errors:
        terminal.print_note(error)
    terminal.print_lines(result.diff.splitlines())
    if file is not None:
        write_new(file, result.text, force=force or _is_same_file(file, spec))
    terminal.print_note(
        f"{count_text(len(result.changes), 'change')}: {result.before.name} before,"
        f" {result.after.name} after"
        if result.changes
        else f"nothing to change: {result.before.name}"
    )
    for finding in result.left[:_MOST_LEFT]:
        name = instance_name(finding.machine, finding.instance)
        what = f"{finding.kind}: {name}: {finding.message}   {place_name(finding.place)}"
        terminal.print_note(f"not admitted: {printable_text(what)}")
    if len(result.left) > _MOST_LEFT:
        terminal.print_note(f"not admitted: {len(result.left) - _MOST_LEFT:,} more")
    if result.errors:
        return BAD_INPUT
    return FINE if result.after is Verdict.HOLDS else FOUND


def _is_same_file(one: str, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()
