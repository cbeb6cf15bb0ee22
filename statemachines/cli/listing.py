"""`list`: the machines that are shipped."""

from __future__ import annotations

import click

from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.report.text.columns import Cell, Gives, count, table


@click.command("list", short_help="List the shipped machines and their releases.")
@click.argument("pattern", required=False)
def verb(pattern: str | None) -> int:
    """List the machines of the catalogue, with their releases and what they are.

    PATTERN keeps those whose name holds it.
    """
    from statemachines.api.catalogue import entries

    with complaints():
        found = [entry for entry in entries() if pattern is None or pattern.casefold() in entry.name.casefold()]
    rows = [
        [Cell(entry.name, "head"), Cell(entry.releases), Cell(count(entry.states, "state")), Cell(entry.doc, gives=Gives.ITS_END)]
        for entry in found
    ]
    terminal.say(table(rows, terminal.look(), margin=""))
    return 0 if found else 1
