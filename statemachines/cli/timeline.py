"""`timeline`: the raw lines of one instance, merged over files."""

from __future__ import annotations

import click

from statemachines.api.lines import Lines, Told, as_options, lines_of
from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.cli.exits import FINE, FOUND, WRONG
from statemachines.report.text.columns import Look, harmless
from statemachines.report.text.names import place_name


@click.command(short_help="Print all lines of one instance, merged over files by time.")
@click.argument("paths", nargs=-1, metavar="PATH…", required=True, type=click.Path())
@click.option("--instance", "wanted", multiple=True, metavar="FIELD=VALUE", help="Which one; * and ? stand for anything. None: all.")
@click.option("--spec", "specs", multiple=True, metavar="NAME|FILE", help="Lines of these machines only.")
@click.option("--says", is_flag=True, help="Say before each line what it tells.")
def verb(paths: tuple[str, ...], wanted: tuple[str, ...], specs: tuple[str, ...], says: bool) -> int:
    """Print every line that tells of an instance: steps, requests, failures, notes; over all files, by time.

    \b
    statemachines timeline logs/ --instance shop=north --instance order=7
    statemachines timeline logs/ --instance 'till=*-3' --says

    Exit code: 0 some lines, 1 none (the nearest instances are named), 2 wrong usage or a path that could not be read.
    """
    with complaints():
        instance = dict(_pair(text) for text in wanted)
        found = lines_of(paths, instance, specs=specs or None)
    look = terminal.look()
    terminal.say(_line(told, says, look) for told in found.told)
    for error in found.errors:
        terminal.note(error)
    if not found.told:
        terminal.note(harmless(_nothing(instance, found)))
    return WRONG if found.errors else FINE if found.told else FOUND


def _pair(text: str) -> tuple[str, str]:
    field, equals, value = text.partition("=")
    if not (field and equals):
        raise click.BadParameter(f"`{text}` is no FIELD=VALUE, such as topic=orders")
    return field, value


def _nothing(instance: dict[str, str], found: Lines) -> str:
    """Say that no line tells of an instance, and which ones there are."""
    if not instance:
        return "no line tells of any instance"
    said = f"no line tells of {as_options(instance)}"
    if not found.nearest:
        return f"{said}, nor of another {' and '.join(instance)}"
    every = " ".join(f"--instance '{name}=*'" for name in instance)
    return f"{said}; there are {', '.join(f'`{each}`' for each in found.nearest)}, and {every} --says shows all that there are"


def _line(told: Told, says: bool, look: Look) -> str:
    what = f"{look.paint(', '.join(told.says), 'head')}  " if says else ""
    return f"{look.paint(harmless(place_name(told.place)), 'dim')}  {what}{harmless(told.text)}"
