"""`ask`: is a move legal."""

from __future__ import annotations

import click

from statemachines.api.queries.catalogue import find_machine
from statemachines.cli.arguments.machine_arguments import machine_argument, release_option
from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.report.specs.legality import ReleaseLegality, step_legality
from statemachines.report.text.text_columns import Cell, aligned_rows

YES, NO, DEPENDS = 0, 1, 3


@click.command()
@machine_argument()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@release_option()
def verb(name: str, source: str, target: str, release: str | None) -> int:
    """Say whether machine NAME may go from one state to another, by release, and what the program
    does with a forbidden request.

    Exit code: 0 yes (also where it needs something of the machine's data, which is said), 1 no, 3
    it depends on the release.
    """
    with reported_errors():
        spec = find_machine(name)
        request = step_legality(spec, source, target, release)
    style = terminal.output_style()
    legal = {legality.legal for legality in request.releases}
    word, sign_style = (
        ("it depends", "doubt")
        if len(legal) > 1
        else ("yes", "good")
        if True in legal
        else ("no", "bad")
    )
    needs = (
        " or ".join(
            dict.fromkeys(legality.condition for legality in request.releases if legality.legal)
        )
        if word == "yes"
        else ""
    )
    word += f", if {needs}" if needs else ""
    terminal.print_lines(
        [f"{style.paint(word, sign_style)}   {spec.name}  {request.source} -> {request.target}"]
    )
    terminal.print_lines(
        aligned_rows([_legality_cells(legality) for legality in request.releases], style)
    )
    if not request.releases[-1].legal and request.legal_targets:
        of = f" in {request.newest_release}" if request.newest_release else ""
        terminal.print_lines(
            [
                style.paint(
                    f"  legal from {request.source}{of}: {', '.join(request.legal_targets)}", "dim"
                )
            ]
        )
    return DEPENDS if len(legal) > 1 else YES if True in legal else NO


def _legality_cells(legality: ReleaseLegality) -> list[Cell]:
    remark = "" if legality.taken else " (in its table; its code never does it)"
    needs = f" if {legality.condition}" if legality.condition else ""
    by = f"   by {', '.join(legality.by)}" if legality.by else ""
    word = Cell("legal", "good") if legality.legal else Cell("forbidden", "bad")
    return [
        Cell(legality.releases or "always"),
        word,
        Cell(f"{legality.consequence}{needs}{remark}{by}"),
    ]
