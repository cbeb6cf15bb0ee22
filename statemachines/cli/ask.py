"""`ask`: is a move legal."""

from __future__ import annotations

import click

from statemachines.api.asking import Said, ask
from statemachines.api.catalogue import find
from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.cli.naming import machine_argument, release_option
from statemachines.report.text.columns import Cell, Gives, table

YES, NO, DEPENDS = 0, 1, 3


@click.command(short_help="Is a step legal, since when, and what is done with the request.")
@machine_argument()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@release_option()
def verb(name: str, source: str, target: str, release: str | None) -> int:
    """Say whether machine NAME may go from one state to another, by release, and what the program does with a forbidden request.

    Exit code: 0 yes (also where it needs something of the machine's data, which is said), 1 no, 3 it depends on the release.
    """
    with complaints():
        spec = find(name)
        asked = ask(spec, source, target, release)
    look = terminal.look()
    legal = {said.legal for said in asked.said}
    word, style = ("it depends", "doubt") if len(legal) > 1 else ("yes", "good") if True in legal else ("no", "bad")
    needs = " or ".join(dict.fromkeys(said.provided for said in asked.said if said.legal)) if word == "yes" else ""
    word += f", if {needs}" if needs else ""
    terminal.say([f"{look.paint(word, style)}   {spec.name}  {asked.source} -> {asked.target}"])
    terminal.say(table([_row(said) for said in asked.said], look))
    if not asked.said[-1].legal and asked.instead:
        of = f" in {asked.newest}" if asked.newest else ""
        terminal.say([look.paint(f"  legal from {asked.source}{of}: {', '.join(asked.instead)}", "dim")])
    return DEPENDS if len(legal) > 1 else YES if True in legal else NO


def _row(said: Said) -> list[Cell]:
    remark = "" if said.taken else " (in its table; its code never does it)"
    needs = f" if {said.provided}" if said.provided else ""
    by = f"   by {', '.join(said.by)}" if said.by else ""
    word = Cell("legal", "good") if said.legal else Cell("forbidden", "bad")
    return [Cell(said.releases or "always"), word, Cell(f"{said.does}{needs}{remark}{by}", gives=Gives.ITS_END)]
