"""`list`: the machines that are shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.model.counts import count_text
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.report.text.text_columns import Cell, CellShortening, aligned_rows

if TYPE_CHECKING:
    from statemachines.api.queries.catalogue import CatalogueEntry


@click.command("list")
@click.argument("pattern", required=False)
def verb(pattern: str | None) -> int:
    """List the machines and systems of the catalogue, with their releases and a short description.

    With PATTERN, only those whose name contains it are listed.
    """
    from statemachines.api.queries.catalogue import catalogue_entries

    with reported_errors():
        every = catalogue_entries()
    listed = [
        entry for entry in every if pattern is None or pattern.casefold() in entry.name.casefold()
    ]
    rows = [
        [
            Cell(entry.name, "head"),
            Cell(entry.releases),
            Cell(_size_text(entry)),
            Cell(entry.doc, shortening=CellShortening.AT_END),
        ]
        for entry in listed
    ]
    terminal.print_lines(aligned_rows(rows, terminal.output_style(), margin=""))
    if not listed and pattern is not None:
        terminal.print_note(
            f"no name contains `{pattern}`;"
            f" {did_you_mean(pattern, [entry.name.rpartition('/')[2] for entry in every])}"
        )
    return 0 if listed else 1


def _size_text(entry: CatalogueEntry) -> str:
    if entry.parts:
        return f"system of {count_text(entry.parts, 'part')}"
    return count_text(entry.states, "state")
