"""`list`: the machines that are shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.model.suggestions import did_you_mean
from statemachines.report.text.columns import Cell, Gives, count, table

if TYPE_CHECKING:
    from statemachines.api.catalogue import Entry


@click.command("list", short_help="List the shipped machines and their releases.")
@click.argument("pattern", required=False)
def verb(pattern: str | None) -> int:
    """List the machines and systems of the catalogue, with their releases and what they are.

    PATTERN keeps those whose name holds it.
    """
    from statemachines.api.catalogue import entries, systems

    with complaints():
        every = [*entries(), *systems()]
    found = [entry for entry in every if pattern is None or pattern.casefold() in entry.name.casefold()]
    rows = [[Cell(one.name, "head"), Cell(one.releases), Cell(_size(one)), Cell(one.doc, gives=Gives.ITS_END)] for one in found]
    terminal.say(table(rows, terminal.look(), margin=""))
    if not found and pattern is not None:
        terminal.note(f"no name holds `{pattern}`; {did_you_mean(pattern, [one.name.rpartition('/')[2] for one in every])}")
    return 0 if found else 1


def _size(entry: Entry) -> str:
    if entry.parts:
        return f"system of {count(entry.parts, 'part')}"
    return count(entry.states, "state")
