"""`timeline`: the raw lines of one instance, merged over files."""

from __future__ import annotations

import click

from statemachines.api.queries.instance_lines import (
    InstanceLine,
    InstanceLines,
    instance_lines,
    instance_options,
)
from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.cli.outcomes.exit_codes import BAD_INPUT, FINE, FOUND
from statemachines.report.sections.display_names import place_name
from statemachines.report.sections.plain_texts import printable_text
from statemachines.report.text.text_columns import OutputStyle


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH…", required=True, type=click.Path())
@click.option(
    "--instance",
    "wanted",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Which instances; * and ? are wildcards. Default: all.",
)
@click.option(
    "--spec", "specs", multiple=True, metavar="NAME|FILE", help="Only lines of these machines."
)
@click.option("--says", is_flag=True, help="Before each line, say what it means.")
def verb(
    paths: tuple[str, ...], wanted: tuple[str, ...], specs: tuple[str, ...], says: bool
) -> int:
    """Print every line about an instance (steps, requests, failures, notes) from all files, in
    order of time.

    \b
    statemachines timeline logs/ --instance shop=north --instance order=7
    statemachines timeline logs/ --instance 'till=*-3' --says

    Exit code: 0 some lines, 1 none (instances with similar names are listed), 2 wrong usage or a
    path that could not be read.
    """
    with reported_errors():
        instance = dict(_parse_field(text) for text in wanted)
        lines = instance_lines(paths, instance, specs=specs or None)
    style = terminal.output_style()
    terminal.print_lines(_line_text(line, says, style) for line in lines.lines)
    for error in lines.errors:
        terminal.print_note(error)
    if not lines.lines:
        terminal.print_note(printable_text(_nothing_found(instance, lines)))
    return BAD_INPUT if lines.errors else FINE if lines.lines else FOUND


def _parse_field(text: str) -> tuple[str, str]:
    field, equals, value = text.partition("=")
    if not (field and equals):
        raise click.BadParameter(f"`{text}` is no FIELD=VALUE, such as topic=orders")
    return field, value


def _nothing_found(instance: dict[str, str], lines: InstanceLines) -> str:
    """Say that no line tells of an instance, and which ones there are."""
    if not instance:
        return "no line mentions an instance"
    message = f"no line tells of {instance_options(instance)}"
    if not lines.nearest:
        return f"{message}, nor of another {' and '.join(instance)}"
    every = " ".join(f"--instance '{name}=*'" for name in instance)
    nearest = ", ".join(f"`{name}`" for name in lines.nearest)
    return f"{message}; there are {nearest}, and {every} --says shows all that there are"


def _line_text(line: InstanceLine, says: bool, style: OutputStyle) -> str:
    what = f"{style.paint(', '.join(line.says), 'head')}  " if says else ""
    return (
        f"{style.paint(printable_text(place_name(line.place)), 'dim')} "
        f" {what}{printable_text(line.text)}"
    )
